"""Which columns a table of each kind of record has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from memskill.draft.duplicates import Duplicate
from memskill.draft.rubric import Score
from memskill.explore.quality import Confusion, Disagreement, Greedy, Placed
from memskill.match.abstention import AbstentionPoint
from memskill.match.evaluate import GroupRow
from memskill.match.measures import Bin, Estimate
from memskill.match.notesearch import Hit, HitCandidate
from memskill.match.wrong import ExplainRow, WrongCase
from memskill.pipeline.context import ContextItem
from memskill.pipeline.lint import LintReport
from memskill.pipeline.transcripts import TranscriptCounts
from memskill.records import (
    Candidate,
    Finding,
    Lesson,
    Match,
    Node,
    NoteHit,
    Skill,
    Skipped,
    Task,
)
from memskill.store import LessonMoment

Cell: TypeAlias = "str | int | float | bool | None"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column's head, and what stands in it for a record."""

    name: str
    value: Callable[[Any], Cell]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A measure of an evaluation by its name, so that measures make a table."""

    name: str
    estimate: Estimate


def columns_of(kind: type) -> tuple[Column, ...]:
    """Return the columns of one kind of record."""
    return _COLUMNS[kind]


def _plain(*names: str, **heads: str) -> tuple[Column, ...]:
    """Return columns that hold fields as they are; `heads` renames one."""
    return tuple(
        Column(
            name=heads.get(name, name.replace("_", " ")), value=lambda one, f=name: _cell(one, f)
        )
        for name in names
    )


def _cell(one: object, field: str) -> Cell:
    value: Any = getattr(one, field)
    return ", ".join(value) if isinstance(value, tuple) else value  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]


def _count(report: LintReport, severity: str) -> int:
    return sum(finding.severity == severity for finding in report.findings)


def _part(name: str) -> Column:
    return Column(name=name, value=lambda one: getattr(one.estimate, name))


def _severity(name: str) -> Column:
    return Column(name=f"{name}s", value=lambda one: _count(one, name))


def _of_hit(field: str) -> Column:
    return Column(name=field, value=lambda one: _hit_cell(one.hit, field))


def _hit(field: str) -> Column:
    return Column(name=field, value=lambda hit: _hit_cell(hit, field))


def _hit_cell(hit: Hit, field: str) -> Cell:
    # A lesson's id is a sha: a piece of it names the lesson.
    value = _cell(hit, field)
    return (
        value[:12] if field == "id" and hit.kind == "lesson" and isinstance(value, str) else value
    )


def _command(lesson: Lesson) -> str:
    return f"{lesson.tool} {lesson.subcommand}".strip()


_LINT = (*_plain("path"), _severity("error"), _severity("warning"), _severity("info"))
_COLUMNS: Mapping[type, tuple[Column, ...]] = {
    AbstentionPoint: _plain("floor", "answered", "recall", "precision", "false_fire"),
    Bin: _plain("low", "high", "count", "score", "right"),
    Candidate: _plain(
        "name", "kept", "score", "rerank_score", "hybrid", "cosine", "clause", "lexical",
        "negative", "words", rerank_score="rerank",
    ),
    Confusion: _plain("right", "wrong", "tasks", "beaten", "margin"),
    Disagreement: _plain("task", "expected", "by_shortlist", "by_rerank", "right"),
    Duplicate: _plain("name", "state", "similarity"),
    ExplainRow: _plain(
        "place", "name", "label", "kept", "score", "rerank_score", "cosine", "clause", "lexical",
        "negative", rerank_score="rerank",
    ),
    ContextItem: _plain("score", "id", "text"),
    Finding: _plain("severity", "rule", "line", "message", "hint"),
    Greedy: _plain("name", "seen", "first", "fires", "highest"),
    GroupRow: _plain("group", "tasks", "recall_at_1", "decision_right"),
    Hit: (*_plain("score"), *map(_hit, ("kind", "id", "title"))),
    HitCandidate: (
        *map(_of_hit, ("score", "id")),
        *_plain(
            "kept", "whole", "cosine_title", "cosine", "lexical", "signature", cosine_title="title",
            cosine="passage",
        ),
    ),
    Lesson: (
        *_plain("state", "confidence", "seen", "sessions"),
        Column(name="tool", value=_command),
        *_plain("scope", "symptom"),
    ),
    LessonMoment: _plain("at", "kind", "path", "line", "command"),
    LintReport: _LINT,
    Match: _plain("score", "name", "matched_on", "when_to_use"),
    Measure: (*_plain("name", name="measure"), *map(_part, ("value", "low", "high", "count"))),
    Node: _plain("level", "address", "query", "trust"),
    NoteHit: _plain("cosine", "level", "address", "query"),
    Placed: _plain("name", "nearest", "cosine", "x", "y"),
    Score: _plain("dimension", "points", "reason"),
    Skill: _plain("name", "projects", "description"),
    Skipped: _plain("path", "line", "reason"),
    TranscriptCounts: _plain(
        "path", "format", "rows", "events", "commands", "failures", "lessons", path="file",
    ),
    Task: _plain("kind", "text", "expected", "project", "split", text="task"),
    WrongCase: _plain("cause", "kind", "task", "expected", "returned"),
}  # fmt: skip
