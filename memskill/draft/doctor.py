"""Finds drafts that an agent would load, and promoted skills that have gone stale or too wide."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memskill.draft.duplicates import Similarity, near_duplicates, skill_text
from memskill.records import Finding, Skill

# Claude Code lists skills in 1 % of its context: 8,000 characters of a window of 200,000.
LISTING_BUDGET = 8_000
# A link loop or a home folder full of files must not make this slow.
_MAX_FOLDERS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentRoot:
    """Where an agent looks for skills, below the home folder and below each project."""

    agent: str
    home: str
    project: str
    # How many folders deep it looks for SKILL.md.
    depth: int


# Looked up in the agents' sources and manuals; Cursor's depth is not documented.
AGENT_ROOTS = (
    AgentRoot(agent="Claude Code", home=".claude/skills", project=".claude/skills", depth=1),
    AgentRoot(agent="Codex", home=".codex/skills", project=".codex/skills", depth=6),
    AgentRoot(agent="Codex", home=".agents/skills", project=".agents/skills", depth=6),
    AgentRoot(
        agent="opencode", home=".config/opencode/skills", project=".opencode/skills", depth=12
    ),
    AgentRoot(agent="pi", home=".pi/agent/skills", project=".pi/skills", depth=12),
    AgentRoot(agent="Gemini CLI", home=".gemini/skills", project=".gemini/skills", depth=1),
    AgentRoot(agent="Cursor", home=".cursor/skills", project=".cursor/skills", depth=12),
    AgentRoot(agent="Copilot", home=".copilot/skills", project=".github/skills", depth=12),
)


def reachable_drafts(drafts: Path, vault: Path, home: Path, cwd: Path) -> list[Finding]:
    """Return an error for each agent root from which a draft would be loaded, links resolved.

    Args:
        drafts: The vault's `_drafts` folder.
        vault: The vault; it and the folders above it are taken as projects.
        home: The home folder.
        cwd: The working folder; it and the folders above it are taken as projects too.
    """
    inside = Path(os.path.realpath(drafts))
    projects = dict.fromkeys((vault, *vault.parents, cwd, *cwd.parents))
    places = (
        (root, place)
        for root in AGENT_ROOTS
        for place in dict.fromkeys((home / root.home, *(p / root.project for p in projects)))
    )
    return [
        Finding(
            rule="drafts-reachable",
            severity="error",
            message=f"{root.agent} loads drafts through {place}: {found}",
            hint="Link promoted skills one by one, never the skills folder itself.",
        )
        for root, place in places
        if (found := next(_skill_files_inside(place, root.depth, inside), None))
    ]


def _skill_files_inside(place: Path, depth: int, inside: Path) -> Iterator[Path]:
    """Yield the SKILL.md files below `place`, to a depth, whose real path lies inside a folder."""
    pending, seen = [(place, 0)], 0
    while pending and seen < _MAX_FOLDERS:
        folder, level = pending.pop()
        seen += 1
        file = folder / "SKILL.md"
        if file.is_file() and Path(os.path.realpath(file)).is_relative_to(inside):
            yield file
        if level < depth:
            pending += [(child, level + 1) for child in _folders(folder)]


def _folders(folder: Path) -> list[Path]:
    try:
        found = [Path(entry.path) for entry in os.scandir(folder) if entry.is_dir()]
    except OSError:
        return []
    return sorted((path for path in found if not path.name.startswith(".")), reverse=True)


def duplicate_findings(skills: Sequence[Skill], similarity: Similarity) -> list[Finding]:
    """Return a warning a pair of skills or drafts that say nearly the same."""
    return [
        Finding(
            rule="near-duplicate",
            severity="warning",
            message=f"{skill.path} and {twin.state} {twin.name!r} are nearly the same "
            f"({twin.similarity:.2f})",
            hint="Merge them, or say in each what belongs to the other.",
        )
        for at, skill in enumerate(skills)
        for twin in near_duplicates(skill.name, skill_text(skill), skills[at + 1 :], similarity)
    ]


def budget_findings(skills: Sequence[Skill]) -> list[Finding]:
    """Return a warning where the promoted skills' listing is larger than agents show."""
    size = sum(len(skill.name) + len(skill_text(skill)) + 6 for skill in skills)
    if size <= LISTING_BUDGET:
        return []
    return [
        Finding(
            rule="listing-budget",
            severity="warning",
            message=f"{len(skills)} promoted skills list as {size} characters of {LISTING_BUDGET}",
            hint="Agents drop descriptions beyond it: link fewer, or hand out matches instead.",
        )
    ]
