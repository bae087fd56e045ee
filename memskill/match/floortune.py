"""Fitting a calibration and a floor on one part of labelled tasks, and telling it on another.

The fitted part alone decides: `_fit` is handed nothing else. Parts are whole groups.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from memskill.errors import EvaluationRefused
from memskill.match.abstention import AbstentionPoint, abstention_curve
from memskill.match.cases import Case, Facts, by_logit, facts_of, recalibrated
from memskill.match.floorwarn import warnings_of
from memskill.match.grouping import components, group_key, split_by_group
from memskill.match.measures import Estimate, estimate, group_draws
from memskill.match.platt import fit_platt
from memskill.match.statistics import statistics
from memskill.match.target import Target, choose_floor
from memskill.match.wrong import WrongCase, wrong_cases
from memskill.models.calibration import Calibration
from memskill.records import Floor, Split
from memskill.sources.tasks import tasks_fingerprint

# What each part needs at the least, whatever the target.
LEAST_RIGHT = 10
LEAST_WRONG = 10
LEAST_GROUPS = 3
# Measures of the report; the others are `mem eval`'s.
_TOLD = ("recall", "precision", "first_right", "decision_right", "false_fire", "routing", "ece")


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One part of the labelled tasks, and how the floor does on it."""

    tasks: int
    groups: int
    # Tasks that something fits, and tasks for which something must not be returned.
    right: int
    wrong: int
    measures: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorFit:
    """A fitted floor with its report; equal tasks, models, target and seed give equal bytes."""

    floor: Floor
    target: str
    limit: int
    fitted: Part
    held_out: Part
    warnings: tuple[str, ...]
    # Both of the held-out part.
    curve: tuple[AbstentionPoint, ...]
    wrong: tuple[WrongCase, ...]


def tune(
    cases: Sequence[Case],
    target: Target,
    *,
    seed: int = 0,
    share: float = 0.5,
    fit_on: Collection[Split] = (),
    report_on: Collection[Split] = (),
    limit: int = 3,
    fitted_at: str = "",
    rounds: int = 1000,
) -> FloorFit:
    """Return the floor for `target`, with what it does on tasks that took no part in the fit.

    Args:
        cases: Labelled tasks with decisions of the models that the floor is for.
        target: What the floor is to reach.
        seed: Of the split and the intervals.
        share: How much of the tasks is fitted on, in whole groups.
        fit_on: Values of the tasks' own `split` to fit on, instead of a split made here.
        report_on: Values of `split` to report on; needed with `fit_on`.
        limit: How many skills are returned at most.
        fitted_at: Time to note, ISO 8601.
        rounds: Draws an interval.

    Raises:
        EvaluationRefused: Too few tasks, parts that share a group, decisions of several
            models, or no floor that reaches the target.
    """
    encoder, reranker = _models(cases)
    if fit_on or report_on:
        parts = _stated_parts(cases, fit_on, report_on)
    else:
        parts = _made_parts(cases, limit, share, seed)
    fit_cases, held_cases = ([cases[place] for place in part] for part in parts)
    require_enough(fit_cases, held_cases, target, limit)
    calibration, value = fit(fit_cases, target, limit)
    fitted, held = recalibrated(fit_cases, calibration), recalibrated(held_cases, calibration)
    floor = Floor(
        value=value,
        encoder_fingerprint=encoder,
        reranker_fingerprint=reranker,
        origin="floor.toml",
        data_fingerprint=tasks_fingerprint(case.task for case in cases),
        fitted_at=fitted_at,
        calibration=calibration.as_mapping(),
        seed=seed,
    )
    result = FloorFit(
        floor=floor,
        target=target.text,
        limit=limit,
        fitted=_part(fitted, value, limit, seed, rounds),
        held_out=_part(held, value, limit, seed, rounds),
        warnings=(),
        curve=tuple(abstention_curve(held, limit=limit)),
        wrong=tuple(wrong_cases(held, value, limit)),
    )
    told = warnings_of(
        target, result.fitted.measures, result.held_out.measures, fitted, held, value, limit
    )
    return replace(result, warnings=tuple(told))


def fit(cases: Sequence[Case], target: Target, limit: int) -> tuple[Calibration, float]:
    """Return calibration and floor (a probability) from these cases alone.

    The calibration learns from the first judged answer of each task whether it is right; the
    floor is chosen on the scores that the calibration then gives.

    Raises:
        EvaluationRefused: See `fit_platt` and `choose_floor`.
    """
    raw = by_logit(cases)
    facts = [facts_of(case, lambda one: one.decision_logit, limit) for case in raw]
    # A logit of -inf is a candidate that the reranker passed over: no answer.
    first = [one.answers[0] for one in facts if one.answers and math.isfinite(one.answers[0][0])]
    calibration = fit_platt([logit for logit, _ in first], [right for _, right in first])
    scored = recalibrated(cases, calibration)
    return calibration, choose_floor(target, [_facts(case, limit) for case in scored])


