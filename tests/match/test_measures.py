from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from sklearn import metrics
from sklearn.calibration import calibration_curve

from memskill.match import measures

shares = st.floats(0, 1)
some = arrays.arrays(np.float64, st.integers(1, 30), elements=st.sampled_from([0.1, 0.4, 0.5, 0.9]))
whole = st.integers(0, 3)


def ones(values):
    return np.ones(len(values))


@given(some, some)
def test_auroc_is_that_of_scikit_learn(positive, negative):
    labels = np.concatenate([ones(positive), 0 * negative])
    expected = metrics.roc_auc_score(labels, np.concatenate([positive, negative]))
    found = measures.auroc(positive, negative, ones(positive), ones(negative))
    assert found == pytest.approx(expected)


@given(some, some, st.data())
def test_a_weight_counts_as_so_many_cases(positive, negative, data):
    def weights(values):
        length = len(values)
        return np.array(data.draw(st.lists(whole, min_size=length, max_size=length)), dtype=float)

    w_positive, w_negative = weights(positive), weights(negative)
    repeated = [
        np.repeat(values, w.astype(int))
        for values, w in ((positive, w_positive), (negative, w_negative))
    ]
    for measure in (
        measures.auroc,
        lambda p, n, a, b: measures.fires_at_kept(p, n, 0.8, a, b),
    ):
        weighted = measure(positive, negative, w_positive, w_negative)
        plain = measure(*repeated, *map(ones, repeated))
        assert weighted == pytest.approx(plain, nan_ok=True)


@given(st.lists(st.booleans(), min_size=3, max_size=12), st.integers(1, 12))
def test_ndcg_is_that_of_scikit_learn(labels, k):
    if not any(labels):
        return
    ranks = [place for place, right in enumerate(labels) if right]
    order = np.arange(len(labels), 0, -1)
    expected = metrics.ndcg_score([np.array(labels, dtype=float)], [order], k=k)
    assert measures.ndcg(ranks, len(ranks), k) == pytest.approx(expected)


def test_ndcg_counts_right_answers_that_were_not_found():
    assert measures.ndcg([0], 2, 3) == pytest.approx(1 / (1 + 1 / math.log2(3)))


@given(st.integers(0, 20))
def test_reciprocal_rank_falls_with_the_place(rank):
    assert measures.reciprocal_rank(rank) == pytest.approx(
        metrics.label_ranking_average_precision_score(
            [[int(i == rank) for i in range(21)]], [list(range(21, 0, -1))]
        )
    )


def test_no_right_answer_has_reciprocal_rank_0():
    assert measures.reciprocal_rank(None) == 0


@given(some, some, st.sampled_from([0.5, 0.8, 0.9, 1.0]))
def test_fires_at_kept_is_a_point_of_the_roc_curve(right, wrong, kept):
    labels = np.concatenate([ones(right), 0 * wrong])
    false, true, _ = metrics.roc_curve(
        labels, np.concatenate([right, wrong]), drop_intermediate=False
    )
    expected = false[np.argmax(true >= kept - 1e-12)]
    found = measures.fires_at_kept(right, wrong, kept, ones(right), ones(wrong))
    assert found == pytest.approx(expected)


@given(st.lists(st.tuples(st.floats(0, 0.999), st.booleans()), min_size=1, max_size=60))
def test_reliability_is_that_of_scikit_learn(pairs):
    scores = np.array([score for score, _ in pairs])
    labels = np.array([right for _, right in pairs], dtype=float)
    table = measures.reliability(scores, labels)
    right, mean = calibration_curve(labels, scores, n_bins=10)
    if any(abs(s * 10 - round(s * 10)) < 1e-9 for s in scores):
        return  # an edge belongs to the bin above it here, to the one below there
    assert [row.right for row in table] == pytest.approx(right)
    assert [row.score for row in table] == pytest.approx(mean)
    gaps = sum(abs(row.score - row.right) * row.count for row in table) / len(pairs)
    assert measures.calibration_error(scores, labels, ones(scores)) == pytest.approx(gaps)


def test_a_score_of_one_has_a_bin():
    [row] = measures.reliability(np.array([1.0]), np.array([1.0]))
    assert (row.low, row.high, row.count) == (0.9, 1.0, 1)


def test_measures_of_nothing_are_nan():
    none = np.zeros(0)
    assert math.isnan(measures.auroc(none, np.ones(2), none, np.ones(2)))
    assert math.isnan(measures.auroc(none, none, none, none))
    assert math.isnan(measures.fires_at_kept(none, np.ones(2), 0.8, none, np.ones(2)))
    assert math.isnan(measures.calibration_error(none, none, none))
    assert math.isnan(measures.weighted_mean(none, none))


def test_groups_are_drawn_whole():
    draws = measures.group_draws([0, 0, 1, 2, 2], seed=1, rounds=200)
    assert (draws[:, 0] == draws[:, 1]).all()
    assert (draws[:, 3] == draws[:, 4]).all()
    assert (draws[:, [0, 2, 3]].sum(axis=1) == 3).all()


def test_equal_seeds_give_equal_draws_and_others_do_not():
    one, same, other = (measures.group_draws(range(9), seed=s, rounds=20) for s in (4, 4, 5))
    assert (one == same).all()
    assert (one != other).any()


def test_an_interval_holds_the_value_of_a_fair_sample():
    values = np.random.default_rng(0).normal(size=400)
    draws = measures.group_draws(range(400), seed=0)
    found = measures.estimate(lambda w: measures.weighted_mean(values, w), draws, 400)
    assert found.low < values.mean() < found.high
    # Normal theory: 1.96 standard errors on either side.
    assert found.high - found.low == pytest.approx(2 * 1.96 / 20, rel=0.15)


def test_groups_that_agree_widen_the_interval():
    values = np.repeat(np.random.default_rng(0).normal(size=20), 20)

    def width(groups):
        draws = measures.group_draws(groups, seed=0)
        found = measures.estimate(lambda w: measures.weighted_mean(values, w), draws, 400)
        return found.high - found.low

    assert width(list(np.repeat(range(20), 20))) > 3 * width(range(400))


@pytest.mark.parametrize(("value", "low", "high"), [(0.0, 0.0, 0.3085), (1.0, 0.6915, 1.0)])
def test_a_share_of_0_or_1_has_the_exact_interval(value, low, high):
    draws = measures.group_draws(range(10), seed=0, rounds=50)
    found = measures.estimate(lambda w: value, draws, 10)
    assert (found.low, found.high) == (pytest.approx(low, abs=1e-4), pytest.approx(high, abs=1e-4))


def test_a_difference_of_0_stays_0():
    draws = measures.group_draws(range(10), seed=0, rounds=50)
    found = measures.estimate(lambda w: 0.0, draws, 10, exact=False)
    assert (found.low, found.high) == (0.0, 0.0)


def test_an_estimate_of_nothing_says_none():
    found = measures.estimate(lambda w: math.nan, np.zeros((5, 0)), 0)
    assert (found.value, found.low, found.high) == (None, None, None)
