"""Skills that say nearly the same, by whatever measure of likeness the caller brings."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memskill.records import Skill, State

# Likeness of one text with each of several, in [-1, 1]; 1 is the same.
Similarity = Callable[[str, Sequence[str]], Sequence[float]]
# A report, never a gate. With the shipped encoder, of 200 public skills of different names one in
# ten has a neighbour that near; of reworded copies of one skill, one in four.
DUPLICATE_AT = 0.8
_WORD = re.compile(r"[^\W_]{3,}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Duplicate:
    """Another skill or draft that is near, and how near."""

    name: str
    state: State
    # In [-1, 1], rounded to 4 places.
    similarity: float


def nearest(
    text: str, skills: Sequence[Skill], similarity: Similarity, limit: int
) -> list[tuple[Skill, float]]:
    """Return at most `limit` skills with their likeness to a text, nearest first, ties by name."""
    if not skills:
        return []
    scores = similarity(text, [skill_text(skill) for skill in skills])
    paired = [(skill, round(float(score), 4)) for skill, score in zip(skills, scores, strict=True)]
    return sorted(paired, key=lambda pair: (-pair[1], pair[0].name, pair[0].path))[:limit]


def near_duplicates(
    name: str, text: str, skills: Sequence[Skill], similarity: Similarity
) -> list[Duplicate]:
    """Return the skills and drafts of another name that are nearly this one, nearest first."""
    others = [skill for skill in skills if skill.name != name]
    return [
        Duplicate(name=skill.name, state=skill.state, similarity=score)
        for skill, score in nearest(text, others, similarity, limit=5)
        if score >= DUPLICATE_AT
    ]


def skill_text(skill: Skill) -> str:
    """Return what a skill is compared by: its two matched fields."""
    return f"{skill.description} {skill.when_to_use}".strip()


def lexical_similarity(text: str, others: Sequence[str]) -> list[float]:
    """Return the share of common words (Jaccard) in [0, 1]; for where no encoder is at hand."""
    words = _words(text)
    found: list[float] = []
    for other in map(_words, others):
        union = len(words | other)
        found.append(len(words & other) / union if union else 0.0)
    return found


def _words(text: str) -> frozenset[str]:
    return frozenset(word.lower() for word in _WORD.findall(text))
