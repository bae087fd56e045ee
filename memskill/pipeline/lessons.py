"""Listing, showing and judging lessons."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memskill.config import Settings
from memskill.errors import ModelError, NotFound, StoreError, UsageError
from memskill.lessons.similar import Likeness, similar_lessons, symptom_text
from memskill.models.protocols import Encoder
from memskill.records import Lesson, LessonState
from memskill.sources.identity import text_sha
from memskill.store import LessonMoment, open_store
from memskill.store.base import utc_now

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

log = logging.getLogger(__name__)
_LEAST_PREFIX = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonView:
    """A lesson with what happened to it and the lessons that may be the same."""

    lesson: Lesson
    moments: tuple[LessonMoment, ...]
    # Never merged by memskill: a person may retire one of two.
    similar: tuple[Likeness, ...]


def list_lessons(
    settings: Settings, *, tool: str | None = None, state: LessonState | None = None
) -> list[Lesson]:
    """Return lessons: pinned first, retired last, then the surest first.

    Raises:
        NotFound: There is no database yet.
    """
    with open_store(settings) as store:
        found = store.lessons()
    return [
        lesson for lesson in found if tool in (None, lesson.tool) and state in (None, lesson.state)
    ]


def show_lesson(
    settings: Settings, lesson_id: str, *, encoder: Encoder | None = None
) -> LessonView:
    """Return one lesson, named by its id or the start of it.

    Args:
        settings: Names the vault and the encoder.
        lesson_id: At least 4 characters of the id.
        encoder: Used instead of the one that the settings name.

    Raises:
        NotFound: No lesson's id starts so, or there is no database yet.
        UsageError: Several do.
    """
    with open_store(settings) as store:
        lessons = store.lessons()
        lesson = _named(lessons, lesson_id)
        moments = store.lesson_moments(lesson.id)
    vectors = _vectors(settings, [one for one in lessons if one.tool == lesson.tool], encoder)
    similar = similar_lessons(lesson, lessons, vectors)
    return LessonView(lesson=lesson, moments=tuple(moments), similar=tuple(similar))


def likely_same(
    settings: Settings, lessons: Sequence[Lesson], *, encoder: Encoder | None = None
) -> dict[str, list[Likeness]]:
    """Return lesson id -> those of `lessons` that may say the same; only ids that have any.

    Args:
        settings: Names the vault and the encoder; where it cannot load, words alone decide.
        lessons: As `list_lessons` gives them.
        encoder: Used instead of the one that the settings name.
    """
    vectors = _vectors(settings, lessons, encoder)
    found = {one.id: similar_lessons(one, lessons, vectors) for one in lessons}
    return {lesson_id: like for lesson_id, like in found.items() if like}


def _vectors(
    settings: Settings, lessons: Sequence[Lesson], encoder: Encoder | None
) -> dict[str, npt.NDArray[np.float32]]:
    """Return lesson id -> vector of its symptom, of tools with several lessons."""
    from memskill.models.registry import load_encoder

    tools = Counter(one.tool for one in lessons)
    texts = {one.id: symptom_text(one) for one in lessons if tools[one.tool] > 1}
    if not texts:
        return {}
    try:
        encoder = encoder or load_encoder(settings)
    except ModelError as error:
        log.warning("likeness of lessons by shared words only: %s", error.message)
        return {}
    wanted = {text_sha(text): text for text in texts.values()}
    with open_store(settings) as store:
        known = store.vectors(wanted, encoder.fingerprint)
    if missing := sorted(wanted.keys() - known.keys()):
        encoded = encoder.encode([wanted[sha] for sha in missing])
        fresh = dict(zip(missing, encoded, strict=True))
        known |= fresh
        try:
            with open_store(settings, write=True) as store, store.transaction():
                store.add_vectors(fresh, encoder.fingerprint)
        except StoreError as error:
            log.info("vectors of symptoms are not kept: %s", error.message)
    return {lesson_id: known[text_sha(text)] for lesson_id, text in texts.items()}


def judge_lesson(settings: Settings, lesson_id: str, verdict: LessonState) -> Lesson:
    """Note a person's word on a lesson, and return the lesson as it is now.

    The word stays when the lesson is worked out anew from further transcripts.

    Raises:
        NotFound: No lesson's id starts so, or there is no database yet.
        UsageError: Several do.
    """
    with open_store(settings, write=True) as store, store.transaction():
        lesson = _named(store.lessons(), lesson_id)
        store.save_verdict(lesson.id, verdict, utc_now())
        return _named(store.lessons(), lesson.id)


def _named(lessons: list[Lesson], lesson_id: str) -> Lesson:
    found = [lesson for lesson in lessons if lesson.id.startswith(lesson_id.lower())]
    if not found or len(lesson_id) < _LEAST_PREFIX:
        raise NotFound(
            f"no lesson {lesson_id[:64]!r}",
            hint=f"`mem lessons list` shows their ids; {_LEAST_PREFIX} characters are enough.",
        )
    if len(found) > 1:
        raise UsageError(
            f"{len(found)} lessons start with {lesson_id[:64]!r}",
            hint="Name one: " + ", ".join(lesson.id[:16] for lesson in found[:5]),
        )
    return found[0]
