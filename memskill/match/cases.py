"""A labelled task beside what the matcher made of it, as the numbers that measures need."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from memskill.match.decision import Decider, Decision, Scored
from memskill.models.calibration import Calibration
from memskill.records import Task

Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A task, the decision on it, and how long that took in all."""

    task: Task
    decision: Decision
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a case says, on one scale: calibrated score or decision logit.

    Only the first `limit` candidates can be returned; -inf says that none of them is meant.
    """

    # Something fits the task; something must not be returned for it. A near miss can be both.
    right_task: bool
    fire_task: bool
    # 0-based place of the first right skill in the whole shortlist; None: it is not in it.
    rank: int | None
    # Places of all right candidates, and how many right skills the labels name.
    ranks: tuple[int, ...]
    expected: int
    # The best candidate, whatever it is.
    top: float
    # The best right one, and the best one whose return is a false fire.
    right: float
    wrong: float
    # Value and label of each judged one, best first.
    answers: tuple[tuple[float, bool], ...]


def run_cases(
    decide: Decider, tasks: Sequence[Task], progress: Progress | None = None
) -> list[Case]:
    """Return a case a task, in order; `progress` is called with (done, all)."""
    cases: list[Case] = []
    for task in tasks:
        started = time.perf_counter()
        decision = decide(task.text, task.project)
        cases.append(
            Case(task=task, decision=decision, seconds=time.perf_counter() - started),
        )
        if progress:
            progress(len(cases), len(tasks))
    return cases


def facts_of(case: Case, value: Callable[[Scored], float], limit: int) -> Facts:
    """Return the facts of a case on the scale that `value` reads from a candidate."""
    task, candidates = case.task, case.decision.candidates
    names = (*(one.name for one in candidates), *case.decision.passed_over)
    ranks = tuple(place for place, name in enumerate(names) if name in task.expected)
    judged = [
        (value(one), one.name in task.expected)
        for one in candidates[:limit]
        if is_judged(task, one.name)
    ]
    return Facts(
        right_task=bool(task.expected),
        fire_task=is_fire_task(task),
        rank=ranks[0] if ranks else None,
        ranks=ranks,
        expected=len(task.expected),
        top=value(candidates[0]) if candidates else -math.inf,
        right=max((v for v, right in judged if right), default=-math.inf),
        wrong=max((v for v, right in judged if not right), default=-math.inf),
        answers=tuple(judged),
    )


def is_fire_task(task: Task) -> bool:
    """Return whether something could be returned for it that is a false fire."""
    return not task.expected or task.kind == "near_miss"


def is_judged(task: Task, name: str) -> bool:
    """Return whether the task's labels say anything about the skill `name`."""
    return not task.forbidden or name in task.expected or name in task.forbidden


def returned(case: Case, floor: float, limit: int) -> tuple[Scored, ...]:
    """Return what would come back: the first `limit` candidates of `floor` or more."""
    return tuple(one for one in case.decision.candidates[:limit] if one.score >= floor)


def recalibrated(cases: Iterable[Case], calibration: Calibration) -> list[Case]:
    """Return the cases with every score made anew from its decision logit, as the matcher does.

    That is: rounded once to 4 places, best first, ties by name.
    """
    return [_with(case, _scored(case, calibration)) for case in cases]


def by_logit(cases: Iterable[Case]) -> list[Case]:
    """Return the cases with candidates in order of logit, whatever made their scores."""
    return [_with(case, sorted(case.decision.candidates, key=_logit_order)) for case in cases]


def without_skill(cases: Iterable[Case], name: str) -> list[Case]:
    """Return the cases as if the skill `name` were not in the catalogue."""
    return [
        _with(case, [one for one in case.decision.candidates if one.name != name]) for case in cases
    ]


def _with(case: Case, candidates: Sequence[Scored]) -> Case:
    return replace(case, decision=replace(case.decision, candidates=tuple(candidates)))


def _logit_order(one: Scored) -> tuple[float, str]:
    return -one.decision_logit, one.name


def _scored(case: Case, calibration: Calibration) -> list[Scored]:
    found = [
        # The logit stays, so that a score can be made anew from it once more.
        replace(
            one,
            score=round(float(calibration.apply(one.decision_logit)), 4),
            logit=one.decision_logit,
        )
        for one in case.decision.candidates
    ]
    return sorted(found, key=lambda one: (-one.score, one.name))
