"""Replies from a file: for tests, for replay, and for a person who asked a model by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from memskill.errors import ModelError, SourceError
from memskill.models.chat import MAX_REPLY_BYTES, ChatReply, OutOfReplies
from memskill.sources.encoding import decode
from memskill.sources.safety import read_bounded

_SEPARATOR = "\n=== next reply ===\n"


class ScriptedModel:
    """Answers from `FILE`, one reply a call, in order.

    The file is one reply as the model gave it; several are parted by a line
    `=== next reply ===`, or are the texts of a JSON list.
    """

    cacheable = False

    def __init__(self, file: str) -> None:
        self._file = Path(file)
        try:
            text, _ = decode(read_bounded(self._file, 20 * MAX_REPLY_BYTES))
        except SourceError as error:
            raise ModelError(
                f"scripted replies {file!r}: {error.message}",
                hint="Give the path of a text file: --model scripted:FILE",
            ) from error
        self._replies = _replies(text)
        self._used = 0

    @property
    def name(self) -> str:
        """`scripted:` and the file's name, without its folders."""
        return f"scripted:{self._file.name}"

    def complete(self, system: str, prompt: str, schema: Mapping[str, object]) -> ChatReply:
        """Return the next reply.

        Raises:
            OutOfReplies: All replies were given.
        """
        if self._used >= len(self._replies):
            raise OutOfReplies(
                f"{self._file.name} holds {len(self._replies)} replies, all were used",
                hint="Add one after a line `=== next reply ===`.",
            )
        reply = self._replies[self._used]
        self._used += 1
        return ChatReply(text=reply)


def _replies(text: str) -> list[str]:
    if text.lstrip().startswith("["):
        try:
            loaded: object = json.loads(text)
        except (ValueError, RecursionError):
            loaded = None
        if isinstance(loaded, list):
            items = cast("list[object]", loaded)
            if all(isinstance(item, str) for item in items):
                return [str(item) for item in items]
    return text.split(_SEPARATOR)
