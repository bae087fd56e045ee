"""The writers' lock: one OS file lock a vault, a bounded wait, and the name of who holds it."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

from memskill.errors import StoreBusy


@contextlib.contextmanager
def writer_lock(state_dir: Path, wait_seconds: float) -> Generator[None]:
    """Hold the vault's writer lock; the OS frees it when the process dies.

    Raises:
        StoreBusy: Another process held it for the whole wait; the message names it.
    """
    from filelock import FileLock, Timeout

    state_dir.mkdir(parents=True, exist_ok=True)
    holder = state_dir / "lock.holder"
    lock = FileLock(state_dir / "lock")
    try:
        lock.acquire(timeout=wait_seconds)
    except Timeout as error:
        raise StoreBusy(
            f"{state_dir}: {_describe(holder)} has been writing for over {wait_seconds:g} s",
            hint="Wait for it, or raise lock_wait_seconds.",
        ) from error
    try:
        # Advice for the one who waits, not the lock itself: a stale file does no harm.
        holder.write_text(json.dumps(_me()), encoding="utf-8")
        yield
        holder.unlink(missing_ok=True)
    finally:
        lock.release()


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
