"""Reads the settings `encoder` and `reranker`: which model, where, with which options."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, cast
from urllib.parse import parse_qsl

from memskill.errors import ConfigError

Kind = Literal["default", "none", "onnx", "hf", "http"]
_OPTIONS: Mapping[str, frozenset[str]] = {
    "hf": frozenset({"backend", "dimensions", "revision"}),
    "http": frozenset({"shape", "model", "scores"}),
}
_FORMS = "default, onnx:FOLDER, hf:NAME_OR_PATH, http:URL"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """A setting, taken apart; `target` is empty for "default" and "none"."""

    kind: Kind
    target: str = ""
    options: Mapping[str, str] = field(default_factory=dict[str, str])

    def choice(self, option: str, allowed: tuple[str, ...]) -> str:
        """Return the option's value, the first of `allowed` where it is not given.

        Raises:
            ConfigError: A value that is not among `allowed`.
        """
        value = self.options.get(option, allowed[0])
        if value not in allowed:
            raise ConfigError(f"{self.target}?{option}={value}: must be one of {list(allowed)}")
        return value


def parse_spec(setting: str, value: str) -> ModelSpec:
    """Return what the setting names.

    Args:
        setting: "encoder" or "reranker", for messages; "none" is for rerankers alone.
        value: "default", "none", "onnx:FOLDER", "hf:NAME_OR_PATH[?option=value&...]" or
            "http:URL[?...]"; a plain http:// or https:// URL is one too.

    Raises:
        ConfigError: No such form, or an option that the form does not have.
    """
    forms = _FORMS + (", none" if setting == "reranker" else "")
    if value == "default" or (value == "none" and setting == "reranker"):
        return ModelSpec(kind=value)
    kind, _, rest = value.partition(":")
    if value.startswith(("http://", "https://")):
        kind, rest = "http", value
    if kind not in ("onnx", "hf", "http") or not rest:
        raise ConfigError(f"{setting}: cannot read {value!r}", hint=f"Write one of: {forms}.")
    target, _, query = rest.partition("?")
    options = dict(parse_qsl(query, keep_blank_values=True))
    if unknown := sorted(options.keys() - _OPTIONS.get(kind, frozenset())):
        known = ", ".join(sorted(_OPTIONS.get(kind, ()))) or "none"
        raise ConfigError(
            f"{setting}: {kind}: has no option {unknown[0]!r}", hint=f"It has: {known}."
        )
    return ModelSpec(kind=cast("Kind", kind), target=target, options=options)
