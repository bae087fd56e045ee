"""The catalogue as a list that can be searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memskill.match.snapshot import Snapshot
from memskill.pipeline.matching import Matching
from memskill.records import Skill

PAGE_SIZE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CatalogueView:
    """One page of the skills that were found."""

    skills: Sequence[Skill]
    found: int
    total: int
    projects: Sequence[str]
    page: int
    pages: int


def catalogue_view(snapshot: Snapshot, query: str, project: str, page: int) -> CatalogueView:
    """Return the promoted skills that hold every word of `query`, by name.

    Args:
        snapshot: The catalogue.
        query: Words or parts of words, looked for in the name and the two matched fields.
        project: Only what this project may see; empty: all.
        page: Which page, from 1; one past the last is the last.
    """
    words = query.casefold().split()
    seen = Matching.visible(snapshot, project or None)
    found = [skill for skill in seen if all(word in _text(skill) for word in words)]
    pages = max(1, -(-len(found) // PAGE_SIZE))
    page = min(page, pages)
    return CatalogueView(
        skills=found[(page - 1) * PAGE_SIZE : page * PAGE_SIZE],
        found=len(found),
        total=len(snapshot.skills),
        projects=projects_of(snapshot),
        page=page,
        pages=pages,
    )


def projects_of(snapshot: Snapshot) -> list[str]:
    """Return the projects that any skill names, in order."""
    return sorted({name for skill in snapshot.skills.values() for name in skill.projects})


def _text(skill: Skill) -> str:
    return f"{skill.name} {skill.description} {skill.when_to_use}".casefold()
