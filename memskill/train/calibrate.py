"""Fit the strictly increasing map from a logit to the probability that a skill is right.

The level is that of a careful reader: 1 means "graded 2, right to load for this task". Platt's
two parameters, or three of beta calibration where they fit better on held-out folds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from memskill.match.measures import calibration_error
from memskill.train.kinds import Array, need

# Beta calibration must win by this much log loss: one parameter more has to pay.
_LEAST_GAIN = 0.002


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationFit:
    """A fitted calibration, as config.json states it, with how well it holds."""

    parameters: Mapping[str, float | str]
    # Expected calibration error over folds that each fit left out, in [0, 1].
    held_out_error: float
    held_out_log_loss: float
    examples: int


def calibrate(logits: Array, truth: Array, groups: Array, weights: Array, *, seed: int = 7,
              folds: int = 5) -> CalibrationFit:  # fmt: skip
    """Return the better of Platt and beta calibration, chosen over folds of whole groups.

    Args:
        logits: Uncalibrated scores `(n,)`.
        truth: 1 where the skill is right, else 0, `(n,)`.
        groups: What belongs together (task), `(n,)`; a fold never cuts through one.
        weights: How much each example counts, `(n,)`.
        seed: Of the folds.
        folds: How many.
    """
    np = need("numpy")

    x, y, w = (np.asarray(values, dtype=np.float64) for values in (logits, truth, weights))
    names, which = np.unique(groups, return_inverse=True)
    fold = np.random.default_rng(seed).integers(0, folds, size=len(names))[which]
    best: CalibrationFit | None = None
    for kind in ("platt", "beta"):
        held = np.zeros_like(x)
        for number in range(folds):
            train = fold != number
            fit = _fit(kind, x[train], y[train], w[train])
            held[~train] = _apply(fit, x[~train])
        clipped = np.clip(held, 1e-9, 1 - 1e-9)
        loss = -np.average(y * np.log(clipped) + (1 - y) * np.log(1 - clipped), weights=w)
        found = CalibrationFit(
            parameters=_fit(kind, x, y, w),
            held_out_error=calibration_error(held, y, np.ones_like(y)),
            held_out_log_loss=float(loss),
            examples=len(x),
        )
        if best is None or found.held_out_log_loss < best.held_out_log_loss - _LEAST_GAIN:
            best = found
    assert best is not None
    return best


def _features(kind: str, x: Array) -> Array:
    """Return what the logistic fit is linear in; see `models.calibration.Calibration`."""
    np = need("numpy")

    one = np.ones_like(x)
    if kind == "platt":
        return np.stack([x, one], axis=1)
    return np.stack([-np.logaddexp(0.0, -x), np.logaddexp(0.0, x), one], axis=1)


def _fit(kind: str, x: Array, y: Array, w: Array) -> dict[str, float | str]:
    """Return the parameters of a weighted logistic fit by Newton's method."""
    np = need("numpy")

    # Targets a little inside (0, 1), after Platt, 1999: a clean split has no finite fit.
    ones, zeros = float(w[y > 0.5].sum()), float(w[y <= 0.5].sum())
    target = np.where(y > 0.5, (ones + 1) / (ones + 2), 1 / (zeros + 2))
    design: Array = _features(kind, x)
    theta: Array = np.zeros(design.shape[1])
    theta[:-1] = 0.1
    for _ in range(100):
        p: Array = 1 / (1 + np.exp(-np.clip(design @ theta, -40, 40)))
        slope: Array = design.T @ (w * (p - target)) + 1e-6 * theta
        curve: Array = (design * (w * p * (1 - p))[:, None]).T @ design + 1e-6 * np.eye(len(theta))
        step: Array = np.linalg.solve(curve, slope)
        theta = theta - np.clip(step, -2, 2)
        if np.abs(step).max() < 1e-10:
            break
    if kind == "beta" and min(theta[:2]) <= 0:
        # Not increasing: beta has nothing to say here.
        return _fit("platt", x, y, w)
    if theta[0] <= 0:
        raise ValueError("the logit does not rise with the truth: nothing to calibrate")
    names = ("a", "b") if kind == "platt" else ("a", "b", "c")
    return {"kind": kind, **{n: float(v) for n, v in zip(names, theta, strict=True)}}


def _apply(parameters: Mapping[str, float | str], x: Array) -> Array:
    np = need("numpy")

    names = ("a", "b") if parameters["kind"] == "platt" else ("a", "b", "c")
    theta = np.array([float(parameters[name]) for name in names])
    return 1 / (1 + np.exp(-np.clip(_features(str(parameters["kind"]), x) @ theta, -40, 40)))


def graded_examples(
    scores: Array, grades: Array, *, top: int = 3
) -> tuple[Array, Array, Array, Array]:
    """Return logits, truth, task numbers and weights of what a reader would be shown.

    Of each task the `top` best-scored graded skills are taken, each task weighing 1: a floor is
    asked about what stands on top, not about the thousand skills far below.

    Args:
        scores: `(tasks, skills)`, -inf for what was not scored.
        grades: Integers of the same shape; 2 is right, 1 and 0 are not, -1 is unknown.
        top: How many per task.
    """
    np = need("numpy")

    known = np.where(grades >= 0, scores, -np.inf)
    best = np.argsort(-known, axis=1, kind="stable")[:, :top]
    rows = np.repeat(np.arange(len(scores)), best.shape[1])
    columns = best.ravel()
    keep = np.isfinite(known[rows, columns])
    rows, columns = rows[keep], columns[keep]
    counts = np.bincount(rows, minlength=len(scores))
    truth = (grades[rows, columns] == 2).astype(float)
    return known[rows, columns], truth, rows, 1.0 / counts[rows]
