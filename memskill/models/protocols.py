"""What an encoder and a reranker are to the rest of memskill: one method each.

Any object of these shapes is a model: the shipped ONNX ones, `hf:`, `http:`, or a fake in a
test. Scales: vectors are L2-normalised, so that a dot product is a cosine in [-1, 1]; rerank
scores are logits, unbounded, and become a probability once, in `calibration`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memskill.models.calibration import Calibration

    # (n, d), each row of length 1.
    Vectors: TypeAlias = npt.NDArray[np.float32]
    # (n, k), a column per name of `Reranker.evidence_names`.
    Evidence: TypeAlias = npt.NDArray[np.float32]
    # (n,), unbounded.
    Logits: TypeAlias = npt.NDArray[np.float64]

# The width of every vector column of the store, `FLOAT[384]`.
DIMENSION = 384


@runtime_checkable
class Encoder(Protocol):
    """Turns texts into vectors; a text's vector depends on no other text of the call."""

    @property
    def dimension(self) -> int:
        """Width of a vector; `DIMENSION` for every model that memskill loads."""
        ...

    @property
    def fingerprint(self) -> str:
        """Lower-case hex sha256 of all that shapes a vector; stored beside every vector."""
        ...

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (n, dimension), rows L2-normalised and in the order of `texts`.

        Raises:
            ModelError: The model failed, or answered what is not a vector.
        """
        ...


@runtime_checkable
class Reranker(Protocol):
    """Scores (task, text) pairs; a pair's logit depends on no other pair of the call."""

    @property
    def evidence_names(self) -> tuple[str, ...]:
        """Names of the evidence columns, in order; () for a model that takes none."""
        ...

    @property
    def calibration(self) -> Calibration:
        """How its logits become probabilities until a floor brings a fit of its own."""
        ...

    @property
    def fingerprint(self) -> str:
        """Lower-case hex sha256 of all that shapes a logit; a floor is bound to it."""
        ...

    def rerank(self, task: str, texts: Sequence[str], evidence: Evidence) -> Logits:
        """Return float64 (n,), the logit of each text for `task`, in the order of `texts`.

        Args:
            task: What is to be done.
            texts: What each candidate says of itself.
            evidence: float32 (n, k), k = len(evidence_names); (n, 0) where there are none.

        Raises:
            ValueError: `evidence` has another shape.
            ModelError: The model failed, or answered what is not a score.
        """
        ...
