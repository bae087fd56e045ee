"""Any model of Simon Willison's `llm`: its plugins, aliases and stored keys."""

from __future__ import annotations

import importlib
import threading
from collections.abc import Mapping
from typing import Any

from memskill.errors import ChatTimeout, ExtraMissing, ModelError
from memskill.models.chat import MAX_REPLY_BYTES, ChatReply, Usage
from memskill.sources.safety import printable


class LlmModel:
    """A model of `llm` by name or alias. Keys stay in `llm`: memskill reads and stores none."""

    cacheable = True

    def __init__(self, name: str, *, timeout_seconds: float) -> None:
        try:
            llm: Any = importlib.import_module("llm")
        except ImportError as error:
            raise ExtraMissing(
                f"{printable(name, 80)!r} needs the llm package", hint="pip install 'memskill[llm]'"
            ) from error
        try:
            self._model: Any = llm.get_model(name)
        except llm.UnknownModelError as error:
            raise ModelError(
                f"no model is called {printable(name, 80)!r}",
                hint="`llm models` lists them; `llm install` adds a provider.",
            ) from error
        self._timeout = timeout_seconds

    @property
    def name(self) -> str:
        """The model's own id, whatever alias it was asked by."""
        return f"llm:{self._model.model_id}"

    def complete(self, system: str, prompt: str, schema: Mapping[str, object]) -> ChatReply:
        """Return the reply; the schema goes along where the model takes one."""
        # `llm` has no time limit of its own. The thread of a reply that never comes is left
        # behind as a daemon, which is all that can be done from outside.
        answer: list[ChatReply] = []
        fault: list[Exception] = []

        def run() -> None:
            try:
                answer.append(self._prompt(system, prompt, schema))
            except Exception as error:  # noqa: BLE001 (plugins raise anything; told below)
                fault.append(error)

        worker = threading.Thread(target=run, name="memskill-chat", daemon=True)
        worker.start()
        worker.join(self._timeout)
        if answer:
            return answer[0]
        if fault:
            raise ModelError(
                f"{self.name}: {type(fault[0]).__name__}: {printable(str(fault[0]), 300)}"
            ) from fault[0]
        raise ChatTimeout(
            f"{self.name}: no whole reply in {self._timeout:g} s",
            hint="Raise chat_timeout_seconds, or take a smaller model.",
        )

    def _prompt(self, system: str, prompt: str, schema: Mapping[str, object]) -> ChatReply:
        more: dict[str, object] = {"schema": dict(schema)} if self._takes_schema() else {}
        if "temperature" in getattr(self._model.Options, "model_fields", {}):
            more["temperature"] = 0
        response: Any = self._model.prompt(prompt, system=system, stream=False, **more)
        text = str(response.text())
        if len(text) > MAX_REPLY_BYTES:
            raise ModelError(f"{self.name}: the reply is larger than {MAX_REPLY_BYTES} bytes")
        used: Any = response.usage()
        return ChatReply(
            text=text,
            usage=Usage(
                input_tokens=getattr(used, "input", None),
                output_tokens=getattr(used, "output", None),
            ),
        )

    def _takes_schema(self) -> bool:
        return bool(getattr(self._model, "supports_schema", False))
