from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memskill.errors import ModelError
from memskill.models.calibration import Calibration, sigmoid

ALL = [
    Calibration(),
    Calibration(kind="platt", a=0.7, b=-1.2),
    Calibration(kind="beta", a=0.4, b=1.9, c=-0.6),
]
each = pytest.mark.parametrize("calibration", ALL, ids=lambda c: c.kind)


@each
def test_it_rises_strictly_over_all_logits_of_use(calibration):
    probabilities = calibration.apply(np.arange(-15, 15, 1e-3))
    assert (np.diff(probabilities) > 0).all()


@each
@settings(deadline=None)
@given(st.floats(allow_nan=False))
def test_every_logit_becomes_a_probability(calibration, logit):
    assert 0.0 <= float(calibration.apply(logit)) <= 1.0


@each
def test_it_computes_in_float64_whatever_comes_in(calibration):
    logits = np.linspace(-3, 3, 7, dtype=np.float32)
    assert calibration.apply(logits).dtype == np.float64
    assert calibration.apply(logits).tolist() == calibration.apply(logits.tolist()).tolist()


@each
@settings(deadline=None)
@given(st.floats(0.001, 0.999))
def test_logit_at_undoes_it(calibration, probability):
    logit = calibration.logit_at(probability)
    assert float(calibration.apply(logit)) == pytest.approx(probability, abs=1e-9)


@each
def test_a_floor_at_either_end_lets_all_or_nothing_pass(calibration):
    assert calibration.logit_at(0.0) == -math.inf
    assert calibration.logit_at(1.0) == math.inf


@each
def test_it_survives_being_written_down(calibration):
    assert Calibration.from_mapping(calibration.as_mapping()) == calibration


def test_the_kinds_are_the_formulas_of_their_sources():
    x = 0.8
    s = 1 / (1 + math.exp(-x))
    assert float(ALL[0].apply(x)) == pytest.approx(s)
    assert float(ALL[1].apply(x)) == pytest.approx(1 / (1 + math.exp(-(0.7 * x - 1.2))))
    z = 0.4 * math.log(s) - 1.9 * math.log(1 - s) - 0.6
    assert float(ALL[2].apply(x)) == pytest.approx(1 / (1 + math.exp(-z)))


def test_beta_with_equal_sides_is_platt():
    beta = Calibration(kind="beta", a=1.3, b=1.3, c=0.4)
    platt = Calibration(kind="platt", a=1.3, b=0.4)
    x = np.linspace(-6, 6, 25)
    np.testing.assert_allclose(beta.apply(x), platt.apply(x), rtol=1e-12)


@pytest.mark.parametrize("kind", ["platt", "beta"])
@pytest.mark.parametrize(("logit", "end"), [(1e308, 1.0), (-1e308, 0.0), (math.inf, 1.0)])
def test_a_slope_that_overflows_ends_at_0_or_1(kind, logit, end):
    assert float(Calibration(kind=kind, a=1e3, b=1e3).apply(logit)) == end


def test_the_sigmoid_overflows_at_neither_end():
    assert sigmoid(np.array([-1e4, 0.0, 1e4])).tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize(
    "values",
    [
        {"kind": "isotonic"},
        {"kind": ["platt"]},
        {"kind": "platt", "a": 0},
        {"kind": "platt", "a": -1.0},
        {"kind": "platt", "a": math.nan},
        {"kind": "platt", "b": math.inf},
        {"kind": "beta", "a": 1.0, "b": 0.0},
        {"kind": "platt", "a": "1"},
        {"kind": "platt", "a": True},
        {"kind": "platt", "a": None},
    ],
)
def test_what_is_no_strictly_increasing_map_is_refused(values):
    with pytest.raises(ModelError, match="calibration"):
        Calibration.from_mapping(values)
