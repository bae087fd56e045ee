"""The cases that went wrong, each with its cause and with how its candidates were scored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from memskill.match.cases import Case, facts_of, is_judged, returned
from memskill.match.grouping import group_key
from memskill.match.statistics import decision_right
from memskill.records import Field

# Candidates that are shown of a wrong case; right ones further down are shown too.
_SHOWN = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainRow:
    """One candidate of a wrong case, with the numbers that made its place."""

    # From 1.
    place: int
    name: str
    label: str
    kept: bool
    score: float
    rerank_score: float | None
    cosine: float
    clause: float
    lexical: float
    negative: float
    matched_on: Field


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongCase:
    """A task that was not decided (without a floor: not ordered) rightly."""

    task: str
    project: str | None
    kind: str
    group: str
    expected: tuple[str, ...]
    forbidden: tuple[str, ...]
    returned: tuple[str, ...]
    # "false fire", "not shortlisted", "passed over" (shortlisted, not reranked), "outranked",
    # "below the floor" or "not first".
    cause: str
    candidates: tuple[ExplainRow, ...]


def wrong_cases(cases: Sequence[Case], floor: float | None, limit: int) -> list[WrongCase]:
    """Return every wrong case, in the order of `cases`."""
    found: list[WrongCase] = []
    for case in cases:
        if not (cause := _cause(case, floor, limit)):
            continue
        kept = () if floor is None else returned(case, floor, limit)
        found.append(
            WrongCase(
                task=case.task.text,
                project=case.task.project,
                kind=case.task.kind,
                group=group_key(case.task) if case.task.group or case.task.expected else "",
                expected=case.task.expected,
                forbidden=case.task.forbidden,
                returned=tuple(one.name for one in kept),
                cause=cause,
                candidates=_explain(case, {one.name for one in kept}),
            )
        )
    return found


def _cause(case: Case, floor: float | None, limit: int) -> str:
    """Return why a case is wrong, "" where it is right."""
    facts = facts_of(case, lambda one: one.score, limit)
    if floor is not None and decision_right(case, facts, floor, limit):
        return ""
    if floor is not None and facts.fire_task and facts.wrong >= floor:
        return "false fire"
    if floor is None and (not facts.right_task or facts.rank == 0):
        return ""
    if facts.rank is None:
        return "not shortlisted"
    if facts.rank >= len(case.decision.candidates):
        return "passed over"
    if facts.rank >= limit:
        return "outranked"
    if floor is not None and facts.right < floor:
        return "below the floor"
    return "not first"


def _explain(case: Case, kept: set[str]) -> tuple[ExplainRow, ...]:
    return tuple(
        ExplainRow(
            place=place,
            name=one.name,
            label=_label(case, one.name),
            kept=one.name in kept,
            score=one.score,
            rerank_score=one.rerank_score,
            cosine=one.cosine,
            clause=one.clause,
            lexical=one.lexical,
            negative=one.negative,
            matched_on=one.matched_on,
        )
        for place, one in enumerate(case.decision.candidates, start=1)
        if place <= _SHOWN or one.name in case.task.expected
    )


def _label(case: Case, name: str) -> str:
    if name in case.task.expected:
        return "right"
    return "wrong" if is_judged(case.task, name) else "unjudged"
