"""One JSON request to the model server that the settings name, bounded in time and size.

Redirects are not followed: a request goes to the named host or to none. Environment proxies
are not used.
"""

from __future__ import annotations

import http.client
import json
import time
from dataclasses import dataclass
from email.message import Message
from urllib.parse import urlsplit

from memskill import __version__
from memskill.errors import ModelError

_BUSY = (429, 503)
_RETRIES = 3
_LONGEST_WAIT_SECONDS = 5.0
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """Where a model server is, and how much of an answer is waited for."""

    url: str
    # For one request with its answer, from connecting to the last byte.
    timeout_seconds: float = 30.0
    max_bytes: int = 32_000_000
    # Before the second try; doubled for each further one, unless the server says how long.
    pause_seconds: float = 0.25

    def __post_init__(self) -> None:
        """Refuse a URL that is none, or that carries a password into every log."""
        try:
            parts = urlsplit(self.url)
            named = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:  # a port out of range, a bracket left open
            named, parts = False, urlsplit("")
        if not named or parts.username or parts.password or not self.url.isprintable():
            raise ModelError(
                f"no usable URL: {self.url.rpartition('@')[2]!r}",
                hint="Write http:http://HOST:PORT or http:https://HOST/PATH, without a user.",
            )

    def get(self, path: str) -> object | None:
        """Return the JSON that `path` answers; None where the server has no such path.

        Raises:
            ModelError: Out of reach, too slow, too large, not JSON, or still busy.
        """
        status, body = self._try("GET", path, None)
        return None if status in (401, 403, 404, 405, 501) else self._parse(path, status, body)

    def post(self, path: str, payload: object) -> object:
        """Return the JSON that `path` answers to `payload`.

        Raises:
            ModelError: Out of reach, too slow, too large, not JSON, or any status but 200.
        """
        data = json.dumps(payload).encode()
        status, body = self._try("POST", path, data)
        return self._parse(path, status, body)

    def _try(self, method: str, path: str, data: bytes | None) -> tuple[int, bytes]:
        """Ask again, a few times, while the server says that it is busy."""
        status, headers, body = self._ask(method, path, data)
        for attempt in range(_RETRIES):
            if status not in _BUSY:
                break
            time.sleep(self._pause(headers, attempt))
            status, headers, body = self._ask(method, path, data)
        return status, body

    def _ask(self, method: str, path: str, data: bytes | None) -> tuple[int, Message, bytes]:
        deadline = time.monotonic() + self.timeout_seconds
        parts = urlsplit(self.url)
        kind = (
            http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
        )
        connection = kind(parts.hostname or "", parts.port, timeout=self.timeout_seconds)
        headers = {"Accept": "application/json", "User-Agent": f"memskill/{__version__}"}
        if data is not None:
            headers["Content-Type"] = "application/json"
        try:
            connection.request(method, parts.path.rstrip("/") + path, body=data, headers=headers)
            response = connection.getresponse()
            return (
                response.status,
                response.headers,
                self._read(path, connection, response, deadline),
            )
        except TimeoutError as error:
            raise self._too_slow(path) from error
        except (OSError, http.client.HTTPException) as error:
            reason = str(error) or type(error).__name__
            raise ModelError(
                f"{self.url}{path}: no answer: {reason}", hint="Is the model server running?"
            ) from error
        finally:
            connection.close()

    def _read(
        self,
        path: str,
        connection: http.client.HTTPConnection,
        response: http.client.HTTPResponse,
        deadline: float,
    ) -> bytes:
        """Read to the end, or to the deadline however slowly the bytes drip."""
        body = bytearray()
        sock = connection.sock
        while chunk := response.read1(_CHUNK):
            body += chunk
            if len(body) > self.max_bytes:
                raise ModelError(f"{self.url}{path}: an answer of over {self.max_bytes} bytes")
            left = deadline - time.monotonic()
            if left <= 0:
                raise self._too_slow(path)
            if sock is not None:  # None once the response owns the connection
                sock.settimeout(left)
        if response.length:
            raise http.client.IncompleteRead(bytes(body), response.length)
        return bytes(body)

    def _pause(self, headers: Message, attempt: int) -> float:
        asked = str(headers.get("Retry-After", ""))
        own = self.pause_seconds * 2**attempt
        seconds = float(asked) if asked.isascii() and asked.isdigit() else own
        return min(seconds, _LONGEST_WAIT_SECONDS)

    def _too_slow(self, path: str) -> ModelError:
        return ModelError(f"{self.url}{path}: no whole answer in {self.timeout_seconds:g} seconds")

    def _parse(self, path: str, status: int, body: bytes) -> object:
        # repr keeps what a stranger's server wrote from reaching a terminal as control codes.
        start = repr(body[:200])[1:]
        if 300 <= status < 400:
            raise ModelError(
                f"{self.url}{path}: answered {status}, a redirect, which is not followed",
                hint="Name the final address in the setting.",
            )
        if status != 200:
            raise ModelError(f"{self.url}{path}: answered {status}: {start}")
        try:
            return json.loads(body)
        except (ValueError, RecursionError) as error:
            raise ModelError(f"{self.url}{path}: the answer is not JSON: {start}") from error