def _facts(case: Case, limit: int) -> Facts:
    return facts_of(case, lambda one: one.score, limit)


def require_enough(
    fit_cases: Sequence[Case], held_cases: Sequence[Case], target: Target, limit: int
) -> None:
    """Raise, with what is needed and what is there, where a part is too small to say anything.

    Raises:
        EvaluationRefused: `reasons` lists every shortage.
    """
    reasons: list[str] = []
    for name, cases, least in (
        ("fitted", fit_cases, target.least_counted),
        ("held-out", held_cases, 1),
    ):
        facts = [_facts(case, limit) for case in cases]
        pairs = list(zip(cases, facts, strict=True))
        right = [case for case, one in pairs if one.right_task]
        wrong = [case for case, one in pairs if one.fire_task]
        needs = [
            (len(right), LEAST_RIGHT, "tasks that a skill fits"),
            (len(wrong), LEAST_WRONG, "tasks that no skill fits, or near misses"),
            (_groups(right), LEAST_GROUPS, "groups of tasks that a skill fits"),
            (_groups(wrong), LEAST_GROUPS, "groups of tasks that no skill fits"),
        ]
        if target.kind == "false_fire":
            needs[1] = (len(wrong), max(LEAST_WRONG, least), needs[1][2])
        elif target.kind == "precision":
            answers = sum(len(one.answers) for one in facts)
            needs.append((answers, least, "judged answers"))
        reasons += [
            f"the {name} part has {has} {what}, it needs {need}"
            for has, need, what in needs
            if has < need
        ]
    if reasons:
        raise EvaluationRefused(
            f"too few labelled tasks for {target.text}",
            hint="Label more tasks, split otherwise (--seed, --share), or allow more faults.",
            reasons=reasons,
        )


def _part(cases: Sequence[Case], floor: float, limit: int, seed: int, rounds: int) -> Part:
    groups = components([case.task for case in cases])
    draws = group_draws(groups, seed=seed, rounds=rounds)
    found = statistics(cases, floor=floor, limit=limit)
    facts = [_facts(case, limit) for case in cases]
    return Part(
        tasks=len(cases),
        groups=len(set(groups)),
        right=sum(one.right_task for one in facts),
        wrong=sum(one.fire_task for one in facts),
        measures={
            name: estimate(statistic, draws, count)
            for name, (statistic, count) in found.items()
            if name.split(":")[0] in _TOLD
        },
    )


def _models(cases: Sequence[Case]) -> tuple[str, str]:
    found = {(c.decision.encoder_fingerprint, c.decision.reranker_fingerprint) for c in cases}
    if len(found) != 1:
        raise EvaluationRefused(f"the decisions come from {len(found)} pairs of models, not one")
    return found.pop()


def _made_parts(
    cases: Sequence[Case], limit: int, share: float, seed: int
) -> tuple[list[int], list[int]]:
    facts = [_facts(case, limit) for case in cases]
    classes = ([one.right_task for one in facts], [one.fire_task for one in facts])
    return split_by_group([case.task for case in cases], classes, share=share, seed=seed)


def _stated_parts(
    cases: Sequence[Case], fit_on: Collection[Split], report_on: Collection[Split]
) -> tuple[list[int], list[int]]:
    """Return the parts that the tasks' own `split` states.

    A group of tasks that nothing fits and that lies in both is reported on, not fitted on.

    Raises:
        EvaluationRefused: They overlap, or a group that a skill fits lies in both.
    """
    if not fit_on or not report_on or set(fit_on) & set(report_on):
        raise EvaluationRefused("name splits to fit on and other splits to report on")
    number = components([case.task for case in cases])
    fit_part, report_part = (
        [place for place, case in enumerate(cases) if case.task.split in splits]
        for splits in (fit_on, report_on)
    )
    both = {number[place] for place in fit_part} & {number[place] for place in report_part}
    used = (cases[place].task for place in (*fit_part, *report_part) if number[place] in both)
    if leaking := {group_key(task) for task in used if task.expected}:
        raise EvaluationRefused(
            f"{len(leaking)} groups lie in both parts: the report would know the answers",
            hint="Mend the `split` fields, or leave them out and let memskill split by group.",
            reasons=sorted(f"group {key.strip(chr(0))[:80]!r}" for key in leaking),
        )
    return [place for place in fit_part if number[place] not in both], report_part


def _groups(cases: Sequence[Case]) -> int:
    return len(set(components([case.task for case in cases])))
