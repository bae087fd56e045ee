"""What a floor is to reach, and the floor that reaches it on labelled facts."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from memskill.errors import EvaluationRefused, UsageError
from memskill.match.cases import Facts

_SHAPES = re.compile(
    r"(?:(?P<bound>false_fire<|precision>)=(?P<value>\d*\.?\d+))"
    r"|(?:cost=(?P<fire>\d*\.?\d+):(?P<miss>\d*\.?\d+))"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is asked of a floor.

    - false_fire: at most `bound` of the tasks that must not get an answer get one;
    - precision: at least `bound` of the returned skills are right;
    - cost: the sum of `fire` a false fire and `miss` a missed right skill is least.
    """

    kind: Literal["false_fire", "precision", "cost"]
    text: str
    bound: float = 0.0
    fire: float = 1.0
    miss: float = 1.0

    @property
    def least_counted(self) -> int:
        """How few counted cases can bear the bound out at all: one fault must stay within it."""
        if self.kind == "cost":
            return 1
        allowed = self.bound if self.kind == "false_fire" else 1 - self.bound
        # The tolerance forgives 1 / 0.05 for not being 20 in binary.
        return math.ceil(1 / allowed - 1e-9) - 1


def parse_target(text: str) -> Target:
    """Return the target that `false_fire<=0.05`, `precision>=0.9` or `cost=5:1` states.

    Raises:
        UsageError: Another form, or a bound that is not strictly between 0 and 1.
    """
    found = _SHAPES.fullmatch(text.replace(" ", ""))
    if not found:
        raise UsageError(
            f"target {text[:60]!r} is not understood",
            hint='Write "false_fire<=0.05", "precision>=0.9" or "cost=FALSE_FIRE:MISS".',
        )
    plain = text.replace(" ", "")
    if found["fire"]:
        fire, miss = float(found["fire"]), float(found["miss"])
        if not (fire > 0 and miss > 0):
            raise UsageError(f"target {plain!r}: both costs must be above 0")
        return Target(kind="cost", text=plain, fire=fire, miss=miss)
    bound = float(found["value"])
    if not 0 < bound < 1:
        raise UsageError(f"target {plain!r}: the bound must lie strictly between 0 and 1")
    kind = "false_fire" if found["bound"].startswith("false_fire") else "precision"
    return Target(kind=kind, text=plain, bound=bound)


def choose_floor(target: Target, facts: Sequence[Facts]) -> float:
    """Return the floor, in [0, 1] to 4 places, that meets the target on `facts` and keeps most.

    Of those that keep as many right skills, it lets the fewest faults pass. Floors lie midway
    between neighbouring scores: the widest berth on either side. Counts of
    faults are taken with one more fault and one more case, (k + 1) / (n + 1): for
    `false_fire` that bounds the expected share on new tasks of the same kind by the target,
    not only the share on these. Angelopoulos, Bates, Fisch, Lei, Schuster, "Conformal risk
    control", 2022. 0 lets every answer pass.

    Args:
        target: What is to be reached.
        facts: Of the fitted tasks, on the scale of scores, which have 4 places.

    Raises:
        EvaluationRefused: Only a floor that turns every right skill away would do.
    """
    right = np.array([one.right for one in facts if one.right_task])
    wrong = np.array([one.wrong for one in facts if one.fire_task])
    answers = [answer for one in facts for answer in one.answers]
    values = np.array([value for value, _ in answers])
    labels = np.array([label for _, label in answers], dtype=bool)
    best, chosen = (-math.inf, -math.inf), 1.0
    for floor in _between(np.concatenate([right, wrong, values])):
        recalled, fires = int((right >= floor).sum()), int((wrong >= floor).sum())
        given = values >= floor
        faults = int((given & ~labels).sum())
        if target.kind == "cost":
            worth = -(target.fire * fires + target.miss * (right.size - recalled))
        elif target.kind == "false_fire":
            worth = recalled if _within(fires, wrong.size, target.bound) else -math.inf
        else:
            worth = recalled if _within(faults, int(given.sum()), 1 - target.bound) else -math.inf
        # Floors rise: of two that are worth as much, the one with fewer faults, then the higher.
        if worth > -math.inf and (worth, -faults) >= best:
            best, chosen = (worth, -faults), floor
    if best[0] == -math.inf or not (right >= chosen).any():
        raise EvaluationRefused(
            f"no floor reaches {target.text} and still returns a right skill",
            hint="Allow more, label more tasks, or look at `mem eval` for what scores too high.",
        )
    return chosen


def _within(faults: int, cases: int, bound: float) -> bool:
    # The tolerance forgives 1 - 0.9 for not being 0.1 in binary.
    return (faults + 1) / (cases + 1) <= bound + 1e-12


def _between(scores: np.ndarray) -> list[float]:
    """Return 0 and, rising, a floor between every two neighbouring finite scores and above all."""
    distinct = np.unique(scores[np.isfinite(scores)])
    middles = (distinct + np.append(distinct[1:], 1.0)) / 2 if distinct.size else distinct
    # Scores have 4 places. A midpoint rounded up to 4 places still lies above the lower of its
    # neighbours and not above the higher one; the tolerance forgives binary tails.
    return sorted({0.0, *(math.ceil(middle * 1e4 - 1e-6) / 1e4 for middle in middles)})
