"""Strictly increasing maps from a logit to a probability, applied once, in float64.

Equal logits give equal probabilities and unequal ones keep their order, so a calibration moves
the floor but never the ranking. (Beyond about 36 in either direction float64 itself rounds to
1.0 or to ties near 0: rank by the logit, show the probability.)
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from memskill.errors import ModelError

if TYPE_CHECKING:
    import numpy.typing as npt

    Floats = npt.NDArray[np.float64]

Kind = Literal["sigmoid", "platt", "beta"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """One such map; with x the logit and s(x) = 1 / (1 + exp(-x)).

    - sigmoid: s(x). No fit; what a model without a calibration has.
    - platt: s(a x + b), a > 0. Platt, "Probabilistic outputs for support vector machines", 1999.
    - beta: s(a log s(x) - b log(1 - s(x)) + c), a > 0 and b > 0: bends either tail by itself.
      Kull, Silva Filho, Flach, "Beta calibration", AISTATS 2017.
    """

    kind: Kind = "sigmoid"
    a: float = 1.0
    b: float = 0.0
    c: float = 0.0

    def __post_init__(self) -> None:
        """Refuse what is not strictly increasing."""
        if self.kind not in get_args(Kind):
            known = ", ".join(get_args(Kind))
            raise ModelError(f"calibration: unknown kind {self.kind!r}", hint=f"Known: {known}.")
        finite = all(math.isfinite(value) for value in (self.a, self.b, self.c))
        if not finite or self.a <= 0 or (self.kind == "beta" and self.b <= 0):
            raise ModelError(
                f"calibration: {self.kind} with a={self.a}, b={self.b}, c={self.c} is not"
                " strictly increasing",
                hint="Fit it again: `mem floor tune`.",
            )

    def apply(self, logits: npt.ArrayLike) -> Floats:
        """Return the probabilities of `logits`, float64 in [0, 1], of the same shape."""
        x = np.asarray(logits, dtype=np.float64)
        # An overflow ends at the infinity that it should, and the sigmoid at 0 or 1.
        with np.errstate(over="ignore"):
            if self.kind == "platt":
                x = self.a * x + self.b
            elif self.kind == "beta":
                # log s(x) = -log(1 + exp(-x)), which logaddexp computes without overflow.
                x = self.b * np.logaddexp(0.0, x) - self.a * np.logaddexp(0.0, -x) + self.c
        return sigmoid(x)

    def logit_at(self, probability: float) -> float:
        """Return the logit whose probability is `probability`, in float64.

        Below it lies all that a floor of `probability` turns away; 0 gives -inf, 1 gives inf.
        """
        if not 0.0 < probability < 1.0:
            return -math.inf if probability <= 0.0 else math.inf
        target = math.log(probability) - math.log1p(-probability)
        if self.kind == "sigmoid":
            return target
        if self.kind == "platt":
            return (target - self.b) / self.a
        return self._search(probability)

    def as_mapping(self) -> dict[str, str | float]:
        """Return what `from_mapping` reads, for JSON or TOML."""
        return {"kind": self.kind, "a": self.a, "b": self.b, "c": self.c}

    @classmethod
    def from_mapping(cls, values: Mapping[str, object]) -> Calibration:
        """Return the calibration that config.json or floor.toml states.

        Raises:
            ModelError: An unknown kind, a value that is no number, or a map that falls.
        """
        numbers: dict[str, float] = {}
        for key in ("a", "b", "c"):
            value = values.get(key, getattr(_IDENTITY, key))
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise ModelError(f"calibration: {key} must be a number, not {value!r}")
            numbers[key] = float(value)
        return cls(kind=values.get("kind", "sigmoid"), **numbers)  # type: ignore[arg-type]

    def _search(self, probability: float) -> float:
        """Bisect: the map is increasing, and no logit of use lies beyond 2**20."""
        low, high = -(2.0**20), 2.0**20
        while (middle := (low + high) / 2) not in (low, high):
            if self.apply(middle) < probability:
                low = middle
            else:
                high = middle
        return high


def sigmoid(x: npt.ArrayLike) -> Floats:
    """Return 1 / (1 + exp(-x)) in float64, without overflow at either end."""
    z = np.asarray(x, dtype=np.float64)
    small = np.exp(-np.abs(z))
    return np.where(z >= 0, 1.0, small) / (1.0 + small)


_IDENTITY = Calibration()
