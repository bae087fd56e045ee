"""Lessons that a pasted error message meets, by the signature that made their key."""

from __future__ import annotations

from collections.abc import Iterable

from memskill.lessons.signature import signature_of, symptom_of
from memskill.records import Lesson
from memskill.sources.terms import terms
from memskill.sources.transcripts.values import plain

# Lines of a paste that are looked at, its ends first: an error stands near one of them.
_MOST_LINES = 60
# Below this share of common words two messages are two messages.
LEAST_SHARE = 0.5
# A single word in common says nothing.
_LEAST_WORDS = 2


def pasted_lessons(text: str, lessons: Iterable[Lesson]) -> dict[str, float]:
    """Return lesson id -> how well the text holds its symptom, in (0, 1]; 1 is the same symptom.

    Every line of the text, and the one that `symptom_of` picks, is normalised as the lesson's
    own symptom was. Else the share is Jaccard's index of the words of both, at least
    `LEAST_SHARE`. Names of branches, which only the lesson's session knew, match anything.
    """
    signatures = {signature_of(line) for line in _lines(text)} - {""}
    said = [(one, frozenset(terms(one.replace("<branch>", "")))) for one in sorted(signatures)]
    found: dict[str, float] = {}
    for lesson in lessons:
        own = frozenset(terms(lesson.signature.replace("<branch>", "")))
        share = max((_share(lesson, own, sig, words) for sig, words in said), default=0.0)
        if share >= LEAST_SHARE:
            found[lesson.id] = share
    return found


def _share(lesson: Lesson, own: frozenset[str], signature: str, words: frozenset[str]) -> float:
    if signature == lesson.signature:
        return 1.0
    common = own & words
    if len(common) < _LEAST_WORDS:
        return 0.0
    return len(common) / len(own | words)


def _lines(text: str) -> list[str]:
    # `git push` after a prompt, or a timestamp before the error, is no part of it.
    lines = [line.strip(" \t>$") for line in plain(text).splitlines() if line.strip()]
    half = _MOST_LINES // 2
    near = lines if len(lines) <= _MOST_LINES else [*lines[:half], *lines[-half:]]
    return [symptom_of(text), *(line[:2_000] for line in near)]
