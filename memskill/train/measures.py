"""Measures used to choose between trained models; small, on arrays, with intervals."""

from __future__ import annotations

from collections.abc import Sequence

from memskill.train.kinds import Array, need


def first_right(scores: Array, right: Array) -> Array:
    """Return the rank from 1 of the best right skill per task, `(tasks,)`; a tie counts against.

    Args:
        scores: Float `(tasks, skills)`; -inf for what was not shortlisted.
        right: Boolean of the same shape. A task whose right skills all have -inf gets rank
            2**31 - 1.
    """
    np = need("numpy")

    best = np.where(right, scores, -np.inf).max(axis=1)
    others = np.where(right, -np.inf, scores)
    ranks = 1 + (others >= best[:, None]).sum(axis=1)
    return np.where(np.isinf(best), 2**31 - 1, ranks)


def bootstrap(values: Array, *, groups: Sequence[str] | None = None, seed: int = 7,
              rounds: int = 1000) -> tuple[float, float, float]:  # fmt: skip
    """Return the mean and its 95 % bootstrap interval; whole groups are drawn where given.

    Source: Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, percentile interval.
    """
    np = need("numpy")

    numbers = np.asarray(values, dtype=np.float64)
    rng = np.random.default_rng(seed)
    _, which = np.unique(np.arange(len(numbers)) if groups is None else groups, return_inverse=True)
    sums = np.bincount(which, weights=numbers)
    sizes = np.bincount(which)
    drawn = rng.integers(0, len(sums), size=(rounds, len(sums)))
    means = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    return float(numbers.mean()), float(low), float(high)


def auroc(positive: Array, negative: Array) -> float:
    """Return how often a positive scores above a negative, ties half (Mann and Whitney, 1947)."""
    np = need("numpy")

    below: Array = np.searchsorted(np.sort(negative), positive, side="left")
    upto: Array = np.searchsorted(np.sort(negative), positive, side="right")
    return float((below + upto).mean() / 2 / len(negative))


def fires(positive: Array, negative: Array, kept: float) -> float:
    """Return the share of negatives at or above the floor that keeps a share of positives."""
    np = need("numpy")

    # The small term: 0.2 * 10 is 1.9999... in floats.
    floor = np.sort(positive)[int((1 - kept) * len(positive) + 1e-9)]
    return float((np.asarray(negative) >= floor).mean())


def calibration_error(probability: Array, truth: Array, *, bins: int = 10) -> float:
    """Return the expected calibration error over bins of equal count, in [0, 1].

    Source: Naeini, Cooper, Hauskrecht, AAAI 2015; equal-count bins after Nguyen and O'Connor,
    2015, since most scores lie near 0.
    """
    np = need("numpy")

    order = np.argsort(probability, kind="stable")
    parts = np.array_split(order, bins)
    gaps = [
        len(part) * abs(np.mean(np.take(probability, part)) - np.mean(np.take(truth, part)))
        for part in parts
        if len(part)
    ]
    return float(sum(gaps) / len(order))
