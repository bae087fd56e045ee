from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from memskill.errors import EvaluationRefused
from memskill.match.platt import fit_platt


def sample(count=400, seed=0, slope=0.8, offset=-0.5):
    random = np.random.default_rng(seed)
    logits = random.normal(size=count) * 3
    labels = random.random(count) < 1 / (1 + np.exp(-(slope * logits + offset)))
    return list(logits), [bool(label) for label in labels]


def test_it_is_the_logistic_regression_of_scikit_learn_on_platts_targets():
    logits, labels = sample()
    positive, negative = sum(labels), len(labels) - sum(labels)
    high, low = (positive + 1) / (positive + 2), 1 / (negative + 2)
    target = np.where(labels, high, low)
    x = np.array(logits + logits)[:, None]
    y = np.repeat([1, 0], len(logits))
    weights = np.concatenate([target, 1 - target])
    model = LogisticRegression(C=1e12, tol=1e-12, max_iter=10_000).fit(x, y, weights)
    found = fit_platt(logits, labels)
    assert found.a == pytest.approx(model.coef_[0][0], rel=1e-5)
    assert found.b == pytest.approx(model.intercept_[0], rel=1e-4)


def test_it_finds_what_made_the_labels():
    found = fit_platt(*sample(count=20_000))
    assert (found.kind, found.a, found.b) == (
        "platt",
        pytest.approx(0.8, abs=0.05),
        pytest.approx(-0.5, abs=0.05),
    )


@given(st.integers(1, 30), st.integers(1, 30), st.floats(1e-3, 1e4), st.floats(-1e4, 1e4))
def test_a_perfect_separation_has_a_finite_fit(positive, negative, scale, shift):
    logits = [shift + scale * n for n in range(negative + positive)]
    labels = [n >= negative for n in range(negative + positive)]
    found = fit_platt(logits, labels)
    scores = found.apply(logits)
    assert found.a > 0
    assert (np.diff(scores) >= 0).all()
    assert scores[-1] > 0.5 or positive < negative


@given(st.floats(0.01, 100), st.floats(-50, 50))
def test_the_models_scale_does_not_change_the_probabilities(scale, shift):
    logits, labels = sample(count=60)
    moved = [scale * logit + shift for logit in logits]
    plain, other = fit_platt(logits, labels).apply(logits), fit_platt(moved, labels).apply(moved)
    assert other == pytest.approx(plain, abs=1e-6)


@pytest.mark.parametrize("labels", [[True, True], [False, False]])
def test_one_label_alone_is_refused(labels):
    with pytest.raises(EvaluationRefused, match="both right and wrong"):
        fit_platt([1.0, 2.0], labels)


@pytest.mark.parametrize("logits", [[2.0, 1.0], [1.0, 1.0]])
def test_right_answers_that_score_no_higher_are_refused(logits):
    with pytest.raises(EvaluationRefused, match="do not score higher"):
        fit_platt(logits, [False, True])
