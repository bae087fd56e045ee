"""Where a session took place, as a name that its other checkouts share."""

from __future__ import annotations

import re

from memskill.sources.safety import one_line

_WORKTREES = re.compile(r"[-_.]?worktrees?\Z", re.I)
_HIDDEN = re.compile(r"/\.(?:claude/)?worktrees?/.*\Z", re.I)
_MAX = 80


def scope_of(folder: str, branch: str = "") -> str:
    """Return the name of the project that a working folder belongs to; "" where none is known.

    It is the folder's own name. A folder that is called like its branch is one worktree of many:
    then the name of the folder around it counts, without an ending such as `-worktrees`.
    """
    path = _HIDDEN.sub("", folder.replace("\\", "/").rstrip("/"))
    parts = [part for part in path.split("/") if part]
    if len(parts) > 1 and branch and parts[-1] == branch.rsplit("/", 1)[-1]:
        # A checkout of its only branch may be called so too: a plain home says nothing.
        outer = _WORKTREES.sub("", parts[-2])
        parts = [*parts[:-2], outer] if outer != parts[-2] and outer else parts
    name = one_line(parts[-1]) if parts else ""
    return name[:_MAX]
