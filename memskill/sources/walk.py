"""Finds the Markdown files of a vault, in order, without ever leaving it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from memskill.errors import PathRefused
from memskill.records import Skipped
from memskill.sources.safety import printable, within


@dataclass(slots=True)
class Walk:
    """What was found below a vault: paths relative to it, with forward slashes, in order."""

    files: list[str] = field(default_factory=list[str])
    skipped: list[Skipped] = field(default_factory=list[Skipped])


def walk_markdown(vault: Path, *, leave_out: tuple[str, ...] = ()) -> Walk:
    """Return every `*.md` below `vault`, ordered by path.

    Dot-folders and the top-level folders of `leave_out` are passed over in silence. A symbolic
    link is followed where it stays inside the vault and its target was not met before; one that
    leads out is reported.
    """
    walk = Walk()
    seen: set[str] = set()
    links: list[str] = []
    _folder(vault, "", leave_out, walk, seen, links)
    # Links come last, so that a file is known by its own path where it has one. A link's folder
    # may hold further links: the list grows while it is read, `seen` ends every loop.
    for link in links:
        _link(vault, link, leave_out, walk, seen, links)
    walk.files.sort()
    walk.skipped.sort(key=lambda skip: (skip.path, skip.reason))
    return walk


def _folder(
    vault: Path,
    folder: str,
    leave_out: tuple[str, ...],
    walk: Walk,
    seen: set[str],
    links: list[str],
) -> None:
    pending = [folder]
    while pending:
        here = pending.pop()
        real = os.path.realpath(vault / here)
        if real in seen:
            continue
        seen.add(real)
        try:
            entries = sorted(os.scandir(vault / here), key=lambda entry: entry.name)
        except OSError as error:
            skip(walk, here or ".", f"folder cannot be read: {error.strerror}")
            continue
        for entry in entries:
            path = f"{here}/{entry.name}" if here else entry.name
            if entry.name.startswith(".") or path in leave_out:
                continue
            if entry.is_symlink():
                links.append(path)
            elif entry.is_dir(follow_symlinks=False):
                pending.append(path)
            elif is_markdown(entry.name):
                seen.add(os.path.realpath(entry.path))
                walk.files.append(path)


def _link(
    vault: Path, link: str, leave_out: tuple[str, ...], walk: Walk, seen: set[str], links: list[str]
) -> None:
    target = vault / link
    try:
        real = within(vault, target)
    except PathRefused:
        # A link to some other file out there is nobody's note.
        if is_markdown(link) or target.is_dir():
            skip(walk, link, "symbolic link that leads out of the vault")
        return
    parts = real.relative_to(os.path.realpath(vault)).parts
    if str(real) in seen or parts[0] in leave_out or any(p.startswith(".") for p in parts):
        return
    if real.is_dir():
        _folder(vault, link, leave_out, walk, seen, links)
    elif is_markdown(link):
        if real.exists():
            seen.add(str(real))
            walk.files.append(link)
        else:
            skip(walk, link, "symbolic link to nothing")


def is_markdown(name: str) -> bool:
    """Tell whether a file name ends in `.md`, in any case."""
    return name.lower().endswith(".md")


def skip(walk: Walk, path: str, reason: str) -> None:
    """Report one path that was passed over."""
    walk.skipped.append(Skipped(path=printable(path, 500), reason=reason))
