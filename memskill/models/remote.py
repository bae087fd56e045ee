"""Encoder and reranker behind a model server: `http:URL[?option=value]`.

| shape    | servers                          | encode           | rerank                    |
|----------|----------------------------------|------------------|---------------------------|
| tei      | text-embeddings-inference        | POST /embed      | POST /rerank, raw scores  |
| infinity | infinity, OpenAI-like embeddings | POST /embeddings | POST /rerank              |
| cohere   | Cohere, vLLM, Jina and their like| POST /embed      | POST /rerank              |

Options: `shape` (asked of the server where it is not given: /info is tei, /models infinity,
neither cohere), `model` (sent along where a server serves several), and for a reranker
`scores`: raw for logits, probability for what lies in [0, 1] and is turned back into a logit.
TEI is asked for raw scores; of the others a probability is expected.

A server batches as it likes, so a result may move by the noise of its arithmetic.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, cast

import numpy as np

from memskill.errors import ModelError
from memskill.models.calibration import Calibration
from memskill.models.http_json import Server
from memskill.models.protocols import DIMENSION
from memskill.models.spec import ModelSpec
from memskill.models.values import check_evidence, clean, unit_rows

if TYPE_CHECKING:
    import numpy.typing as npt

    from memskill.models.protocols import Evidence, Logits, Vectors

_SHAPES = ("tei", "infinity", "cohere")
# TEI's own limit on texts of a request, unless it was started with another.
_BATCH = 32
# A probability of 0 or 1 has no logit; what a server rounded to one becomes about +-27.6.
_CLIP = 1e-12


class RemoteEncoder:
    """An encoder on a model server; asked for vectors of 384 numbers, normalised here.

    Args:
        spec: URL and options.
        server: Limits other than the usual ones, for tests.

    Raises:
        ConfigError: An option with no such value.
        ModelError: A URL that is none.
    """

    dimension = DIMENSION

    def __init__(self, spec: ModelSpec, server: Server | None = None) -> None:
        self._remote = _Remote(spec, server or Server(url=spec.target))

    @property
    def fingerprint(self) -> str:
        """Sha256 of URL, shape and the model that the server says it serves."""
        return self._remote.fingerprint("encoder")

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return float32 (n, 384), rows L2-normalised and in the order of `texts`.

        Raises:
            ModelError: No answer, or one that is not a vector of 384 numbers for each text.
        """
        rows = [row for batch in _batches(texts) for row in self._batch(batch)]
        if len({len(row) for row in rows}) > 1:
            raise self._remote.nonsense("vectors of unequal length")
        vectors = np.array(rows) if rows else np.empty((0, DIMENSION))
        return unit_rows(vectors, len(texts), self._remote.server.url)

    def _batch(self, texts: list[str]) -> list[npt.NDArray[np.float64]]:
        remote = self._remote
        if remote.shape == "tei":
            body = {"inputs": texts, "normalize": True, "truncate": True}
            rows = remote.server.post("/embed", body)
        elif remote.shape == "infinity":
            answer = remote.server.post("/embeddings", remote.named({"input": texts}))
            items = _field(answer, "data")
            return [remote.numbers(row) for row in remote.by_index(items, "embedding", len(texts))]
        else:
            body = {"texts": texts, "input_type": "search_document", "embedding_types": ["float"]}
            answer = _field(remote.server.post("/embed", remote.named(body)), "embeddings")
            by_type = _field(answer, "float")
            # By type where the server knows types, else the list itself.
            rows = answer if by_type is None else by_type
        listed = cast("list[object]", rows) if isinstance(rows, list) else []
        if len(listed) != len(texts):
            raise remote.nonsense(f"not one vector for each of {len(texts)} texts")
        return [remote.numbers(row) for row in listed]


