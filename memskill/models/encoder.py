"""The shipped kind of encoder: a sentence model in ONNX, pooled and normalised in its graph."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from memskill.errors import ModelError
from memskill.models.onnx_folder import OnnxFolder
from memskill.models.protocols import DIMENSION
from memskill.models.reading import readable
from memskill.models.threads import in_parallel
from memskill.models.values import all_finite

if TYPE_CHECKING:
    from memskill.models.protocols import Vectors


class OnnxEncoder:
    """An encoder from a folder of model.onnx, tokenizer.json and config.json.

    The graph takes input_ids and attention_mask (and token_type_ids, where it has them), int64
    (1, t), and gives `vector`, float32 (1, 384), pooled and L2-normalised. Each text runs by
    itself on one thread, so its vector is the same bytes in any company, in any order and with
    any number of threads, on one class of processor and version of onnxruntime.

    An empty text is no error: it has a vector, that of the special tokens alone. Text beyond
    `max_tokens` of config.json is not seen, and where its `script` is "latin", neither are
    Chinese, Japanese and Korean runs beside Latin words (see `reading.readable`).

    Args:
        folder: The model folder.
        threads: How many texts run at once; 0 = one per core.

    Raises:
        ModelError: The folder is damaged or holds a model of another kind or width.
    """

    def __init__(self, folder: Path, threads: int = 0) -> None:
        self._model = OnnxFolder(folder, inputs=("input_ids", "attention_mask"), output="vector")
        self._threads = threads
        self._script = self._model.config.get("script")
        self.dimension = self._model.whole_number("dimension")
        if self.dimension != DIMENSION:
            raise ModelError(
                f"{folder}: vectors of {self.dimension} numbers",
                hint=f"The store keeps {DIMENSION}; use an encoder of that width.",
            )

    @property
    def fingerprint(self) -> str:
        """Sha256 of weights, tokenizer, pooling and token limit."""
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        settings = ["encoder", self._model.config.get("pooling"), self._model.max_tokens]
        return self._model.fingerprint(*settings, *([self._script] if self._script else []))

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (n, 384), rows L2-normalised and in the order of `texts`.

        Raises:
            ModelError: The model failed, or gave no finite vector of the stated width.
        """
        vectors = np.empty((len(texts), self.dimension), dtype=np.float32)
        if self._script == "latin":
            texts = [readable(text) for text in texts]
        for row, vector in enumerate(in_parallel(self._model.run, texts, self._threads)):
            if vector.shape != (self.dimension,):
                raise ModelError(f"{self._model.folder}: a vector of shape {vector.shape}")
            vectors[row] = vector
        all_finite(vectors, self._model.folder)
        return vectors
