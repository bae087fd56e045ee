"""Fitting the map from a decision logit to the chance that a first answer is right."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from memskill.errors import EvaluationRefused
from memskill.models.calibration import Calibration, sigmoid

_STEPS = 100
# Newton stops where the gradient of a mean loss is below this.
_FLAT = 1e-10


def fit_platt(logits: Sequence[float], labels: Sequence[bool]) -> Calibration:
    """Return s(a x + b) fitted to labelled logits; a > 0, in float64.

    The targets are Platt's, (n+ + 1) / (n+ + 2) and 1 / (n- + 2), so that a perfect separation
    has a finite fit; minimised by Newton steps that are halved until the loss falls. Platt,
    "Probabilistic outputs for support vector machines", 1999; Lin, Lin, Weng, "A note on
    Platt's probabilistic outputs", Machine Learning 2007.

    Raises:
        EvaluationRefused: One label is absent, or right answers do not score higher.
    """
    x, right = np.array(logits, dtype=np.float64), np.array(labels, dtype=bool)
    positive, negative = int(right.sum()), int((~right).sum())
    if not positive or not negative:
        raise EvaluationRefused("a calibration needs both right and wrong first answers")
    target = np.where(right, (positive + 1) / (positive + 2), 1 / (negative + 2))
    # Unit spread keeps the two slopes of the loss alike, whatever scale the model speaks in.
    center, spread = float(x.mean()), float(x.std()) or 1.0
    slope, offset = _newton((x - center) / spread, target)
    if slope <= 0:
        raise EvaluationRefused(
            "right first answers do not score higher than wrong ones: no calibration fits",
            hint="Look at `mem eval` on these tasks: the labels or the models are off.",
        )
    return Calibration(kind="platt", a=slope / spread, b=offset - slope * center / spread)


def _newton(z: np.ndarray, target: np.ndarray) -> tuple[float, float]:
    """Return slope and offset of least cross-entropy."""
    design = np.stack([z, np.ones_like(z)], axis=1)
    theta = np.array([0.0, math.log(target.mean() / (1 - target.mean()))])
    loss = _loss(design @ theta, target)
    for _ in range(_STEPS):
        p = sigmoid(design @ theta)
        gradient = design.T @ (p - target) / z.size
        if np.abs(gradient).max() < _FLAT:
            break
        hessian = (design * (p * (1 - p))[:, None]).T @ design / z.size
        step = np.linalg.solve(hessian + 1e-12 * np.eye(2), gradient)
        scale = 1.0
        while (new := _loss(design @ (theta - scale * step), target)) > loss and scale > 1e-10:
            scale /= 2
        theta, loss = theta - scale * step, new
    return float(theta[0]), float(theta[1])


def _loss(logit: np.ndarray, target: np.ndarray) -> float:
    """Return the mean cross-entropy, without overflow."""
    return float((np.logaddexp(0.0, logit) - target * logit).mean())
