"""Lessons that may be one: suggested to a person, never merged."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memskill.records import Lesson
from memskill.sources.terms import terms

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# Share of words that two symptoms have in common, of all words in both.
LEAST_SHARE = 0.6
# Cosine of two symptoms by the shipped encoder. Of 20 pairs that we wrote of one failure in two
# wordings 14 reach it, of 150 pairs of different failures of one tool 2.
LEAST_COSINE = 0.65
# What a tool says before any of its errors makes all of them alike.
_HEAD = re.compile(
    r"^\W*(?:npm (?:err!|error)(?: code\b)?|(?:fatal|error response from daemon|error from server"
    r"|error|err|warning)\b)[\s:!]*",
    re.I,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Likeness:
    """A lesson that may say the same as another one, and by what that shows."""

    lesson: Lesson
    # Jaccard's index of the words of both signatures, in [0, 1].
    share: float
    # Of the symptoms; None where no encoder was asked.
    cosine: float | None = None


def symptom_text(lesson: Lesson) -> str:
    """Return what is encoded of a lesson to find its like."""
    return _HEAD.sub("", lesson.symptom) or lesson.symptom


def similar_lessons(
    lesson: Lesson,
    others: Iterable[Lesson],
    vectors: Mapping[str, npt.NDArray[np.float32]] | None = None,
) -> list[Likeness]:
    """Return lessons of the same tool whose symptom may be the same, the likeliest first.

    The same symptom in another project has share 1. Ties by id.

    Args:
        lesson: The one to find the like of.
        others: Where to look; it may be among them.
        vectors: Lesson id -> unit vector (d,) of its `symptom_text`; without one, words decide.
    """
    own, known = _words(lesson), vectors or {}
    found: list[Likeness] = []
    for other in others:
        if other.id == lesson.id or other.tool != lesson.tool:
            continue
        words = _words(other)
        share = len(own & words) / len(own | words) if own | words else 0.0
        cosine = None
        if lesson.id in known and other.id in known:
            cosine = round(float(known[lesson.id] @ known[other.id]), 4)
        if share >= LEAST_SHARE or (cosine or 0.0) >= LEAST_COSINE:
            found.append(Likeness(lesson=other, share=round(share, 4), cosine=cosine))
    return sorted(found, key=lambda one: (-max(one.share, one.cosine or 0.0), one.lesson.id))


def _words(lesson: Lesson) -> frozenset[str]:
    return frozenset(terms(lesson.signature))