class RemoteReranker:
    """A reranker on a model server; it takes no evidence and has no calibration of its own.

    Args:
        spec: URL and options.
        server: Limits other than the usual ones, for tests.

    Raises:
        ConfigError: An option with no such value.
        ModelError: A URL that is none.
    """

    evidence_names: tuple[str, ...] = ()
    calibration = Calibration()

    def __init__(self, spec: ModelSpec, server: Server | None = None) -> None:
        self._remote = _Remote(spec, server or Server(url=spec.target))
        self._scores = spec.choice("scores", ("", "raw", "probability"))

    @property
    def fingerprint(self) -> str:
        """Sha256 of URL, shape, scale and the model that the server says it serves."""
        return self._remote.fingerprint("reranker", self._scale)

    def rerank(self, task: str, texts: Sequence[str], evidence: Evidence) -> Logits:
        """Return float64 (n,), the logit of each text for `task`, in the order of `texts`.

        Raises:
            ValueError: `evidence` is not (n, 0).
            ModelError: No answer, or one that is not a score of the stated scale for each text.
        """
        check_evidence(evidence, len(texts), 0)
        parts = [self._batch(clean(task), batch) for batch in _batches(texts)]
        scores = np.concatenate([np.empty(0, dtype=np.float64), *parts])
        if self._scale == "raw":
            return scores
        if ((scores < 0) | (scores > 1)).any():
            raise self._remote.nonsense(
                "scores outside [0, 1]", "They are raw: add scores=raw to the setting."
            )
        inside = np.clip(scores, _CLIP, 1 - _CLIP)
        return np.log(inside) - np.log1p(-inside)

    @property
    def _scale(self) -> str:
        return self._scores or ("raw" if self._remote.shape == "tei" else "probability")

    def _batch(self, task: str, texts: list[str]) -> npt.NDArray[np.float64]:
        remote, raw = self._remote, self._scale == "raw"
        if remote.shape == "tei":
            body = {"query": task, "texts": texts, "raw_scores": raw, "truncate": True}
            items, key = remote.server.post("/rerank", body), "score"
        else:
            body = {"query": task, "documents": texts, "top_n": len(texts)}
            extra = {"raw_scores": True} if raw and remote.shape == "infinity" else {}
            answer = remote.server.post("/rerank", remote.named(body | extra))
            results = _field(answer, "results")
            # infinity's early releases called them data.
            items = _field(answer, "data") if results is None else results
            key = "relevance_score"
        return remote.numbers(remote.by_index(items, key, len(texts)))


class _Remote:
    """What encoder and reranker share: which shape the server has, and how to read it."""

    def __init__(self, spec: ModelSpec, server: Server) -> None:
        self.server = server
        self._options = spec.options
        self._stated_shape = spec.choice("shape", ("", *_SHAPES))

    @cached_property
    def _found(self) -> tuple[str, list[str]]:
        """The server's shape and what it says of its model: id, and sha where it has one."""
        info = self.server.get("/info") if self._stated_shape in ("", "tei") else None
        if isinstance(model_id := _field(info, "model_id"), str):
            return "tei", [model_id, str(_field(info, "model_sha") or "")]
        models = self.server.get("/models") if self._stated_shape in ("", "infinity") else None
        data = _field(models, "data")
        served = cast("list[object]", data) if isinstance(data, list) else [data]
        if served and isinstance(model_id := _field(served[0], "id"), str):
            return "infinity", [model_id]
        return "cohere", []

    @property
    def shape(self) -> str:
        """One of the shapes, as the setting says or else the server shows."""
        return self._stated_shape or self._found[0]

    def fingerprint(self, *more: str) -> str:
        """Return the sha256 of URL, shape, model and `more`."""
        model = [self._options.get("model", ""), *self._found[1]]
        parts = [self.server.url, self.shape, model, *more]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()

    def named(self, body: Mapping[str, object]) -> dict[str, object]:
        """Return `body` with the model's name, where one is known."""
        name = self._options.get("model") or next(iter(self._found[1]), "")
        return {**body, "model": name} if name else dict(body)

    def by_index(self, items: object, key: str, count: int) -> list[object]:
        """Return `item[key]` in the order of the request, each index exactly once."""
        found: dict[int, object] = {}
        for item in cast("list[object]", items) if isinstance(items, list) else []:
            index = _field(item, "index")
            if isinstance(index, int) and not isinstance(index, bool):
                found[index] = _field(item, key)
        if not isinstance(items, list) or len(cast("list[object]", items)) != count:
            raise self.nonsense(f"not one result for each of {count} texts")
        if found.keys() != set(range(count)):
            raise self.nonsense(f"indexes that are not 0 to {count - 1}, each once")
        return [found[index] for index in range(count)]

    def numbers(self, values: object) -> npt.NDArray[np.float64]:
        """Return a JSON list of finite numbers as float64 (n,)."""
        items = cast("list[object]", values) if isinstance(values, list) else [None]
        if any(isinstance(v, bool) or not isinstance(v, (int, float)) for v in items):
            raise self.nonsense("a value that is not a number")
        try:
            array = np.array(items, dtype=np.float64)
        except OverflowError as error:
            raise self.nonsense("a number beyond float64") from error
        if not np.isfinite(array).all():
            raise self.nonsense("a number that is not finite")
        return array

    def nonsense(self, what: str, hint: str = "") -> ModelError:
        """Return the error for an answer that cannot be used."""
        hint = hint or f"Is it a {self.shape} server? If not, add ?shape= to the setting."
        return ModelError(f"{self.server.url}: the model server answered {what}", hint=hint)


def _batches(texts: Sequence[str]) -> list[list[str]]:
    cleaned = [clean(text) for text in texts]
    return [cleaned[start : start + _BATCH] for start in range(0, len(cleaned), _BATCH)]


def _field(value: object, key: str) -> object:
    """Return `value[key]` of a JSON object; None of anything else."""
    return cast("dict[str, object]", value).get(key) if isinstance(value, dict) else None
