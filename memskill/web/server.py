"""The app under waitress: listens, stops on request, and finishes what it has begun."""

from __future__ import annotations

import socket
import time
from typing import Any

from flask import Flask
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import create_server
from waitress.task import ErrorTask

from memskill.config import Settings
from memskill.errors import ConfigError
from memskill.web.problems import MIMETYPE, problem_bytes

# Requests that were read whole before the stop have this long to finish.
GRACE_SECONDS = 30.0
_TICK_SECONDS = 0.5
_BACKLOG = 1024
# Room in waitress's own limits, so that the app's come first and are told in its own words.
_SLACK_BYTES = 1_000_000


class Server:
    """One listening socket for one app.

    Raises:
        ConfigError: The address cannot be listened on.
    """

    def __init__(self, app: Flask, settings: Settings) -> None:
        self._stopping = False
        self._socket = listen(settings.host, settings.port)
        self._server: Any = create_server(
            app,
            sockets=[self._socket],
            threads=settings.server_threads,
            ident="memskill",
            max_request_body_size=settings.max_body_bytes + _SLACK_BYTES,
        )
        self._server.channel_class = _Channel
        self._server.stopping = False

    @property
    def url(self) -> str:
        """Where it listens, with the actual port."""
        return url_of(self._socket)

    def run(self) -> None:
        """Serve until `stop` is called; then finish the requests that were read whole."""
        server = self._server
        while not self._stopping:
            wasyncore.loop(timeout=_TICK_SECONDS, map=server._map, use_poll=True, count=1)
        # The listening socket goes first: who comes now is refused by the system at once.
        server.stopping = True
        wasyncore.dispatcher.close(server)
        deadline = time.monotonic() + GRACE_SECONDS
        while time.monotonic() < deadline and any(map(_is_busy, self._channels())):
            wasyncore.loop(timeout=0.05, map=server._map, use_poll=True, count=1)
        server.task_dispatcher.shutdown(timeout=0)
        for channel in self._channels():
            channel.handle_close()
        server.trigger.close()

    def stop(self) -> None:
        """Let `run` come to its end; safe in a signal handler and from any thread."""
        self._stopping = True
        self._server.pull_trigger()

    def _channels(self) -> list[Any]:
        return list(self._server.active_channels.values())


class _Problem(ErrorTask):
    """What waitress refuses by itself (broken HTTP, a body out of all bounds), as a problem."""

    def execute(self) -> None:
        task: Any = self  # waitress types neither its requests nor its headers
        error = task.request.error
        code = str(error.reason).lower().replace(" ", "-")
        body = problem_bytes(error.code, code, str(error.body))
        self.status = f"{error.code} {error.reason}"
        task.response_headers.append(("Content-Type", MIMETYPE))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class _Channel(HTTPChannel):
    """A connection that takes no further request once the server is stopping."""

    error_task_class = _Problem

    def readable(self) -> bool:
        server: Any = self.server
        return not server.stopping and bool(super().readable())


def _is_busy(channel: Any) -> bool:  # noqa: ANN401
    """Return whether a request of the connection runs or waits, or an answer is half sent."""
    return bool(channel.requests or channel.total_outbufs_len)


def url_of(listening: socket.socket) -> str:
    """Return `http://host:port` of a bound socket."""
    host, port = listening.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens on the first address of `host`, IPv4 before IPv6.

    Raises:
        ConfigError: It cannot; the message says why.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        family, *_, address = min(found, key=lambda one: one[0] != socket.AF_INET)
        listening = socket.create_server(address[:2], family=family, backlog=_BACKLOG)
    except OSError as error:
        raise ConfigError(
            f"cannot listen on {host} port {port}: {error.strerror}",
            hint="Name another --host or --port; 0 takes any free port.",
        ) from error
    listening.setblocking(False)
    return listening
