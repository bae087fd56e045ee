"""The abstention curve: what each possible floor would answer, miss and wrongly answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from memskill.match.cases import Case, facts_of


@dataclass(frozen=True, slots=True, kw_only=True)
class AbstentionPoint:
    """What one floor does; shares in [0, 1], None where there is nothing to share out."""

    floor: float
    # Share of all tasks that get an answer.
    answered: float
    # Share of the tasks that something fits that get a right skill.
    recall: float | None
    # Share of the returned skills that are right.
    precision: float | None
    # Share of the tasks for which something must not be returned that get it.
    false_fire: float | None


def abstention_curve(
    cases: Sequence[Case], *, limit: int = 3, points: int = 51
) -> list[AbstentionPoint]:
    """Return at most `points` floors in rising order, spread evenly over the tasks' best scores.

    The first is 0, which answers every task that has a candidate. Risk against coverage: El-Yaniv,
    Wiener, "On the foundations of noise-free selective classification", JMLR 2010.
    """
    facts = [facts_of(case, lambda one: one.score, limit) for case in cases]
    tops = np.array([one.top for one in facts])
    right = np.array([one.right for one in facts if one.right_task])
    wrong = np.array([one.wrong for one in facts if one.fire_task])
    answers = [answer for one in facts for answer in one.answers]
    values = np.array([value for value, _ in answers])
    labels = np.array([label for _, label in answers])
    curve: list[AbstentionPoint] = []
    for floor in _floors(tops, points):
        kept = labels[values >= floor]
        curve.append(
            AbstentionPoint(
                floor=floor,
                answered=float((tops >= floor).mean()),
                recall=float((right >= floor).mean()) if right.size else None,
                precision=float(kept.mean()) if kept.size else None,
                false_fire=float((wrong >= floor).mean()) if wrong.size else None,
            )
        )
    return curve


def _floors(tops: np.ndarray[tuple[int], np.dtype[np.float64]], points: int) -> list[float]:
    scores = tops[np.isfinite(tops)]
    if not scores.size:
        return []
    # "higher" gives scores that occur: the curve's steps lie where a task falls silent.
    spread = np.quantile(scores, np.linspace(0, 1, points - 1), method="higher")
    return [0.0, *sorted({float(score) for score in spread} - {0.0})]
