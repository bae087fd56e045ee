"""Lessons, what happened to them, and what people said of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from memskill.records import Lesson, LessonState
from memskill.store.base import Connection, Row, to_iso

_LESSON = (
    *("id", "tool", "subcommand", "signature", "scope", "symptom", "resolution", "command"),
    "fix_command",
)
_EVENT = ("id", "lesson_id", "session", "happened_at", "kind", "call_id", "node_sha")


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonMoment:
    """One thing that happened to a lesson, and where it stands."""

    kind: str
    session: str
    # UTC; empty where the transcript has no times.
    at: str
    path: str
    # 1-based line of the call.
    line: int
    command: str
    # Of the call's row, and behind its result, where that lies in the same file.
    byte_start: int
    byte_end: int


class LessonQueries(Connection):
    """Reads and writes of lessons. Writes belong inside `transaction()`."""

    def lessons(self) -> list[Lesson]:
        """Return all lessons: pinned first, retired last, then by confidence, tool and id."""
        return [_lesson(row) for row in self._rows("list_lessons")]

    def lesson_moments(self, lesson_id: str) -> list[LessonMoment]:
        """Return what happened to one lesson, in order."""
        return [
            LessonMoment(
                kind=kind, session=session, at=_iso(at), path=path, line=line, command=command,
                byte_start=start, byte_end=end,
            )
            for kind, session, at, path, line, command, start, end in self._rows(
                "lesson_events", lesson_id=lesson_id
            )
        ]  # fmt: skip

    def lesson_history(self) -> list[tuple[str, str, float]]:
        """Return (lesson id, day as ISO 8601, confidence then) in order of the days.

        The confidence is rounded once to 4 places; its last day's is that of `lessons`, where
        nobody has said anything since.
        """
        rows = self._rows("lesson_history")
        return [(str(one), day.isoformat(), round(float(sure), 4)) for one, day, sure in rows]

    def lessons_in(self) -> list[tuple[str, str]]:
        """Return (path, lesson id) of every file whose calls a lesson rests on."""
        return [(str(path), str(key)) for path, key in self._rows("lessons_of_transcripts")]

    def lesson_places(self) -> dict[str, tuple[str, int]]:
        """Return lesson id -> (transcript, 1-based line) of its last failure or fix."""
        return {str(one): (str(path), int(line)) for one, path, line in self._rows("lesson_places")}

    def replace_lessons(
        self,
        scopes: Iterable[str],
        lessons: Sequence[Mapping[str, object]],
        events: Sequence[Mapping[str, object]],
    ) -> None:
        """Keep the lessons of some scopes as they were worked out anew, with their events."""
        import polars as pl

        where = pl.DataFrame({"scope": sorted(set(scopes))}, schema={"scope": pl.String})
        self._load_frame("delete_lesson_events", where)
        self._load_frame("delete_lessons", where)
        self._load("insert_lessons", lessons, dict.fromkeys(_LESSON, pl.String))
        self._load("insert_lesson_events", events, dict.fromkeys(_EVENT, pl.String))

    def verdicts(self) -> list[tuple[str, LessonState, datetime]]:
        """Return (lesson id, verdict, when) of what people said, by id."""
        return [(str(i), v, at) for i, v, at in self._rows("lesson_verdicts")]

    def save_verdict(self, lesson_id: str, verdict: LessonState, at: datetime) -> None:
        """Note what a person said of a lesson."""
        self._run("save_verdict", lesson_id=lesson_id, verdict=verdict, at=at)


def _iso(moment: datetime | None) -> str:
    return to_iso(moment) if moment else ""


def _lesson(row: Row) -> Lesson:
    values = dict(zip((*_LESSON, *_COUNTED), row, strict=True))
    values |= {
        "first_seen": _iso(values["first_seen"]),
        "last_seen": _iso(values["last_seen"]),
        "confidence": round(float(values["confidence"]), 4),
        "evidence": tuple(values["evidence"] or ()),
    }
    return Lesson(**values)


_COUNTED = (
    *("state", "seen", "sessions", "fixes", "flaky", "contradictions"),
    *("first_seen", "last_seen", "confidence", "evidence"),
)
