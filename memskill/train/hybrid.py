"""Choose the weights of the hybrid score on validation tasks.

Three weights beside the cosine's 1, on a coarse grid: finer steps would fit the noise of a few
hundred tasks. They are not fitted on training tasks, whose cosines the encoder has already seen.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from memskill.match.measures import auroc
from memskill.train.evidence import K1, MEAN_LENGTH, B, Hybrid
from memskill.train.kinds import Array, need

GRID: Mapping[str, Sequence[float]] = {
    "clause": (0.0, 0.5, 1.0, 1.5),
    "lexical": (0.0, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5),
    "opposed": (0.0, 0.5, 1.0, 2.0, 4.0),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A set of tasks against one catalogue."""

    name: str
    # float32 (tasks, skills, len(EVIDENCE)).
    evidence: Array
    # bool (tasks, skills); a row without any is a no-match task.
    right: Array


def fit_hybrid(
    problems: Sequence[Problem], *, grid: Mapping[str, Sequence[float]] = GRID
) -> tuple[Hybrid, float]:
    """Return the weights with the best mean objective over the problems, and that objective.

    Per problem: recall@1 plus half of recall@20, plus AUROC of the right skill against the best
    one of the no-match tasks where it has such. Ties go to the smaller weights.
    """
    names = sorted(grid)
    best = (Hybrid(), float("-inf"))
    for values in itertools.product(*(grid[name] for name in names)):
        hybrid = Hybrid(**dict(zip(names, values, strict=True)))
        found = sum(objective(hybrid, problem) for problem in problems) / len(problems)
        if found > best[1] + 1e-9:
            best = (hybrid, found)
    return best


def objective(hybrid: Hybrid, problem: Problem) -> float:
    """Return what `fit_hybrid` maximises, for one problem."""
    np = need("numpy")

    scores = hybrid.score(problem.evidence)
    match = problem.right.any(axis=1)
    ranks = first_right(scores[match], problem.right[match])
    value = float((ranks == 1).mean() + 0.5 * (ranks <= 20).mean())
    if match.all():
        return value
    right = np.where(problem.right[match], scores[match], -np.inf).max(axis=1)
    wrong = scores[~match].max(axis=1)
    return value + auroc(right, wrong, np.ones(len(right)), np.ones(len(wrong)))


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


def write_hybrid(path: Path, hybrid: Hybrid, extra: Mapping[str, object]) -> None:
    """Write hybrid.json: weights, the constants of the lexical share, and what else is given."""
    constants = {"k1": K1, "b": B, "mean_length": MEAN_LENGTH}
    content = {"weights": asdict(hybrid), "lexical": constants, **extra}
    path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")
