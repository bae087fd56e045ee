"""The one door: the only code that writes a SKILL.md, and only below `skills/_drafts/`.

Each folder on the way is opened relative to the one before and never through a symbolic link, so
that no link, swapped in at any moment, can lead a byte elsewhere. Nothing here or anywhere else
moves a draft out: promotion is a person's `git mv`.
"""

from __future__ import annotations

import contextlib
import difflib
import hashlib
import os
import re
import secrets
import stat
from collections.abc import Generator
from pathlib import Path

from memskill.draft.bodies import Published
from memskill.draft.names import require_name
from memskill.errors import PathRefused

FILE, PROPOSAL = "SKILL.md", "SKILL.proposed.md"
_FOLDERS = ("skills", "_drafts")
_OPEN_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_MAX_READ = 4_000_000
_GENERATED_AT = re.compile(r"^[ ]*generated_at: .*\n?", re.M)


def publish(
    vault: Path, name: str, text: str, *, recorded_sha: str = "", force: bool = False
) -> Published:
    """Put a draft at `<vault>/skills/_drafts/<name>/SKILL.md`, or leave a better file alone.

    A file that says the same, `generated_at` apart, is left as it is. One that is not the file
    that was recorded was edited by a person: the new text then goes to `SKILL.proposed.md` beside
    it; with `force` it takes the place, and the person's text is kept as `SKILL.bak-<sha>.md`.

    Args:
        vault: The vault's folder; must exist.
        name: The draft's name, see `names.require_name`.
        text: The whole file.
        recorded_sha: sha256 of what memskill wrote there last; empty when nothing is known.
        force: Replace a file that a person edited.

    Raises:
        PathRefused: The name is not one, or a link or a file stands where a folder must be.
            Nothing was written.
    """
    require_name(name)
    data = text.encode("utf-8")
    path = vault / "skills" / "_drafts" / name / FILE
    sha = hashlib.sha256(data).hexdigest()
    with _folder(vault, name) as folder:
        old = _read(folder, FILE, path)
        if old is None:
            _write(folder, FILE, data)
            return Published(path=path, action="written", sha=sha)
        if _comparable(old) == _comparable(data):
            disk_sha = hashlib.sha256(old).hexdigest()
            return Published(path=path, action="unchanged", sha=disk_sha)
        diff = unified_diff(old.decode("utf-8", "replace"), text, FILE, "new draft")
        old_sha = hashlib.sha256(old).hexdigest()
        if old_sha == recorded_sha:
            _write(folder, FILE, data)
            return Published(path=path, action="replaced", sha=sha, diff=diff)
        if not force:
            _write(folder, PROPOSAL, data)
            return Published(path=path.with_name(PROPOSAL), action="proposed", sha=sha, diff=diff)
        backup = f"SKILL.bak-{old_sha[:12]}.md"
        _write(folder, backup, old)
        _write(folder, FILE, data)
        return Published(
            path=path, action="replaced", sha=sha, diff=diff, backup=path.with_name(backup)
        )


def unified_diff(old: str, new: str, old_name: str, new_name: str) -> str:
    """Return the unified diff of two texts; empty where they are equal."""
    return "".join(
        line if line.endswith("\n") else line + "\n"
        for line in difflib.unified_diff(
            old.splitlines(keepends=True), new.splitlines(keepends=True), old_name, new_name
        )
    )


def _comparable(data: bytes) -> str:
    """Return the text without the one line that differs between equal drafts."""
    head, fence, rest = data.decode("utf-8", "replace").partition("\n---\n")
    return _GENERATED_AT.sub("", head + "\n") + fence + rest


@contextlib.contextmanager
def _folder(vault: Path, name: str) -> Generator[int]:
    """Open the draft's folder, made where missing, following no link below the vault."""
    handles: list[int] = []
    try:
        # The vault itself may be reached through links: it is the person's own word.
        handles.append(
            os.open(os.path.realpath(vault), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        )
        for part in (*_FOLDERS, name):
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, 0o755, dir_fd=handles[-1])
            try:
                handles.append(os.open(part, _OPEN_FOLDER, dir_fd=handles[-1]))
            except OSError as error:
                raise PathRefused(
                    f"{part!r} on the way to the draft is no plain folder: {error.strerror}",
                    hint="Remove the symbolic link or file that stands there.",
                ) from error
        yield handles[-1]
    except (FileNotFoundError, NotADirectoryError) as error:
        raise PathRefused(f"{vault}: is no vault: {error.strerror}") from error
    finally:
        for handle in reversed(handles):
            os.close(handle)


def _read(folder: int, name: str, path: Path) -> bytes | None:
    """Return the bytes of a plain file in the folder, None where there is none."""
    try:
        handle = os.open(
            name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder
        )
    except FileNotFoundError:
        return None
    except OSError as error:
        raise PathRefused(f"{path} is no plain file: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise PathRefused(f"{path} is no plain file", hint="Move it away.")
    with open(handle, "rb") as file:  # noqa: PTH123 (an open descriptor)
        return file.read(_MAX_READ)


def _write(folder: int, name: str, data: bytes) -> None:
    """Write a file in the folder whole or not at all: aside, synced, renamed, folder synced."""
    aside = f".mem-{secrets.token_hex(8)}.tmp"
    handle = os.open(
        aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644, dir_fd=folder
    )
    try:
        with open(handle, "wb") as file:  # noqa: PTH123 (an open descriptor)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(aside, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(aside, dir_fd=folder)
        raise
    os.fsync(folder)
