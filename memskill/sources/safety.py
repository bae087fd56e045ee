"""What keeps hostile text and paths harmless: shared by everything that reads the vault."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from pathlib import Path

from memskill.errors import PathRefused, SourceError

# Controls, surrogates, bidi marks and overrides, zero-width space, BOM, invisible tag characters.
# The two joiners (U+200C, U+200D) stay: scripts and emoji are written with them.
_C0_C1 = r"\x00-\x1f\x7f-\x9f"
_INVISIBLE = (
    r"\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    r"\U000e0000-\U000e007f"
)
_HOSTILE = re.compile(f"[{_C0_C1}{_INVISIBLE}]")
_HOSTILE_INLINE = re.compile(f"[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f{_INVISIBLE}]")
# CSI and OSC sequences of a terminal, whole, before their escape character goes. The lengths
# are bounded, so that a run of openings costs no more than linear time.
_ANSI = re.compile(r"\x1b\[[0-9;?]{0,32}[@-~]|\x1b\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)")
_MAX_ID = 200


def within(root: Path, path: Path) -> Path:
    """Return the real path of `path`, which lies strictly inside the real `root`.

    Symbolic links are followed first; `path` need not exist.

    Raises:
        PathRefused: The real path is `root` itself or outside it, or a link loops.
    """
    try:
        real_root, real = Path(os.path.realpath(root)), Path(os.path.realpath(path))
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise PathRefused(f"{printable(str(path), 200)}: {error}") from error
    if real == real_root or not real.is_relative_to(real_root):
        raise PathRefused(
            f"{printable(str(path), 200)} leads out of {printable(str(root), 200)}",
            hint="Move the file inside, or remove the symbolic link.",
        )
    return real


def printable(text: str, limit: int = 200) -> str:
    """Return `text` fit for a terminal or a message: one line, no escapes, at most `limit` long.

    A cut text ends in an ellipsis, which counts.
    """
    # No character of interest lies beyond this: the work stays bounded for a text of megabytes.
    head = text[: limit * 4 + 1024]
    line = " ".join(_HOSTILE_INLINE.sub("", _ANSI.sub("", head)).split())
    if len(line) > limit or len(head) < len(text):
        return line[: max(limit - 1, 0)] + "…"
    return line


def one_line(text: str) -> str:
    """Return `text` in NFC on one line: white space collapsed, control and bidi characters out."""
    clean = " ".join(_HOSTILE_INLINE.sub(" ", text).split())
    return " ".join(unicodedata.normalize("NFC", clean).split())


def no_surrogates(text: str) -> str:
    """Return `text` with lone surrogates, which no file or column can hold, as U+FFFD."""
    return re.sub(r"[\ud800-\udfff]", "\ufffd", text)


def is_hostile(text: str) -> bool:
    """Tell whether `text` holds a control, surrogate, bidi or invisible character."""
    return _HOSTILE.search(text) is not None


def id_fault(value: str) -> str | None:
    """Return why `value` cannot be a project or a query id, or None where it can."""
    if not value.strip():
        return "is empty"
    if len(value) > _MAX_ID:
        return f"has {len(value)} characters, at most {_MAX_ID} are allowed"
    if "/" in value or "\\" in value:
        return "contains a slash or backslash"
    if is_hostile(value):
        return "contains a control, bidi or invisible character"
    if value in (".", ".."):
        return "is a folder reference"
    return None


def read_bounded(path: Path, max_bytes: int) -> bytes:
    """Return the bytes of a regular file.

    Raises:
        SourceError: Not a regular file, larger than `max_bytes`, or unreadable.
    """
    # O_NONBLOCK: opening a FIFO must not wait for a writer.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        with open(os.open(path, flags), "rb") as file:  # noqa: PTH123 (needs the flags)
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise SourceError("is not a regular file")
            data = file.read(max_bytes + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceError(f"cannot be read: {reason}") from error
    if len(data) > max_bytes:
        raise SourceError(
            f"is larger than {max_bytes} bytes",
            hint="Split the file, or raise `max_file_bytes`.",
        )
    return data
