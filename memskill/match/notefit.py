"""Fitting how notes search weighs its evidence, on labelled questions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from memskill.errors import EvaluationRefused
from memskill.match.cases import Case
from memskill.match.decision import NO_RERANKER, Decision, Scored
from memskill.match.notepolicy import FEATURES
from memskill.models.calibration import sigmoid
from memskill.records import Task

Floats = npt.NDArray[np.float64]
# Keeps the weights finite where questions are told apart without a fault.
_RIDGE = 0.02
_STEPS = 200
_FLAT = 1e-9
# A lesson may be likelier or less likely to answer than a note; all else only speaks for a hit.
_SIGNED = frozenset(("lesson",))


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """What a question was compared with: names, best first, and their features."""

    task: Task
    names: tuple[str, ...]
    # (n, len(columns)), the columns in their order.
    features: Floats
    seconds: Mapping[str, float]
    columns: tuple[str, ...] = FEATURES


def fit_weights(
    examples: Sequence[Evidence], features: Sequence[str] = FEATURES
) -> dict[str, float]:
    """Return a weight for each column, 0 for those that are not among `features`.

    Logistic regression of "this answers the question" over all pairs, with a small ridge; a
    weight that would fall below 0 is left out and the others are fitted again.

    Raises:
        EvaluationRefused: No pair is right, or none is wrong.
    """
    design = np.concatenate([one.features for one in examples])
    right = np.concatenate([_labels(one) for one in examples])
    if not right.any() or right.all():
        raise EvaluationRefused("fitting needs questions with a right note and with wrong ones")
    columns = examples[0].columns
    free = [name for name in columns if name in features]
    while True:
        places = [columns.index(name) for name in free]
        found = dict(zip(free, _logistic(design[:, places], right), strict=True))
        below = [name for name in free if found[name] < 0 and name not in _SIGNED]
        if not below:
            return {name: round(float(found.get(name, 0.0)), 4) for name in columns}
        free.remove(min(below, key=lambda name: found[name]))


def as_case(one: Evidence, weights: Mapping[str, float], encoder_fingerprint: str) -> Case:
    """Return a question with its candidates ordered by the weighed sum, as measures need it."""
    logits = one.features @ np.array([weights[name] for name in one.columns])
    seen: dict[str, Scored] = {}
    for name, row, logit in zip(one.names, one.features, logits, strict=True):
        value = float(logit)
        if name in seen and (seen[name].logit or 0.0) >= value:
            continue  # two levels at one address are one answer
        seen[name] = Scored(
            name=name,
            score=round(float(sigmoid(value)), 4),
            rerank_score=None,
            cosine=float(row[one.columns.index("whole")]),
            clause=float(row[one.columns.index("passage")]),
            lexical=float(row[one.columns.index("lexical")]),
            negative=0.0,
            matched_on="description",
            logit=value,
        )
    ordered = sorted(seen.values(), key=lambda s: (-(s.logit or 0.0), s.name))
    decision = Decision(
        candidates=tuple(ordered),
        encoder_fingerprint=encoder_fingerprint,
        reranker_fingerprint=NO_RERANKER,
        seconds=one.seconds,
    )
    return Case(task=one.task, decision=decision, seconds=sum(one.seconds.values()))


def _labels(one: Evidence) -> npt.NDArray[np.bool_]:
    return np.array([name in one.task.expected for name in one.names], dtype=bool)


def _logistic(design: Floats, right: npt.NDArray[np.bool_]) -> Floats:
    """Return the weights of least ridged cross-entropy, without the constant; Newton's steps."""
    x = np.column_stack([design, np.ones(len(design))])
    penalty = np.full(x.shape[1], _RIDGE)
    penalty[-1] = 1e-9
    theta = np.zeros(x.shape[1])

    def loss(at: Floats) -> float:
        z = x @ at
        return float((np.logaddexp(0.0, z) - right * z).sum() + (penalty * at**2).sum() / 2)

    now = loss(theta)
    for _ in range(_STEPS):
        p = sigmoid(x @ theta)
        gradient = x.T @ (p - right) + penalty * theta
        if np.abs(gradient).max() < _FLAT * len(x):
            break
        hessian = (x * (p * (1 - p))[:, None]).T @ x + np.diag(penalty)
        step = np.linalg.solve(hessian, gradient)
        scale = 1.0
        while (new := loss(theta - scale * step)) > now and scale > 1e-10:
            scale /= 2
        theta, now = theta - scale * step, new
    return theta[:-1]
