"""Measures on arrays small enough to count by hand."""

from __future__ import annotations

import numpy as np
import pytest

from memskill.train.measures import auroc, bootstrap, calibration_error, fires, first_right


def test_the_rank_of_the_best_right_skill_counts_ties_against_it() -> None:
    scores = np.array([[3.0, 2.0, 1.0], [3.0, 3.0, 1.0], [3.0, -np.inf, 1.0]])
    right = np.array([[False, True, True], [False, True, False], [False, True, False]])
    assert list(first_right(scores, right)) == [2, 2, 2**31 - 1]


def test_auroc_counts_ties_half() -> None:
    assert auroc(np.array([1.0, 3.0]), np.array([1.0, 2.0])) == pytest.approx((0.5 + 2) / 4)


def test_fires_counts_what_passes_the_floor_that_keeps_a_share() -> None:
    right = np.arange(10.0)
    assert fires(right, np.array([1.0, 2.0, 9.0, 0.0]), 0.8) == 0.5
    assert fires(right, np.array([1.0, 2.0, 9.0, 0.0]), 1.0) == 1.0


def test_an_interval_holds_the_mean_and_groups_widen_it() -> None:
    values = np.array([1.0] * 50 + [0.0] * 50)
    mean, low, high = bootstrap(values)
    assert low < mean == 0.5 < high
    _, wide_low, wide_high = bootstrap(values, groups=[str(i // 25) for i in range(100)])
    assert wide_high - wide_low > high - low


def test_perfect_probabilities_have_no_calibration_error() -> None:
    truth = np.array([0.0, 1.0] * 50)
    assert calibration_error(truth, truth) == 0.0
    assert calibration_error(np.full(100, 0.5), truth) == 0.0
    assert calibration_error(np.full(100, 0.9), truth) == pytest.approx(0.4)
