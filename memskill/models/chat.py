"""Chat models behind one method, chosen by name; each backend is imported when it is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeVar

from memskill.errors import ModelError, UsageError

_Number = TypeVar("_Number", int, float)
# Not a chat model: the deterministic drafter, which needs none.
EXTRACTIVE = "extractive"
# No draft is longer than this; a longer reply is a fault of the model or of the wire.
MAX_REPLY_BYTES = 262_144


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a reply took; None where the model does not tell."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    # In the currency that the provider reports, usually US dollars.
    cost: float | None = None

    def __add__(self, other: Usage) -> Usage:
        """Return the sum; what one of the two does not tell counts as nothing."""
        return Usage(
            input_tokens=_sum(self.input_tokens, other.input_tokens),
            output_tokens=_sum(self.output_tokens, other.output_tokens),
            cost=_sum(self.cost, other.cost),
        )


_UNTOLD = Usage()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatReply:
    """What a model answered."""

    text: str
    usage: Usage = _UNTOLD


class OutOfReplies(ModelError):
    """A model that replays replies has given them all."""


class ChatModel(Protocol):
    """Something that answers a prompt with a text."""

    @property
    def name(self) -> str:
        """The name under which replies are cached and reported."""
        ...

    @property
    def cacheable(self) -> bool:
        """Whether the same prompt may be answered from the cache."""
        ...

    def complete(self, system: str, prompt: str, schema: Mapping[str, object]) -> ChatReply:
        """Return the reply to one prompt.

        Args:
            system: What the model is to be.
            prompt: What it is to do.
            schema: JSON schema of the reply; a model without schemas gets none.

        Raises:
            ChatTimeout: No reply in time, retries included.
            ModelError: Anything else that gives no usable text.
        """
        ...


def chat_model(spec: str, *, timeout_seconds: float = 120.0) -> ChatModel:
    """Return the model that `spec` names: `scripted:FILE`, `openai:MODEL@URL` or one of `llm`.

    Raises:
        UsageError: `spec` names no model, or is the extractive drafter, which is none.
        ModelError: The model is unknown or its file cannot be read.
        ExtraMissing: It is a model of `llm`, which is not installed.
    """
    kind, _, rest = spec.partition(":")
    if spec == EXTRACTIVE or not spec.strip():
        raise UsageError(f"{spec!r} is no chat model", hint="Name one with --model.")
    if kind == "scripted":
        from memskill.models.chat_scripted import ScriptedModel

        return ScriptedModel(rest)
    if kind == "openai":
        from memskill.models.chat_openai import OpenAiModel

        return OpenAiModel(rest, timeout_seconds=timeout_seconds)
    from memskill.models.chat_llm import LlmModel

    return LlmModel(spec, timeout_seconds=timeout_seconds)


def _sum(left: _Number | None, right: _Number | None) -> _Number | None:
    return right if left is None else left if right is None else left + right
