"""The writers' lock: one OS file lock a vault, a bounded wait, and the name of who holds it."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

from memskill.errors import StoreBusy, StoreError


@contextlib.contextmanager
def writer_lock(state_dir: Path, wait_seconds: float) -> Generator[None]:
    """Hold the vault's writer lock; the OS frees it when the process dies.

    Raises:
        StoreBusy: Another process held it for the whole wait; the message names it.
        StoreError: The vault does not exist or may not be written.
    """
    from filelock import FileLock, Timeout

    holder = state_dir / "lock.holder"
    try:
        state_dir.mkdir(exist_ok=True)
        lock = FileLock(state_dir / "lock")
        lock.acquire(timeout=wait_seconds)
    except Timeout as error:
        raise StoreBusy(
            f"{state_dir}: {_describe(holder)} has been writing for over {wait_seconds:g} s",
            hint="Wait for it, or raise lock_wait_seconds.",
        ) from error
    except OSError as error:
        raise StoreError(
            f"{state_dir}: cannot be written: {error.strerror}",
            hint="memskill keeps its state there; the vault must be a folder that you may write.",
        ) from error
    try:
        _tell(holder)
        yield
    finally:
        with contextlib.suppress(OSError):
            holder.unlink(missing_ok=True)
        lock.release()


def _tell(holder: Path) -> None:
    """Write down who holds the lock: advice for the one who waits, so a failure does no harm."""
    with contextlib.suppress(OSError):
        # Anew each time, so that a link at its place is never followed.
        holder.unlink(missing_ok=True)
        with holder.open("x", encoding="utf-8") as file:
            file.write(json.dumps(_me()))


def _me() -> dict[str, object]:
    return {
        "pid": os.getpid(),
        "command": " ".join([Path(sys.argv[0]).name, *sys.argv[1:3]])[:120],
        "since": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    }


def _describe(holder: Path) -> str:
    """Return who holds the lock, as far as the holder wrote it down."""
    try:
        known = json.loads(holder.read_text(encoding="utf-8"))
        return f"process {int(known['pid'])} ({known['command']!r}, since {known['since']})"
    except (OSError, ValueError, KeyError, TypeError):
        return "another process"
