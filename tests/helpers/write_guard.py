"""A pytest plugin: no code of the package may change `skills/` outside of `_drafts`, in any test.

An audit hook sees every write, rename, link, copy and program start of the process. One that
comes from the package and touches a promoted skill is kept, and the test that was running fails.
Tests may write there themselves: they play the person.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from helpers.tree import PACKAGE

# These fill only a folder that they made themselves, so that a vault can be tried or shown.
EXEMPT = ("pipeline/demo.py", "explore/example.py")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
offences: list[str] = []


def _opened(args: tuple[Any, ...]) -> list[object]:
    path, mode, flags = args
    writes = isinstance(mode, str) and any(c in mode for c in "wax+")
    return [path] if writes or (flags or 0) & _WRITING else []


def _renamed(args: tuple[Any, ...]) -> list[object]:
    source, target, source_dir, target_dir = args
    return [_below(source, source_dir), _below(target, target_dir)]


# Event -> the paths that it changes; see the audit events table of Python's manual.
_PATHS: dict[str, Callable[[tuple[Any, ...]], list[object]]] = {
    "open": _opened,
    "os.rename": _renamed,
    "os.link": _renamed,
    "os.symlink": lambda args: [_below(args[1], args[2])],
    "os.mkdir": lambda args: [_below(args[0], args[2])],
    "os.rmdir": lambda args: [_below(args[0], args[1])],
    "os.remove": lambda args: [_below(args[0], args[1])],
    "os.truncate": lambda args: [args[0]],
    "shutil.copyfile": lambda args: [args[1]],
    "shutil.copytree": lambda args: [args[1]],
    "shutil.move": lambda args: [args[0], args[1]],
    "shutil.rmtree": lambda args: [args[0]],
}
_PROGRAMS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn")


def _below(path: object, folder: object) -> object:
    """Return a path relative to an open folder as one that can be read."""
    if isinstance(folder, int) and folder >= 0 and isinstance(path, str | bytes):
        return Path(f"/proc/self/fd/{folder}").readlink() / os.fsdecode(path)
    return path


def is_promoted(path: object) -> bool:
    """Say whether a path lies in a vault's `skills/` outside of `_drafts`, links resolved."""
    if not isinstance(path, str | bytes | os.PathLike):
        return False
    given = Path(os.fsdecode(os.fspath(path)))
    parts = (Path(os.path.realpath(given.parent)) / given.name).parts
    places = [i for i, part in enumerate(parts[:-1]) if part == "skills"]
    return any(parts[i + 1] != "_drafts" for i in places)


def _culprit() -> str:
    """Return the innermost code of the package on the stack, or "" where none may be blamed."""
    frame: FrameType | None = sys._getframe(2)
    found = ""
    while frame is not None:
        file = Path(frame.f_code.co_filename)
        if file.is_relative_to(PACKAGE):
            name = str(file.relative_to(PACKAGE))
            if name in EXEMPT:
                return ""
            found = found or f"{name}:{frame.f_lineno}"
        frame = frame.f_back
    return found


def _watch(event: str, args: tuple[Any, ...]) -> None:
    if event in _PATHS:
        touched = [path for path in _PATHS[event](args) if is_promoted(path)]
    elif event in _PROGRAMS:
        told = repr(args)
        touched = [told] if "skills" in told and " mv" in told.replace("'", " ") else []
    else:
        return
    if touched and (culprit := _culprit()):
        offences.append(f"{culprit}: {event}: {touched[0]}")


def pytest_configure(config: pytest.Config) -> None:
    """Start watching; a hook cannot be taken out again."""
    sys.addaudithook(_watch)


@pytest.fixture(autouse=True)
def _no_promotion() -> Iterator[None]:
    offences.clear()
    yield
    found = offences.copy()
    offences.clear()
    assert found == [], "code of the package changed a promoted skill"
