"""Vectors by (sha of the encoded text, model fingerprint): a model change never mixes them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from memskill.errors import StoreError
from memskill.store.base import Connection

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import polars as pl

DIMENSION = 384


class VectorQueries(Connection):
    """Reads and writes of cached vectors."""

    def known_vectors(self, text_shas: Iterable[str], model: str) -> set[str]:
        """Return which of the texts already have a vector of this model."""
        with self._incoming(_sha_frame(text_shas)):
            return {str(sha) for (sha,) in self._rows("known_vectors", model=model)}

    def vectors(self, text_shas: Iterable[str], model: str) -> dict[str, npt.NDArray[np.float32]]:
        """Return sha -> vector (384,) of the texts that have one of this model."""
        with self._incoming(_sha_frame(text_shas)):
            found = self._frame("vectors_of", model=model)
        matrix = found["vector"].to_numpy().reshape(-1, DIMENSION)
        return dict(zip(found["text_sha"].to_list(), matrix, strict=True))

    def add_vectors(self, vectors: Mapping[str, npt.NDArray[np.float32]], model: str) -> None:
        """Keep sha -> vector (384,), L2-normalised; known ones stay as they are.

        Raises:
            StoreError: A vector of another length, or not of length one (zero, NaN).
        """
        import duckdb
        import numpy as np
        import polars as pl

        for sha, vector in vectors.items():
            if vector.shape != (DIMENSION,):
                raise StoreError(f"vector of text {sha}: shape {vector.shape}, not ({DIMENSION},)")
        if not vectors:
            return
        frame = pl.DataFrame(
            {"text_sha": list(vectors), "vector": np.stack(list(vectors.values()))},
            schema={"text_sha": pl.String, "vector": pl.Array(pl.Float32, DIMENSION)},
        )
        try:
            self._load_frame("insert_vectors", frame, model=model)
        except duckdb.ConstraintException as error:
            raise StoreError(f"a vector of model {model} is not of length one") from error


def _sha_frame(text_shas: Iterable[str]) -> pl.DataFrame:
    import polars as pl

    return pl.DataFrame({"text_sha": sorted(set(text_shas))}, schema={"text_sha": pl.String})
