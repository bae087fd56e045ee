"""Listing, showing and judging lessons."""

from __future__ import annotations

from dataclasses import dataclass

from memskill.config import Settings
from memskill.errors import NotFound, UsageError
from memskill.lessons.similar import similar_lessons
from memskill.records import Lesson, LessonState
from memskill.store import LessonMoment, open_store
from memskill.store.base import utc_now

_LEAST_PREFIX = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonView:
    """A lesson with what happened to it and the lessons that may be the same."""

    lesson: Lesson
    moments: tuple[LessonMoment, ...]
    # Never merged by memskill: a person may retire one of two.
    similar: tuple[Lesson, ...]


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


def show_lesson(settings: Settings, lesson_id: str) -> LessonView:
    """Return one lesson, named by its id or the start of it.

    Raises:
        NotFound: No lesson's id starts so, or there is no database yet.
        UsageError: Several do.
    """
    with open_store(settings) as store:
        lessons = store.lessons()
        lesson = _named(lessons, lesson_id)
        moments = store.lesson_moments(lesson.id)
    similar = [other for other, _ in similar_lessons(lesson, lessons)]
    return LessonView(lesson=lesson, moments=tuple(moments), similar=tuple(similar))


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
