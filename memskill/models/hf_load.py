"""Loads a model through sentence-transformers: from this machine first, then from the hub."""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np

from memskill.errors import ExtraMissing, ModelError
from memskill.models.onnx_folder import file_sha
from memskill.models.threads import worker_count

if TYPE_CHECKING:
    import numpy.typing as npt

    from memskill.models.spec import ModelSpec

    Floats = npt.NDArray[np.floating[Any]]

log = logging.getLogger(__name__)
# What shapes a result, of all that may lie in a model folder.
_SHAPING = {".safetensors", ".bin", ".onnx", ".onnx_data", ".xml", ".json", ".txt", ".model"}
_GPU_BATCH = 32


class Model(Protocol):
    """What SentenceTransformer and CrossEncoder share, of what is used here."""

    config: Any
    device: object
    # Of a CrossEncoder alone.
    num_labels: int

    def float(self) -> Model:
        """Turn all weights to float32."""
        ...


class Loaded:
    """A loaded model of the library, run by one caller at a time."""

    def __init__(
        self, spec: ModelSpec, kind: str, threads: int, extra: Mapping[str, object]
    ) -> None:
        self.spec = spec
        self.backend = spec.choice("backend", ("torch", "onnx", "openvino"))
        self._lock = threading.Lock()
        self.model = _load(_library_class(kind, threads), spec, self.backend, extra)
        self._batch = 1 if self.backend != "torch" or self._device() == "cpu" else _GPU_BATCH
        if self.backend == "torch":
            # Half precision saves nothing on a CPU and would round every score.
            self.model.float()

    @cached_property
    def folder(self) -> Path:
        """Where the model's files lie: the given folder, or its snapshot in the hub's cache."""
        path = Path(self.spec.target).expanduser()
        if path.is_dir():
            return path
        import huggingface_hub

        hub = cast("Any", huggingface_hub)
        revision = self.spec.options.get("revision")
        return Path(
            hub.snapshot_download(self.spec.target, revision=revision, local_files_only=True)
        )

    @cached_property
    def fingerprint(self) -> str:
        """Sha256 over names and contents of the files that shape a result, and the options."""
        digest = hashlib.sha256()
        for path in sorted(self.folder.rglob("*")):
            name = path.relative_to(self.folder).as_posix()
            if path.suffix in _SHAPING and path.is_file() and not name.startswith("."):
                digest.update(f"{name}\0{file_sha(path)}\n".encode())
        options = {k: v for k, v in self.spec.options.items() if k != "revision"}
        digest.update(repr(sorted((options | {"backend": self.backend}).items())).encode())
        return digest.hexdigest()

    def run(self, method: str, items: Sequence[object], **options: object) -> Floats:
        """Return `model.method(items)`, one item at a time where that keeps it exact.

        Raises:
            ModelError: The library failed, whatever way.
        """
        call = cast("Callable[..., npt.ArrayLike]", getattr(self.model, method))
        try:
            with self._lock:
                answer = call(items, batch_size=self._batch, show_progress_bar=False, **options)
        except Exception as error:
            raise ModelError(f"{self.spec.target}: the model failed: {error}") from error
        return np.asarray(answer)

    def _device(self) -> str:
        return str(self.model.device).partition(":")[0]


def _library_class(kind: str, threads: int) -> Callable[..., Model]:
    try:
        import sentence_transformers
        import torch
        from transformers.utils import logging as library_logging
    except ImportError as error:
        raise ExtraMissing(
            f"hf: models need the hf extra ({error.name} is missing)",
            hint="pip install 'memskill[hf]'",
        ) from error
    cast("Any", torch).set_num_threads(worker_count(threads))
    cast("Any", library_logging).disable_progress_bar()
    return cast("Callable[..., Model]", getattr(sentence_transformers, kind))


def _load(
    make: Callable[..., Model], spec: ModelSpec, backend: str, extra: Mapping[str, object]
) -> Model:
    """Load from this machine; only where that fails, from the hub."""
    name = str(Path(spec.target).expanduser()) if spec.target.startswith("~") else spec.target
    options = {"backend": backend, "revision": spec.options.get("revision"), **extra}
    if Path(name).is_absolute() or name.startswith("."):
        if not Path(name).is_dir():
            raise ModelError(f"hf:{spec.target}: no such folder", hint=_how_to_get("NAME"))
        return _attempt(make, name, options, local=True)
    try:
        return _attempt(make, name, options, local=True)
    except ExtraMissing:
        raise
    except ModelError as error:
        log.info("%s: not on this machine (%s); asking the hub", name, error.message)
    _ask_hub(name, spec.options.get("revision"))
    return _attempt(make, name, options, local=False)


def _ask_hub(name: str, revision: str | None) -> None:
    """Raise at once where the hub is out of reach; the library would retry for a minute."""
    import huggingface_hub

    try:
        huggingface_hub.HfApi().model_info(name, revision=revision, timeout=10)
    except Exception as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        message = f"hf:{name}: not on this machine, and the hub does not give it: {reason}"
        raise ModelError(message, hint=_how_to_get(name)) from error


def _attempt(
    make: Callable[..., Model], name: str, options: dict[str, object], local: bool
) -> Model:
    try:
        return make(name, local_files_only=local, **options)
    except Exception as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        # The library words a missing backend as a plain Exception over the ImportError.
        if isinstance(error, ImportError) or isinstance(error.__context__, ImportError):
            extra = f"pip install 'sentence-transformers[{options['backend']}]'"
            hint = "Install what it names." if options["backend"] == "torch" else extra
            raise ExtraMissing(
                f"hf:{name}: something is not installed: {reason}", hint=hint
            ) from error
        raise ModelError(f"hf:{name}: cannot load: {reason}", hint=_how_to_get(name)) from error


def _how_to_get(name: str) -> str:
    return (
        f"On a machine with network: `hf download {name} --local-dir FOLDER`; copy the folder"
        " here and set hf:/path/to/FOLDER."
    )
