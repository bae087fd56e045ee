"""What goes into a model and what comes out of one, checked the same way for every backend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from memskill.errors import ModelError
from memskill.models.protocols import DIMENSION

if TYPE_CHECKING:
    import numpy.typing as npt

    from memskill.models.protocols import Evidence, Vectors


def clean(text: str) -> str:
    """Return `text` with lone surrogates, which no tokenizer takes, replaced by `?`."""
    return text.encode("utf-8", "replace").decode("utf-8")


def all_finite(values: npt.NDArray[np.floating[Any]], source: object) -> None:
    """Raise unless every value is a finite number.

    Raises:
        ModelError: NaN or infinity, which no caller could compare or store.
    """
    if not np.isfinite(values).all():
        raise ModelError(f"{source}: the model answered a value that is not finite")


def unit_rows(vectors: npt.NDArray[np.floating[Any]], rows: int, source: object) -> Vectors:
    """Return `vectors` as float32 (rows, 384), each row divided by its length.

    Raises:
        ModelError: Another shape, a value that is not finite, or a row of zeros.
    """
    if vectors.ndim != 2 or len(vectors) != rows:
        raise ModelError(f"{source}: vectors of shape {vectors.shape} for {rows} texts")
    if vectors.shape[1] != DIMENSION:
        raise ModelError(
            f"{source}: vectors of {vectors.shape[1]} numbers; the store keeps {DIMENSION}",
            hint=f"Use a model of {DIMENSION} numbers (all-MiniLM-L6-v2, bge-small-en-v1.5,"
            f" e5-small-v2, ...) or, for one trained to be cut, hf:NAME?dimensions={DIMENSION}.",
        )
    all_finite(vectors, source)
    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    if rows and not lengths.all():
        raise ModelError(f"{source}: the model answered a vector of zeros")
    return (vectors / np.where(lengths == 0, 1.0, lengths)).astype(np.float32)


def check_evidence(evidence: Evidence, rows: int, columns: int) -> None:
    """Raise unless `evidence` is (rows, columns).

    Raises:
        ValueError: Another shape: the caller's mistake, not the model's.
    """
    if evidence.shape != (rows, columns):
        raise ValueError(f"evidence of shape {evidence.shape}, expected {(rows, columns)}")
