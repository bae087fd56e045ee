"""Lessons that may be one: suggested to a person, never merged."""

from __future__ import annotations

from collections.abc import Iterable

from memskill.records import Lesson
from memskill.sources.terms import terms

# Share of words that two symptoms have in common, of all words in both.
LEAST_SHARE = 0.6


def similar_lessons(lesson: Lesson, others: Iterable[Lesson]) -> list[tuple[Lesson, float]]:
    """Return lessons of the same tool with nearly the same symptom, the nearest first.

    The share is Jaccard's index of the words of both signatures, in [0, 1]; the same symptom in
    another project has 1. Ties by id.
    """
    own = _words(lesson)
    found = [
        (other, len(own & words) / len(own | words))
        for other in others
        if other.id != lesson.id and other.tool == lesson.tool and (words := _words(other)) | own
    ]
    near = [(other, share) for other, share in found if share >= LEAST_SHARE]
    return sorted(near, key=lambda pair: (-pair[1], pair[0].id))


def _words(lesson: Lesson) -> frozenset[str]:
    return frozenset(terms(lesson.signature))
