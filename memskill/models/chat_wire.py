"""Reading one reply of the OpenAI chat protocol, streamed or whole, within time and size."""

from __future__ import annotations

import http.client
import json
from collections.abc import Iterator
from typing import cast

from memskill.errors import ModelError
from memskill.models.chat import MAX_REPLY_BYTES, ChatReply, Usage
from memskill.sources.safety import printable

# The framing of a stream takes far more than the text that it carries.
_MAX_WIRE_BYTES = 64 * MAX_REPLY_BYTES
_MAX_LINE_BYTES = MAX_REPLY_BYTES * 2
_RETRY_STATUS = frozenset((408, 409, 425, 429, 500, 502, 503, 504, 529))


class Busy(Exception):
    """The server says to come again; `wait` is how long it asked for, in seconds."""

    def __init__(self, message: str, wait: float) -> None:
        super().__init__(message)
        self.wait = wait


class Refused(Exception):
    """The server does not take the request; older ones know no schemas."""


class Dropped(Exception):
    """The reply ended before it was whole."""


def read_reply(response: http.client.HTTPResponse, name: str) -> ChatReply:
    """Return the reply that a response carries.

    Raises:
        Busy, Dropped: Worth another try.
        Refused: Perhaps worth one without a schema.
        ModelError: An error of the server, a reply that is too large or is not of the protocol.
    """
    if response.status != 200:
        body = response.read(2_000).decode("utf-8", "replace")
        told = f"HTTP {response.status}: {printable(body, 200)}"
        # llama.cpp's Python server answers 500 to a form of reply that it does not know.
        if response.status in (400, 422) or "response_format" in body:
            raise Refused(told)
        if response.status in _RETRY_STATUS:
            raise Busy(told, _seconds(response.headers.get("Retry-After", "")))
        raise ModelError(f"{name}: {told}", hint="Is the model's name right, and the base URL?")
    lines = _lines(response, name)
    if "text/event-stream" in response.headers.get("Content-Type", ""):
        return _streamed(lines, name)
    return _whole(b"".join(lines), name)


def _seconds(value: str) -> float:
    """Return a Retry-After in seconds; a date or nonsense counts as none."""
    return float(value) if value.isdigit() and len(value) < 6 else 0.0


def _lines(response: http.client.HTTPResponse, name: str) -> Iterator[bytes]:
    """Yield the lines of the body, within the limits on size."""
    total = 0
    while line := response.readline(_MAX_LINE_BYTES + 1):
        total += len(line)
        if len(line) > _MAX_LINE_BYTES or total > _MAX_WIRE_BYTES:
            raise ModelError(f"{name}: the reply is larger than {MAX_REPLY_BYTES} bytes")
        yield line
    if response.length:
        raise Dropped("the reply ended before its stated length")


def _streamed(lines: Iterator[bytes], name: str) -> ChatReply:
    parts: list[str] = []
    size = 0
    usage = Usage()
    finished = False
    for line in lines:
        data = line.strip().removeprefix(b"data:").strip()
        if not line.startswith(b"data:") or not data:
            continue
        if data == b"[DONE]":
            finished = True
            break
        event = _object(data, name)
        text, done = _delta(event)
        parts.append(text)
        size += len(text)
        if size > MAX_REPLY_BYTES:
            raise ModelError(f"{name}: the reply is larger than {MAX_REPLY_BYTES} bytes")
        finished = finished or done
        usage = _usage(event) or usage
    if not finished:
        raise Dropped("the stream was cut off")
    return ChatReply(text="".join(parts), usage=usage)


def _whole(body: bytes, name: str) -> ChatReply:
    event = _object(body, name)
    text, _ = _delta(event, key="message")
    if not text:
        raise ModelError(f"{name}: the reply carries no text")
    if len(text) > MAX_REPLY_BYTES:
        raise ModelError(f"{name}: the reply is larger than {MAX_REPLY_BYTES} bytes")
    return ChatReply(text=text, usage=_usage(event) or Usage())


def _object(data: bytes, name: str) -> dict[str, object]:
    try:
        loaded: object = json.loads(data)
    except (ValueError, RecursionError) as error:
        shown = printable(data[:80].decode("utf-8", "replace"), 60)
        raise ModelError(f"{name}: answered what is not JSON: {shown!r}") from error
    if not isinstance(loaded, dict):
        raise ModelError(f"{name}: answered JSON that is not an object")
    found = cast("dict[str, object]", loaded)
    if error := found.get("error"):
        raise ModelError(f"{name}: {printable(str(error), 200)}")
    return found


def _delta(event: dict[str, object], key: str = "delta") -> tuple[str, bool]:
    """Return the text of the first choice, and whether the model ended there."""
    choices = event.get("choices")
    first = cast("list[object]", choices)[0] if isinstance(choices, list) and choices else None
    if not isinstance(first, dict):
        return "", False
    choice = cast("dict[str, object]", first)
    part = choice.get(key)
    content = cast("dict[str, object]", part).get("content") if isinstance(part, dict) else None
    return content if isinstance(content, str) else "", bool(choice.get("finish_reason"))


def _usage(event: dict[str, object]) -> Usage | None:
    usage = event.get("usage")
    if not isinstance(usage, dict):
        return None
    found = cast("dict[str, object]", usage)
    cost = found.get("cost")
    return Usage(
        input_tokens=_count(found.get("prompt_tokens")),
        output_tokens=_count(found.get("completion_tokens")),
        cost=float(cost) if isinstance(cost, (int, float)) and not isinstance(cost, bool) else None,
    )


def _count(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
