"""A report on how well the matcher orders and decides, and how two settings differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from memskill.errors import EvaluationRefused
from memskill.match.abstention import AbstentionPoint, abstention_curve
from memskill.match.cases import Case, facts_of
from memskill.match.grouping import components, group_key
from memskill.match.measures import Bin, Estimate, estimate, group_draws, reliability
from memskill.match.statistics import decision_right, first_answers, statistics
from memskill.match.wrong import WrongCase, wrong_cases


@dataclass(frozen=True, slots=True, kw_only=True)
class Latency:
    """How long one stage took, in milliseconds."""

    p50_ms: float
    p95_ms: float


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupRow:
    """One group of tasks; None where none of its tasks could show it."""

    group: str
    tasks: int
    # Share of the tasks that something fits with a right skill first.
    recall_at_1: float | None
    # Share decided rightly; None without a floor.
    decision_right: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationReport:
    """What labelled tasks say of the matcher. All but `latency` is the same at every run."""

    tasks: int
    # Components that intervals are resampled by.
    groups: int
    kinds: Mapping[str, int]
    encoder_fingerprint: str
    reranker_fingerprint: str
    # None: no floor fits these models, and measures that need one are left out.
    floor: float | None
    floor_origin: str
    limit: int
    seed: int
    # In the order and with the meaning of `match.statistics`.
    measures: Mapping[str, Estimate]
    abstention: Sequence[AbstentionPoint]
    reliability: Sequence[Bin]
    by_group: Sequence[GroupRow]
    wrong: Sequence[WrongCase]
    # Stage -> time a task; "total" is what a caller waited.
    latency: Mapping[str, Latency]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Two settings on the same tasks: the first minus the second, drawn together."""

    first: str
    second: str
    differences: Mapping[str, Estimate]
    # Tasks that only the first, and only the second, decides (without floors: orders) rightly.
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]


def evaluate(
    cases: Sequence[Case],
    *,
    floor: float | None,
    floor_origin: str = "",
    limit: int = 3,
    k: int = 20,
    seed: int = 0,
    rounds: int = 1000,
) -> EvaluationReport:
    """Return the report on `cases`.

    Args:
        cases: Tasks with their decisions, all of the same models.
        floor: The least score that is returned, or None.
        floor_origin: Where the floor came from.
        limit: How many skills are returned at most.
        k: The length of the shortlist.
        seed: Of the intervals.
        rounds: Draws an interval.

    Raises:
        EvaluationRefused: There is no case.
    """
    _some(cases)
    groups = components([case.task for case in cases])
    draws = group_draws(groups, seed=seed, rounds=rounds)
    found = statistics(cases, floor=floor, limit=limit, k=k)
    first = first_answers(cases)
    return EvaluationReport(
        tasks=len(cases),
        groups=len(set(groups)),
        kinds=dict(sorted(Counter(case.task.kind for case in cases).items())),
        encoder_fingerprint=cases[0].decision.encoder_fingerprint,
        reranker_fingerprint=cases[0].decision.reranker_fingerprint,
        floor=floor,
        floor_origin=floor_origin,
        limit=limit,
        seed=seed,
        measures={name: estimate(s, draws, count) for name, (s, count) in found.items()},
        abstention=abstention_curve(cases, limit=limit),
        reliability=reliability(first[0], first[1]),
        by_group=_by_group(cases, floor, limit),
        wrong=wrong_cases(cases, floor, limit),
        latency=_latency(cases),
    )


def compare(
    first: Sequence[Case],
    second: Sequence[Case],
    *,
    names: tuple[str, str],
    floors: tuple[float | None, float | None],
    limit: int = 3,
    k: int = 20,
    seed: int = 0,
    rounds: int = 1000,
) -> Comparison:
    """Return how the first setting differs from the second on the same tasks.

    Both are measured on the same draws of groups, so that what makes a task hard for both
    drops out of the difference.

    Raises:
        EvaluationRefused: The tasks differ, or there is none.
    """
    _some(first)
    if [case.task for case in first] != [case.task for case in second]:
        raise EvaluationRefused("a paired comparison needs the same tasks on both sides")
    draws = group_draws(components([case.task for case in first]), seed=seed, rounds=rounds)
    ours = statistics(first, floor=floors[0], limit=limit, k=k)
    theirs = statistics(second, floor=floors[1], limit=limit, k=k)
    differences = {
        name: estimate(
            lambda w, a=ours[name][0], b=theirs[name][0]: a(w) - b(w), draws, count, exact=False
        )
        for name, (_, count) in ours.items()
        if name in theirs
    }
    both = None not in floors
    right = [
        {case.task.text for case in cases if _is_right(case, floor if both else None, limit)}
        for cases, floor in zip((first, second), floors, strict=True)
    ]
    return Comparison(
        first=names[0],
        second=names[1],
        differences=differences,
        only_first=tuple(sorted(right[0] - right[1])),
        only_second=tuple(sorted(right[1] - right[0])),
    )


def _is_right(case: Case, floor: float | None, limit: int) -> bool:
    facts = facts_of(case, lambda one: one.score, limit)
    if floor is None:
        return facts.rank == 0
    return decision_right(case, facts, floor, limit)


def _some(cases: Sequence[Case]) -> None:
    if not cases:
        raise EvaluationRefused(
            "there is no task to evaluate", hint="Check --split and the file's `split` fields."
        )


def _by_group(cases: Sequence[Case], floor: float | None, limit: int) -> list[GroupRow]:
    groups: dict[str, list[Case]] = {}
    for case in cases:
        # A task that belongs nowhere is no group of its own.
        named = case.task.group or case.task.expected or case.task.forbidden
        groups.setdefault(group_key(case.task) if named else "", []).append(case)

    def share(members: Sequence[Case], is_right: Callable[[Case], bool]) -> float | None:
        return sum(map(is_right, members)) / len(members) if members else None

    return [
        GroupRow(
            group=group,
            tasks=len(members),
            recall_at_1=share(
                [case for case in members if case.task.expected],
                lambda case: _is_right(case, None, limit),
            ),
            decision_right=None
            if floor is None
            else share(members, lambda case: _is_right(case, floor, limit)),
        )
        for group, members in sorted(groups.items())
    ]


def _latency(cases: Sequence[Case]) -> dict[str, Latency]:
    stages: dict[str, list[float]] = {}
    for case in cases:
        for stage, seconds in case.decision.seconds.items():
            stages.setdefault(stage, []).append(seconds * 1000)
        stages.setdefault("total", []).append(case.seconds * 1000)
    return {
        stage: Latency(
            p50_ms=float(np.percentile(times, 50)), p95_ms=float(np.percentile(times, 95))
        )
        for stage, times in stages.items()
    }
