"""A model as a folder of three files: model.onnx, tokenizer.json and config.json.

Everything in it is checked when it is opened, so that a damaged folder says what is wrong
instead of answering nonsense.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from memskill.errors import ModelError
from memskill.models.values import clean

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Feeds = Mapping[str, npt.NDArray[Any]]
    Answer = npt.NDArray[np.float32]

# No tokenizer used here makes a token of more characters; what lies further on would be
# truncated anyway, and a megabyte of text would only cost time.
_CHARS_PER_TOKEN = 100
_REINSTALL = "Reinstall memskill, or point the setting at a model folder that is whole."


class Session(Protocol):
    """The part of onnxruntime.InferenceSession that is used."""

    def run(self, output_names: Sequence[str], input_feed: Feeds) -> list[npt.NDArray[Any]]:
        """Return the named outputs; safe to call from several threads at once."""
        ...

    def get_inputs(self) -> Sequence[Any]:
        """Return the graph's inputs, each with a name."""
        ...

    def get_outputs(self) -> Sequence[Any]:
        """Return the graph's outputs, each with a name."""
        ...


class Encoding(Protocol):
    """The part of tokenizers.Encoding that is used."""

    ids: list[int]
    attention_mask: list[int]
    type_ids: list[int]


class Tokenizer(Protocol):
    """The part of tokenizers.Tokenizer that is used."""

    def encode(self, sequence: str, pair: str | None = None) -> Encoding:
        """Return the tokens of a text or of a pair."""
        ...


class OnnxFolder:
    """An opened model folder: its config, its tokenizer and one session.

    The session computes on the calling thread alone and may be run by several threads at
    once, so that all of them share one copy of the weights.

    Args:
        folder: Holds model.onnx, tokenizer.json and config.json.
        inputs: Every input that the graph must have.
        output: The output that it must have.

    Raises:
        ModelError: A file is missing or damaged, or the graph has other inputs or outputs.
    """

    def __init__(self, folder: Path, *, inputs: Sequence[str], output: str) -> None:
        self.folder = folder
        self.config = read_config(folder / "config.json")
        self.max_tokens = self.whole_number("max_tokens")
        self.tokenizer = _load_tokenizer(folder / "tokenizer.json", self.max_tokens)
        self.session = _load_session(folder / "model.onnx")
        self.output = output
        self._inputs = frozenset(str(i.name) for i in self.session.get_inputs())
        known = {"input_ids", "attention_mask", "token_type_ids", *inputs}
        outputs = {str(o.name) for o in self.session.get_outputs()}
        if not set(inputs) <= self._inputs <= known or output not in outputs:
            raise ModelError(
                f"{folder / 'model.onnx'}: takes {sorted(self._inputs)} and gives"
                f" {sorted(outputs)}; expected {sorted(inputs)} and {output!r}",
                hint="It is a model of another kind.",
            )

    def whole_number(self, key: str) -> int:
        """Return the positive whole number `key` of config.json."""
        value = self.config.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            message = f"{self.folder / 'config.json'}: {key} must be a whole number from 1"
            raise ModelError(f"{message}, not {value!r}", hint=_REINSTALL)
        return value

    def run(self, text: str, pair: str | None = None, extra: Feeds | None = None) -> Answer:
        """Return the output for one text or pair, its batch axis dropped.

        One at a time on purpose: dynamic int8 takes its scale from the whole batch, and a
        batch is padded; either would let one text's answer depend on another text.
        """
        import numpy as np

        limit = self.max_tokens * _CHARS_PER_TOKEN
        tokens = self.tokenizer.encode(
            clean(text[:limit]), None if pair is None else clean(pair[:limit])
        )
        feeds: dict[str, npt.NDArray[Any]] = {
            "input_ids": np.array([tokens.ids], dtype=np.int64),
            "attention_mask": np.array([tokens.attention_mask], dtype=np.int64),
            "token_type_ids": np.array([tokens.type_ids], dtype=np.int64),
        }
        feeds = {name: feeds[name] for name in feeds if name in self._inputs} | dict(extra or {})
        try:
            (answer,) = self.session.run([self.output], feeds)
        except Exception as error:
            raise ModelError(f"{self.folder}: the model failed: {error}") from error
        return answer[0]

    def fingerprint(self, *settings: object) -> str:
        """Return the sha256 of weights, tokenizer and `settings`, which are JSON values."""
        digest = hashlib.sha256()
        for name in ("model.onnx", "tokenizer.json"):
            digest.update(file_sha(self.folder / name).encode())
        digest.update(json.dumps(settings, sort_keys=True).encode())
        return digest.hexdigest()


def file_sha(path: Path) -> str:
    """Return the file's sha256; computed again only when its size or time has changed."""
    stat = path.stat()
    return _file_sha(path, stat.st_size, stat.st_mtime_ns)


@lru_cache(maxsize=256)
def _file_sha(path: Path, size: int, mtime_ns: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def read_config(path: Path) -> Mapping[str, object]:
    """Return a JSON object from a file.

    Raises:
        ModelError: It is missing, no JSON or no object.
    """
    try:
        config: object = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ModelError(f"{path}: no such file", hint=_REINSTALL) from error
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: {error}", hint=_REINSTALL) from error
    if not isinstance(config, dict):
        raise ModelError(f"{path}: must hold a JSON object", hint=_REINSTALL)
    return cast("dict[str, object]", config)


def _load_tokenizer(path: Path, max_tokens: int) -> Tokenizer:
    import tokenizers

    try:
        tokenizer = cast("Any", tokenizers.Tokenizer).from_file(str(path))
        tokenizer.no_padding()
        tokenizer.enable_truncation(max_tokens)
    except Exception as error:
        raise ModelError(f"{path}: no usable tokenizer: {error}", hint=_REINSTALL) from error
    # "[SEP]" in a note is five characters, not the mark that parts task from skill.
    tokenizer.encode_special_tokens = True
    return cast("Tokenizer", tokenizer)


def _load_session(path: Path) -> Session:
    import onnxruntime

    ort = cast("Any", onnxruntime)
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.use_deterministic_compute = True
    # Texts differ in length: a memory plan for each length would only pile up.
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    try:
        return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise ModelError(f"{path}: cannot load: {error}", hint=_REINSTALL) from error
