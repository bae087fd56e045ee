"""What was asked and answered, and what people said of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from memskill.store.base import Connection, one

Verdict = Literal["useful", "wrong", "missing"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One task with what was returned for it."""

    # 32 hex digits, made when it was asked.
    id: str
    # UTC without zone, as the columns hold it.
    at: datetime
    task: str
    project: str | None
    floor: float
    # Fingerprint of the catalogue that answered.
    snapshot: str
    # JSON: [[name, score], ...], best first.
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What a person or an agent said of one match."""

    id: str
    at: datetime
    verdict: Verdict
    # "" where something is missing and nobody knows what.
    skill: str
    # One of the two says what is meant; "" for the other.
    task: str = ""
    match_id: str = ""
    note: str = ""
    # Known from the match alone.
    project: str | None = None


class FeedbackQueries(Connection):
    """Reads and writes of matches asked and feedback given. Writes belong in `transaction()`."""

    def known_log_ids(self, ids: Iterable[str]) -> set[str]:
        """Return which of these records are kept already."""
        import polars as pl

        frame = pl.DataFrame({"id": sorted(set(ids))}, schema={"id": pl.String})
        with self._incoming(frame):
            return {str(found) for (found,) in self._rows("known_log_ids")}

    def add_asked(self, asked: Iterable[Asked]) -> None:
        """Keep what was asked; a known id stays as it is."""
        import polars as pl

        rows = [
            {
                "id": row.id,
                "asked_at": row.at,
                "task": row.task,
                "project": row.project,
                "floor": row.floor,
                "snapshot": row.snapshot,
                "answer": row.answer,
            }
            for row in asked
        ]
        texts = dict.fromkeys(("id", "task", "project", "snapshot", "answer"), pl.String)
        schema = texts | {"asked_at": pl.Datetime("us"), "floor": pl.Float64}
        self._load("insert_match_log", rows, schema)

    def add_feedback(self, said: Iterable[Feedback]) -> None:
        """Keep what was said, after `add_asked`; a known id stays as it is."""
        import polars as pl

        rows = [
            {
                "id": row.id,
                "said_at": row.at,
                "verdict": row.verdict,
                "skill_name": row.skill,
                "task": row.task or None,
                "match_id": row.match_id or None,
                "note": row.note,
            }
            for row in said
        ]
        names = ("id", "verdict", "skill_name", "task", "match_id", "note")
        schema = dict.fromkeys(names, pl.String) | {"said_at": pl.Datetime("us")}
        self._load("insert_feedback", rows, schema)

    def expired(self, before: datetime) -> int:
        """Return how many records are older than `before`."""
        return int(one(self._rows("expired_log_rows", before=before), "expired")[0])

    def forget(self, before: datetime) -> None:
        """Forget what was asked and said before a moment."""
        self._run("delete_feedback", before=before)
        self._run("delete_match_log", before=before)

    def asked(self) -> list[Asked]:
        """Return everything that was asked, oldest first."""
        return [
            Asked(
                id=key, at=at, task=task, project=project, floor=floor, snapshot=snapshot,
                answer=answer,
            )
            for key, at, task, project, floor, snapshot, answer in self._rows("list_match_log")
        ]  # fmt: skip

    def feedback(self) -> list[Feedback]:
        """Return everything that was said, oldest first."""
        return [
            Feedback(
                id=key, at=at, verdict=verdict, skill=skill, task=task, match_id=match or "",
                note=note, project=project,
            )
            for key, match, at, verdict, task, skill, note, project in self._rows("list_feedback")
        ]  # fmt: skip
