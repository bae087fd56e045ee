"""Skills that a task names outright."""

from __future__ import annotations

import re
from collections.abc import Set

_HYPHENATED = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)+")
# A one-word name is an ordinary word too: it counts beside "skill" or in backticks only.
_ONE_WORD = re.compile(r"`([a-z0-9]+)`|\b([a-z0-9]+)[\"'`]? skill\b|\bskill:? [\"'`]?([a-z0-9]+)\b")


def named_skills(task: str, names: Set[str]) -> list[str]:
    """Return the names among `names` that the task spells out, in code-point order."""
    text = task.lower()
    words = set(_HYPHENATED.findall(text))
    words.update(word for groups in _ONE_WORD.findall(text) for word in groups if word)
    return sorted(words & names)
