"""Measures of order and of decision, each over weighted cases, so that one bootstrap fits all.

A weight says how often a case counts: 1 each for the measure itself, the number of times that
its group was drawn for an interval. A measure of nothing is NaN. scikit-learn has several of
these; a test holds ours equal to it, and evaluation stays within the default install.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias, cast

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]
    # Weights (n,) of all cases -> the measure.
    Statistic: TypeAlias = Callable[[Floats], float]

BINS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A measure with its 95 % interval; None where there is nothing to measure."""

    value: float | None
    low: float | None
    high: float | None
    # How many cases it rests on.
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bin:
    """One row of a reliability table: first answers whose score lies in [low, high)."""

    low: float
    high: float
    count: int
    # Mean score, and the share of them that were right.
    score: float
    right: float


def weighted_mean(values: Floats, weights: Floats) -> float:
    """Return the mean of `values`, each counted `weights` times."""
    total = float(weights.sum())
    return float(values @ weights) / total if total else math.nan


def reciprocal_rank(rank: int | None) -> float:
    """Return 1 / place of the first right answer, 0 where there is none.

    Its mean is MRR: Voorhees, "The TREC-8 question answering track report", 1999.
    """
    return 0.0 if rank is None else 1.0 / (rank + 1)


def ndcg(ranks: Sequence[int], right: int, k: int) -> float:
    """Return nDCG@k with gains of 1 for the right answers at the 0-based `ranks`.

    Jarvelin, Kekalainen, "Cumulated gain-based evaluation of IR techniques", TOIS 2002, with
    the discount 1 / log2(place + 1).

    Args:
        ranks: Places of the right answers that were found.
        right: How many there are in all, at least 1.
        k: How many places count.
    """
    gain = sum(1 / math.log2(rank + 2) for rank in ranks if rank < k)
    return gain / sum(1 / math.log2(place + 2) for place in range(min(right, k)))


def auroc(positive: Floats, negative: Floats, w_positive: Floats, w_negative: Floats) -> float:
    """Return the chance that a positive outscores a negative, ties counting half; in [0, 1].

    The area under the ROC curve as a rank statistic: Hanley, McNeil, Radiology 1982.
    """
    _, place = np.unique(np.concatenate([positive, negative]), return_inverse=True)
    size = int(place.max()) + 1 if place.size else 0
    above = np.bincount(place[: positive.size], w_positive, minlength=size)
    below = np.bincount(place[positive.size :], w_negative, minlength=size)
    pairs = float(w_positive.sum() * w_negative.sum())
    beaten = np.cumsum(below) - below / 2
    return float(above @ beaten) / pairs if pairs else math.nan


def fires_at_kept(
    right: Floats, wrong: Floats, kept: float, w_right: Floats, w_wrong: Floats
) -> float:
    """Return the share of `wrong` at or above the highest floor that keeps `kept` of `right`.

    The false positive rate at a fixed true positive rate, one point of the ROC curve.
    """
    if not w_right.sum() or not w_wrong.sum():
        return math.nan
    order = np.argsort(-right, kind="stable")
    shares = np.cumsum(w_right[order]) / w_right.sum()
    # Sums of weights are whole numbers; only the division may fall short of `kept`.
    floor = right[order][int(np.searchsorted(shares, kept - 1e-12))]
    return weighted_mean((wrong >= floor).astype(np.float64), w_wrong)


def calibration_error(scores: Floats, right: Floats, weights: Floats) -> float:
    """Return the expected calibration error over ten bins of equal width; in [0, 1].

    Guo, Pleiss, Sun, Weinberger, "On calibration of modern neural networks", ICML 2017.
    """
    if not weights.sum():
        return math.nan
    place = _bins(scores)
    gap = np.bincount(place, weights * (right - scores), minlength=BINS)
    return float(np.abs(gap).sum() / weights.sum())


def reliability(scores: Floats, right: Floats) -> list[Bin]:
    """Return the bins that hold a case, from the lowest."""
    place = _bins(scores)
    table: list[Bin] = []
    for number in range(BINS):
        inside = place == number
        if inside.any():
            row = Bin(
                low=number / BINS,
                high=(number + 1) / BINS,
                count=int(inside.sum()),
                score=float(scores[inside].mean()),
                right=float(right[inside].mean()),
            )
            table.append(row)
    return table


def group_draws(groups: Sequence[int], *, seed: int, rounds: int = 1000) -> Floats:
    """Return weights (rounds, n): in each round, groups drawn with replacement, whole.

    Tasks of one group resemble each other, so they are drawn together: the cluster bootstrap
    of Davison, Hinkley, "Bootstrap methods and their application", 1997, section 3.8.

    Args:
        groups: The group number of each case, from 0.
        seed: Of the draws; equal seeds give equal intervals.
        rounds: How many draws.
    """
    number = max(groups, default=-1) + 1
    if not number:
        return np.zeros((rounds, 0))
    random = np.random.default_rng(seed)
    drawn = random.multinomial(number, np.full(number, 1 / number), size=rounds)
    return drawn[:, np.asarray(groups, dtype=np.intp)].astype(np.float64)


def estimate(statistic: Statistic, draws: Floats, count: int, *, exact: bool = True) -> Estimate:
    """Return a measure with the 2.5th and 97.5th percentile of it over the draws.

    A share of 0 or 1 is the same in every draw, which says nothing of how sure it is; with
    `exact` its interval then reaches to the exact bound, 1 - 0.025^(1/count) away. Clopper,
    Pearson, "The use of confidence or fiducial limits", Biometrika 1934.

    Args:
        statistic: The measure.
        draws: What `group_draws` gave.
        count: How many cases it rests on.
        exact: Whether it is a share, in [0, 1]; False for a difference of two.
    """
    value = statistic(np.ones(int(draws.shape[1])))
    rows = (cast("Floats", draws[i]) for i in range(len(draws)))
    drawn = np.array([statistic(weights) for weights in rows], dtype=np.float64)
    drawn = drawn[np.isfinite(drawn)]
    low, high = (_percentile(drawn, share) for share in (2.5, 97.5))
    if exact and count and low == high and value in (0.0, 1.0):
        reach = 1 - 0.025 ** (1 / count)
        low, high = (low, reach) if value == 0.0 else (1 - reach, high)
    return Estimate(value=_or_none(value), low=_or_none(low), high=_or_none(high), count=count)


def _percentile(values: Floats, share: float) -> float:
    return float(np.percentile(values, share)) if values.size else math.nan


def _or_none(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _bins(scores: Floats) -> npt.NDArray[np.intp]:
    return np.minimum((scores * BINS).astype(np.intp), BINS - 1)
