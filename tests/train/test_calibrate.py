"""Calibration: rises always, comes near the truth, refuses what cannot be."""

from __future__ import annotations

import numpy as np
import pytest

from memskill.models.calibration import Calibration
from memskill.train.calibrate import calibrate


def _sample(slope: float, shift: float, n: int = 4000) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(3)
    logits = rng.normal(0, 3, n)
    truth = (rng.random(n) < 1 / (1 + np.exp(-(slope * logits + shift)))).astype(float)
    return logits, truth


@pytest.mark.parametrize(("slope", "shift"), [(1.0, 0.0), (0.4, -1.0), (2.0, 1.5)])
def test_the_fit_finds_the_line_that_made_the_data(slope: float, shift: float) -> None:
    logits, truth = _sample(slope, shift)
    fit = calibrate(logits, truth, np.arange(len(truth)), np.ones(len(truth)))
    shown = Calibration.from_mapping(fit.parameters)
    wanted = 1 / (1 + np.exp(-(slope * logits + shift)))
    assert np.abs(shown.apply(logits) - wanted).max() < 0.06
    assert fit.held_out_error < 0.03


def test_every_fit_rises_strictly() -> None:
    logits, truth = _sample(0.7, -2.0)
    fit = calibrate(logits, truth, np.arange(len(truth)), np.ones(len(truth)))
    curve = Calibration.from_mapping(fit.parameters).apply(np.linspace(-12, 12, 500))
    assert np.all(np.diff(curve) > 0)


def test_a_logit_that_falls_with_the_truth_is_refused() -> None:
    logits, truth = _sample(1.0, 0.0)
    with pytest.raises(ValueError, match="does not rise"):
        calibrate(-logits, truth, np.arange(len(truth)), np.ones(len(truth)))


def test_a_clean_split_has_a_finite_fit() -> None:
    logits = np.concatenate([np.full(50, -3.0), np.full(50, 3.0)])
    fit = calibrate(logits, logits > 0, np.arange(100), np.ones(100))
    assert all(np.isfinite(v) for v in fit.parameters.values() if not isinstance(v, str))
