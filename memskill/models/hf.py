"""Any sentence-transformers model as encoder or reranker: `hf:NAME_OR_PATH[?option=value]`.

Options: `backend` = torch (default), onnx or openvino; `revision` of the repository; for an
encoder `dimensions`, to cut the vectors of a model that was trained for it.

On a CPU each text or pair runs alone, so that its result is the same bytes in any company. On
a GPU they run in padded batches: padding is masked, and a result moves by the noise of float32
(about 1e-6), which the four places of a score do not show.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from memskill.errors import ConfigError, ModelError
from memskill.models.calibration import Calibration
from memskill.models.hf_load import Loaded
from memskill.models.protocols import DIMENSION
from memskill.models.values import all_finite, check_evidence, clean, unit_rows

if TYPE_CHECKING:
    from memskill.models.protocols import Evidence, Logits, Vectors
    from memskill.models.spec import ModelSpec


class HfEncoder:
    """An encoder by sentence-transformers.

    Args:
        spec: Name or path, and options.
        threads: Threads of torch in this process; 0 = one per core.

    Raises:
        ExtraMissing: The hf extra, or that of the backend, is not installed.
        ModelError: No such model here nor to be had, or vectors that are not 384 wide.
    """

    dimension = DIMENSION

    def __init__(self, spec: ModelSpec, threads: int = 0) -> None:
        cut = {"truncate_dim": _whole(spec, "dimensions")} if "dimensions" in spec.options else {}
        self._loaded = Loaded(spec, "SentenceTransformer", threads, cut)
        self.encode(["probe"])

    @property
    def fingerprint(self) -> str:
        """Sha256 of the model's files and the options."""
        return self._loaded.fingerprint

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (n, 384), rows L2-normalised and in the order of `texts`.

        Raises:
            ModelError: The model failed, or its vectors have another width.
        """
        if not texts:
            return np.empty((0, DIMENSION), dtype=np.float32)
        vectors = self._loaded.run("encode", [clean(text) for text in texts])
        return unit_rows(vectors, len(texts), self._loaded.spec.target)


class HfReranker:
    """A cross-encoder by sentence-transformers, of one label.

    It takes no evidence and has no calibration of its own: its logits come out as they are,
    with no activation, and go through the plain sigmoid until a floor is fitted for it.

    Args:
        spec: Name or path, and options.
        threads: Threads of torch in this process; 0 = one per core.

    Raises:
        ExtraMissing: The hf extra, or that of the backend, is not installed.
        ModelError: No such model here nor to be had, or one that is no reranker.
    """

    evidence_names: tuple[str, ...] = ()
    calibration = Calibration()

    def __init__(self, spec: ModelSpec, threads: int = 0) -> None:
        self._loaded = Loaded(spec, "CrossEncoder", threads, {})
        model = self._loaded.model
        kinds = [str(name) for name in getattr(model.config, "architectures", None) or ()]
        saved_whole = (self._loaded.folder / "modules.json").is_file()
        # Without a trained head, the library makes one of random numbers and only warns.
        headed = any(kind.endswith(("ForSequenceClassification", "ForCausalLM")) for kind in kinds)
        if model.num_labels != 1 or not (headed or saved_whole):
            raise ModelError(
                f"{spec.target}: not a reranker: {kinds or 'unknown'}, {model.num_labels} labels",
                hint="Name a cross-encoder with one label, such as hf:BAAI/bge-reranker-base.",
            )

    @property
    def fingerprint(self) -> str:
        """Sha256 of the model's files and the options."""
        return self._loaded.fingerprint

    def rerank(self, task: str, texts: Sequence[str], evidence: Evidence) -> Logits:
        """Return float64 (n,), the logit of each text for `task`, in the order of `texts`.

        Raises:
            ValueError: `evidence` is not (n, 0).
            ModelError: The model failed, or gave no finite number a pair.
        """
        check_evidence(evidence, len(texts), 0)
        if not texts:
            return np.empty(0, dtype=np.float64)
        import torch

        pairs = [(clean(task), clean(text)) for text in texts]
        answer = self._loaded.run("predict", pairs, activation_fn=torch.nn.Identity())
        if answer.shape not in ((len(texts),), (len(texts), 1)):
            raise ModelError(f"{self._loaded.spec.target}: scores of shape {answer.shape}")
        all_finite(answer, self._loaded.spec.target)
        return answer.reshape(-1).astype(np.float64)


def _whole(spec: ModelSpec, option: str) -> int:
    value = spec.options[option]
    if not value.isascii() or not value.isdigit() or int(value) < 1:
        raise ConfigError(f"hf:{spec.target}?{option}={value}: must be a whole number from 1")
    return int(value)
