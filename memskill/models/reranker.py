"""The shipped kind of reranker: ONNX over a task and a skill, with the shortlist's evidence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, cast

import numpy as np

from memskill.errors import ModelError
from memskill.models.calibration import Calibration
from memskill.models.onnx_folder import OnnxFolder
from memskill.models.threads import in_parallel
from memskill.models.values import all_finite, check_evidence

if TYPE_CHECKING:
    from memskill.models.protocols import Evidence, Logits


class OnnxReranker:
    """A reranker from a folder of model.onnx, tokenizer.json and config.json.

    The graph takes input_ids, attention_mask and token_type_ids, int64 (1, t), and `evidence`,
    float32 (1, k), and gives `logit`, float32. config.json names the evidence columns
    (`evidence`), the token limit of a pair (`max_tokens`; the longer side is cut first) and the
    calibration. Each pair runs by itself on one thread: same bytes in any company, on one class
    of processor and version of onnxruntime.

    Args:
        folder: The model folder.
        threads: How many pairs run at once; 0 = one per core.

    Raises:
        ModelError: The folder is damaged or holds a model of another kind.
    """

    def __init__(self, folder: Path, threads: int = 0) -> None:
        inputs = ("input_ids", "attention_mask", "evidence")
        self._model = OnnxFolder(folder, inputs=inputs, output="logit")
        self._threads = threads
        self.evidence_names = _evidence_names(self._model)
        self.calibration = _calibration(self._model)

    @property
    def fingerprint(self) -> str:
        """Sha256 of weights, tokenizer, evidence names and token limit.

        The calibration is not in it: fitting one anew changes no logit.
        """
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        return self._model.fingerprint("reranker", self.evidence_names, self._model.max_tokens)

    def rerank(self, task: str, texts: Sequence[str], evidence: Evidence) -> Logits:
        """Return float64 (n,), the logit of each text for `task`, in the order of `texts`.

        Args:
            task: What is to be done.
            texts: What each candidate says of itself.
            evidence: float32 (n, k), columns as in `evidence_names`.

        Raises:
            ValueError: `evidence` has another shape.
            ModelError: The model failed, or gave no finite number.
        """
        check_evidence(evidence, len(texts), len(self.evidence_names))
        rows = np.ascontiguousarray(evidence, dtype=np.float32)

        def score(place: int) -> float:
            pair_evidence = {"evidence": rows[place : place + 1]}
            answer = np.asarray(self._model.run(task, texts[place], pair_evidence))
            if answer.size != 1:
                raise ModelError(f"{self._model.folder}: a logit of shape {answer.shape}")
            return float(answer.reshape(()))

        logits = np.array(in_parallel(score, range(len(texts)), self._threads), dtype=np.float64)
        all_finite(logits, self._model.folder)
        return logits


def _evidence_names(model: OnnxFolder) -> tuple[str, ...]:
    names = model.config.get("evidence")
    if not isinstance(names, list) or not all(
        isinstance(n, str) for n in cast("list[object]", names)
    ):
        raise ModelError(f"{model.folder / 'config.json'}: evidence must list column names")
    return tuple(cast("list[str]", names))


def _calibration(model: OnnxFolder) -> Calibration:
    stated = model.config.get("calibration", {})
    if not isinstance(stated, dict):
        raise ModelError(f"{model.folder / 'config.json'}: calibration must be an object")
    return Calibration.from_mapping(cast("dict[str, object]", stated))
