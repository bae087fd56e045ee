"""The vault's secret, from which the markers around a note in a prompt are made."""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
from pathlib import Path

from memskill.errors import PathRefused

_NAME = "secret"
_BYTES = 32


def read_secret(state_dir: Path) -> bytes:
    """Return the vault's secret, or a fresh one for this run where it has none; writes nothing."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with contextlib.suppress(OSError), open(os.open(state_dir / _NAME, flags), "rb") as file:  # noqa: PTH123
        found = file.read(_BYTES + 1)
        if len(found) == _BYTES:
            return found
    return secrets.token_bytes(_BYTES)


def keep_secret(state_dir: Path) -> bytes:
    """Return the vault's secret, made (mode 0600) where it has none.

    Raises:
        PathRefused: Something other than a secret lies at its place.
    """
    state_dir.mkdir(parents=True, exist_ok=True)
    path = state_dir / _NAME
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    # Two first runs at once: one makes the file, the other reads it.
    with contextlib.suppress(FileExistsError), open(os.open(path, flags, 0o600), "wb") as file:  # noqa: PTH123
        file.write(secrets.token_bytes(_BYTES))
        file.flush()
        os.fsync(file.fileno())
    if path.is_symlink() or not path.is_file() or path.stat().st_size != _BYTES:
        raise PathRefused(f"{path} is not a secret of memskill", hint="Remove it; it is made anew.")
    return path.read_bytes()


def marker(secret: bytes, sha: str, note: str) -> str:
    """Return a word that nobody can guess and that does not occur in the note."""
    word = ""
    for count in range(1000):
        word = hmac.new(secret, f"{sha}:{count}".encode(), hashlib.sha256).hexdigest()[:24].upper()
        if word not in note:
            break
    return f"NOTE-{word}"
