"""Checks before any route, and headers on every answer."""

from __future__ import annotations

from flask import Flask, Response, request

from memskill.config import Settings
from memskill.web.problems import problem

_LOCAL = frozenset({"127.0.0.1", "localhost", "::1"})
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def install(app: Flask, settings: Settings) -> None:
    """Refuse foreign Host headers and set the security headers.

    Without the check, a web page could reach this server under a name of its own that it lets
    point at 127.0.0.1 (DNS rebinding).
    """
    allowed = allowed_hosts(settings)

    @app.before_request
    def check_host() -> Response | None:
        if host_name(request.environ.get("HTTP_HOST", "")) in allowed:
            return None
        return problem(
            421,
            "misdirected-request",
            "This server does not answer to that Host header.",
            hint="Add the name to allowed_hosts.",
        )

    @app.after_request
    def add_headers(reply: Response) -> Response:
        for name, value in _HEADERS.items():
            reply.headers.setdefault(name, value)
        return reply

    # Flask finds both by registering them; pyright cannot see that they are used.
    del check_host, add_headers


def allowed_hosts(settings: Settings) -> frozenset[str]:
    """Return the names that the server answers to, lower-case, without ports or brackets."""
    further = (name.strip() for name in settings.allowed_hosts.split(","))
    named = {host_name(name) for name in (settings.host, *further) if name}
    return (_LOCAL | named) - {""}


def host_name(header: str) -> str:
    """Return the name of a Host header: without port and brackets, lower-case; "" for none."""
    header = header.strip().lower()
    if header.startswith("["):
        return header[1:].partition("]")[0]
    if header.count(":") > 1:  # an IPv6 address without brackets, as settings may hold it
        return header
    return header.partition(":")[0].removesuffix(".")
