"""Every measure of an evaluation by name, each as a function of the cases' weights.

    recall@1, recall@3, recall@K   share of tasks that something fits with a right skill among
                                   the first 1, 3, K candidates (any right one counts)
    mrr, ndcg@3                    of the same order, before the floor
    auroc:KIND                     best score of tasks that something fits against KIND
    fires@80:KIND, fires@90:KIND   share of KIND that passes the floor that keeps 80, 90 % of
                                   the tasks that something fits
    ece, brier                     of the first answer's score
    matched_on                     share of right answers that name the labelled field
  and with a floor:
    recall                         share of tasks that something fits that get a right skill
    precision                      share of the returned skills that are right
    first_right                    share of answered tasks whose first answer is right
    decision_right                 share of all tasks with the right first answer, or rightly none
    false_fire, false_fire:KIND    share of tasks of KIND that get what they must not
    routing                        share of routed and declined tasks decided rightly

K is the length of the shortlist. KIND is none, borderline, near_miss, body_trap or declined;
without one, all tasks for which there is something that must not be returned.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from memskill.match.cases import Case, Facts, facts_of, returned
from memskill.match.measures import (
    auroc,
    calibration_error,
    fires_at_kept,
    ndcg,
    reciprocal_rank,
    weighted_mean,
)

if TYPE_CHECKING:
    from memskill.match.measures import Floats, Statistic

    # Measure -> (the function of all cases' weights, how many cases it rests on).
    Statistics = dict[str, tuple[Statistic, int]]

FIRE_KINDS = ("none", "borderline", "near_miss", "body_trap", "declined")
# Measures that fall as the matcher gets better.
LOWER_IS_BETTER = ("fires@", "false_fire", "ece", "brier")


def statistics(
    cases: Sequence[Case], *, floor: float | None, limit: int = 3, k: int = 20
) -> Statistics:
    """Return the measures that these cases can say something about, in the order above.

    Args:
        cases: Tasks with their decisions.
        floor: The least score that is returned; None leaves out what needs one.
        limit: How many skills are returned at most.
        k: The length of the shortlist.
    """
    facts = [facts_of(case, lambda one: one.score, limit) for case in cases]
    found = _order(facts, k) | _separation(cases, facts) | _calibration(cases)
    if floor is not None:
        found |= _decision(cases, facts, floor, limit)
    return {name: pair for name, pair in found.items() if pair[1]}


def decision_right(case: Case, facts: Facts, floor: float, limit: int) -> bool:
    """Return whether the whole decision is right: the first answer, or rightly no answer."""
    if facts.fire_task and facts.wrong >= floor:
        return False
    if not facts.right_task:
        return True
    first = returned(case, floor, limit)[:1]
    return bool(first) and first[0].name in case.task.expected


def first_answers(cases: Sequence[Case]) -> tuple[Floats, Floats, list[int]]:
    """Return score, label (0 or 1) and place of each first candidate that is judged."""
    rows = [
        (facts.answers[0], place)
        for place, facts in enumerate(facts_of(case, lambda one: one.score, 1) for case in cases)
        if facts.answers
    ]
    scores = np.array([answer[0] for answer, _ in rows], dtype=np.float64)
    right = np.array([answer[1] for answer, _ in rows], dtype=np.float64)
    return scores, right, [place for _, place in rows]


def _order(facts: Sequence[Facts], k: int) -> Statistics:
    places = [i for i, one in enumerate(facts) if one.right_task]
    right = [facts[i] for i in places]

    def mean(value: Callable[[Facts], float]) -> tuple[Statistic, int]:
        return _mean([value(one) for one in right], places)

    def within(depth: int) -> Callable[[Facts], float]:
        return lambda one: float(one.rank is not None and one.rank < depth)

    found = {f"recall@{depth}": mean(within(depth)) for depth in sorted({1, 3, k})}
    found["mrr"] = mean(lambda one: reciprocal_rank(one.rank))
    found["ndcg@3"] = mean(lambda one: ndcg(one.ranks, one.expected, 3))
    return found


def _separation(cases: Sequence[Case], facts: Sequence[Facts]) -> Statistics:
    # A near miss that another skill fits is in neither camp.
    right = [i for i, one in enumerate(facts) if one.right_task and not one.fire_task]
    tops = np.array([facts[i].top for i in right], dtype=np.float64)
    found: Statistics = {}
    for kind, wrong in _fire_places(cases, facts).items():
        bad = np.array([facts[i].wrong for i in wrong], dtype=np.float64)
        count = len(wrong) if right else 0

        def area(weights: Floats, wrong: list[int] = wrong, bad: Floats = bad) -> float:
            return auroc(tops, bad, weights[right], weights[wrong])

        found["auroc" + kind] = (area, count)
        for percent in (80, 90):

            def fires(
                weights: Floats,
                wrong: list[int] = wrong,
                bad: Floats = bad,
                kept: float = percent / 100,
            ) -> float:
                return fires_at_kept(tops, bad, kept, weights[right], weights[wrong])

            found[f"fires@{percent}{kind}"] = (fires, count)
    return found


def _calibration(cases: Sequence[Case]) -> Statistics:
    scores, right, places = first_answers(cases)
    fields = [
        (place, float(one.matched_on == case.task.matched_on))
        for place, case in enumerate(cases)
        if case.task.matched_on
        for one in [c for c in case.decision.candidates if c.name in case.task.expected][:1]
    ]
    return {
        "ece": (lambda w: calibration_error(scores, right, w[places]), len(places)),
        # Brier, "Verification of forecasts expressed in terms of probability", 1950.
        "brier": _mean(list((scores - right) ** 2), places),
        "matched_on": _mean([same for _, same in fields], [place for place, _ in fields]),
    }


def _decision(
    cases: Sequence[Case], facts: Sequence[Facts], floor: float, limit: int
) -> Statistics:
    right = [i for i, one in enumerate(facts) if one.right_task]
    passed = [[ok for value, ok in one.answers if value >= floor] for one in facts]
    answered = [i for i, answers in enumerate(passed) if answers]
    decided = [
        float(decision_right(case, one, floor, limit))
        for case, one in zip(cases, facts, strict=True)
    ]
    routed = [i for i, case in enumerate(cases) if case.task.kind in ("routed", "declined")]
    given = np.array([len(answers) for answers in passed], dtype=np.float64)
    good = np.array([sum(answers) for answers in passed], dtype=np.float64)

    def precision(weights: Floats) -> float:
        total = float(given @ weights)
        return float(good @ weights) / total if total else math.nan

    found: Statistics = {
        "recall": _mean([float(facts[i].right >= floor) for i in right], right),
        "precision": (precision, int(given.sum())),
        "first_right": _mean([float(passed[i][0]) for i in answered], answered),
        "decision_right": _mean(decided, list(range(len(cases)))),
    }
    for kind, wrong in _fire_places(cases, facts).items():
        found["false_fire" + kind] = _mean([float(facts[i].wrong >= floor) for i in wrong], wrong)
    found["routing"] = _mean([decided[i] for i in routed], routed)
    return found


def _fire_places(cases: Sequence[Case], facts: Sequence[Facts]) -> Mapping[str, list[int]]:
    """Return ":KIND" -> places of its tasks, and "" -> those of all kinds."""
    every = [i for i, one in enumerate(facts) if one.fire_task]
    by_kind = {f":{kind}": [i for i in every if cases[i].task.kind == kind] for kind in FIRE_KINDS}
    return {"": every} | {kind: places for kind, places in by_kind.items() if places}


def _mean(values: Sequence[float], places: list[int]) -> tuple[Statistic, int]:
    """Return the mean of `values`, which belong to the cases at `places`."""
    array = np.array(values, dtype=np.float64)
    return (lambda weights: weighted_mean(array, weights[places])), len(places)
