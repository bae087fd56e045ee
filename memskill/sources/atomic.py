"""The one way a file is written: aside, synced, renamed. A crash leaves the old file or the new."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import time
from collections.abc import Generator
from pathlib import Path

_PREFIX, _SUFFIX = ".mem-", ".tmp"


def write_atomic(path: Path, data: bytes) -> None:
    """Write `data` to `path` so that a reader sees the old file or the whole new one.

    The bytes go to a hidden file in the same folder, reach the disk, and are renamed; then the
    folder reaches the disk. Mode 0644. A symbolic link at `path` is replaced, never followed.

    Raises:
        OSError: The disk is full, the folder is missing or may not be written; `path` is then
            as it was, and nothing is left beside it.
    """
    aside = path.parent / f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}"
    handle = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        with open(handle, "wb") as file:  # noqa: PTH123 (an open descriptor)
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), 0o644)
            os.fsync(file.fileno())
        os.replace(aside, path)  # noqa: PTH105 (pairs with os.open above)
    except BaseException:
        with contextlib.suppress(OSError):
            aside.unlink()
        raise
    sync_folder(path.parent)


@contextlib.contextmanager
def whole_folder(target: Path) -> Generator[Path]:
    """Yield a hidden folder beside `target` that takes its name when the block ends well.

    All files in it reach the disk first. When the block fails, nothing is left.

    Raises:
        OSError: `target` exists with something in it, or its place cannot be written.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = target.parent / f"{_PREFIX}{secrets.token_hex(8)}{_SUFFIX}"
    aside.mkdir(mode=0o755)
    try:
        yield aside
        for file in sorted(aside.rglob("*")):
            if file.is_file():
                with file.open("rb") as opened:
                    os.fsync(opened.fileno())
        os.rename(aside, target)  # noqa: PTH104 (as os.replace above)
    except BaseException:
        shutil.rmtree(aside, ignore_errors=True)
        raise
    sync_folder(target.parent)


def sync_folder(folder: Path) -> None:
    """Make the names in `folder` (a rename, a new file) survive a power cut."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_leftovers(folder: Path, *, older_than_seconds: float = 600) -> int:
    """Remove what killed writers left in `folder`; return how many files went.

    Younger ones stay: they may belong to a writer that is at work.
    """
    removed = 0
    limit = time.time() - older_than_seconds
    for aside in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
        with contextlib.suppress(OSError):
            if aside.lstat().st_mtime < limit:
                aside.unlink()
                removed += 1
    return removed
