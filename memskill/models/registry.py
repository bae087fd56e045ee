"""The models that the settings name, loaded once per process. Nothing falls back silently."""

from __future__ import annotations

import threading
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from memskill.config import Settings
from memskill.models.spec import ModelSpec, parse_spec
from memskill.models.threads import worker_count

if TYPE_CHECKING:
    from memskill.models.protocols import Encoder, Reranker

WEIGHTS = Path(__file__).parent / "weights"
# Two requests that both find no model must not load it twice.
_LOADING = threading.RLock()


def load_encoder(settings: Settings) -> Encoder:
    """Return the encoder that `settings.encoder` names, the same object each time.

    Raises:
        ConfigError: The setting has no such form.
        ExtraMissing: It needs a dependency that is not installed.
        ModelError: The model cannot load: which, why and what to do.
    """
    with _LOADING:
        return _encoder(settings.encoder, worker_count(settings.threads))


def load_reranker(settings: Settings) -> Reranker | None:
    """Return the reranker that `settings.reranker` names; None for "none".

    Raises:
        ConfigError: The setting has no such form.
        ExtraMissing: It needs a dependency that is not installed.
        ModelError: The model cannot load: which, why and what to do.
    """
    with _LOADING:
        return _reranker(settings.reranker, worker_count(settings.threads))


@lru_cache(maxsize=4)
def _encoder(value: str, threads: int) -> Encoder:
    spec = parse_spec("encoder", value)
    if spec.kind == "hf":
        from memskill.models.hf import HfEncoder

        return HfEncoder(spec, threads)
    if spec.kind == "http":
        from memskill.models.remote import RemoteEncoder

        return RemoteEncoder(spec)
    from memskill.models.encoder import OnnxEncoder

    return OnnxEncoder(_folder(spec, "encoder"), threads)


@lru_cache(maxsize=4)
def _reranker(value: str, threads: int) -> Reranker | None:
    spec = parse_spec("reranker", value)
    if spec.kind == "none":
        return None
    if spec.kind == "hf":
        from memskill.models.hf import HfReranker

        return HfReranker(spec, threads)
    if spec.kind == "http":
        from memskill.models.remote import RemoteReranker

        return RemoteReranker(spec)
    from memskill.models.reranker import OnnxReranker

    return OnnxReranker(_folder(spec, "reranker"), threads)


def _folder(spec: ModelSpec, name: str) -> Path:
    return WEIGHTS / name if spec.kind == "default" else Path(spec.target).expanduser()
