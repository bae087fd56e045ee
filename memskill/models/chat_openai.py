"""A server that speaks the OpenAI chat protocol, such as Ollama, vLLM or llama.cpp."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Generator, Mapping
from urllib.parse import urlsplit

from memskill.errors import ChatTimeout, ModelError, UsageError
from memskill.models.chat import ChatReply
from memskill.models.chat_wire import Busy, Dropped, Refused, read_reply
from memskill.sources.safety import printable

MAX_TRIES = 4
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.5, 20.0


class OpenAiModel:
    """`MODEL@BASE_URL`, for instance `qwen3:4b@http://localhost:11434/v1`.

    Replies are streamed, so that a limit on time and size can end them. No key is sent: this is
    for servers of one's own; a provider with keys is a model of `llm`.
    """

    cacheable = True

    def __init__(
        self, spec: str, *, timeout_seconds: float, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        model, _, base = spec.rpartition("@")
        url = urlsplit(base)
        try:
            port = url.port
        except ValueError as error:
            raise UsageError(f"openai:{printable(spec)}: {error}") from error
        if not model or url.scheme not in ("http", "https") or not url.hostname:
            raise UsageError(
                f"openai:{printable(spec)} names no model and server",
                hint="openai:MODEL@BASE_URL, for instance openai:qwen3:4b@http://localhost:11434/v1",
            )
        if re.search(r"[\s\x00-\x1f]", base) or url.username:
            raise UsageError("a base URL holds no blanks and no user name")
        self._model = model
        self._host, self._port = url.hostname, port
        self._secure = url.scheme == "https"
        self._path = url.path.rstrip("/") + "/chat/completions"
        self._base = base
        self._timeout = timeout_seconds
        self._sleep = sleep

    @property
    def name(self) -> str:
        """`openai:MODEL@BASE_URL`."""
        return f"openai:{self._model}@{self._base}"

    def complete(self, system: str, prompt: str, schema: Mapping[str, object]) -> ChatReply:
        """Return the reply; a busy server and a cut stream are tried again, a bounded time."""
        plain: dict[str, object] = {
            "model": self._model,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": prompt},
            ],
            "stream": True,
            "temperature": 0,
        }
        form = {"type": "json_schema", "json_schema": {"name": "draft", "schema": schema}}
        more = {"response_format": form, "stream_options": {"include_usage": True}}
        # One deadline for all tries: retries never make a hang longer.
        deadline = time.monotonic() + self._timeout
        try:
            return self._ask_again(plain | more, deadline)
        except Refused:
            try:
                return self._ask_again(plain, deadline)
            except Refused as refused:
                raise ModelError(
                    f"{self.name}: {refused}", hint="Is the model's name right?"
                ) from refused

    def _ask_again(self, body: Mapping[str, object], deadline: float) -> ChatReply:
        """Ask until there is a reply, at most MAX_TRIES times with growing pauses."""
        data = json.dumps(body).encode()
        pause, last = _FIRST_PAUSE_SECONDS, ""
        for attempt in range(MAX_TRIES):
            try:
                return self._ask(data, deadline)
            except (Busy, Dropped) as fault:
                last = str(fault)
                wait = min(max(pause, getattr(fault, "wait", 0.0)), _LONGEST_PAUSE_SECONDS)
            if attempt + 1 == MAX_TRIES or time.monotonic() + wait >= deadline:
                break
            self._sleep(wait)
            pause *= 2
        raise ModelError(
            f"{self.name}: {last}, also when tried again",
            hint="Is the server up and not overloaded?",
        )

    def _ask(self, data: bytes, deadline: float) -> ChatReply:
        """Send one request and read its reply before the deadline."""
        left = max(deadline - time.monotonic(), 0.05)
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=left)
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        try:
            connection.connect()
            # A server that drips one byte now and then never meets a socket's timeout.
            with _shut_after(left, connection.sock):
                connection.request("POST", self._path, body=data, headers=headers)
                return read_reply(connection.getresponse(), self.name)
        except (OSError, http.client.HTTPException, Dropped) as error:
            if isinstance(error, TimeoutError) or time.monotonic() >= deadline:
                raise ChatTimeout(
                    f"{self.name}: no whole reply in {self._timeout:g} s",
                    hint="Raise chat_timeout_seconds, or take a smaller model.",
                ) from error
            if isinstance(error, Dropped):
                raise
            raise Dropped(f"no connection, or it broke: {error or type(error).__name__}") from error
        finally:
            connection.close()


@contextlib.contextmanager
def _shut_after(seconds: float, sock: socket.socket) -> Generator[None]:
    """End the socket after `seconds`, whatever a read or write on it is waiting for."""

    def shut() -> None:
        with contextlib.suppress(OSError):
            sock.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, shut)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
