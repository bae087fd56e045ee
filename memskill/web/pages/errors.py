"""Errors as pages for who asks with a browser; the same status and the same words."""

from __future__ import annotations

import json

from flask import Flask, Response, request

from memskill.web.pages.html import MIMETYPE, POLICY, render
from memskill.web.problems import MIMETYPE as PROBLEM

# What programs ask for answers in JSON, whoever asks.
_FOR_PROGRAMS = ("/memory", "/healthz", "/readyz", "/metrics", "/openapi.json")


def install(app: Flask) -> None:
    """Turn problem bodies into pages where a page was asked for."""

    @app.after_request
    def as_page(reply: Response) -> Response:
        if reply.mimetype != PROBLEM or request.path.startswith(_FOR_PROGRAMS):
            return reply
        reply.headers.add("Vary", "Accept")
        if _wants_page():
            told: dict[str, object] = {"hint": "", "reasons": ()}
            reply.set_data(render("problem", told | json.loads(reply.get_data())))
            reply.content_type = f"{MIMETYPE}; charset=utf-8"
            reply.headers["Content-Security-Policy"] = POLICY
        return reply

    del as_page  # registered; pyright cannot see that it is used


def _wants_page() -> bool:
    """Return whether the client names text/html and likes it best; `*/*` alone does not."""
    accepted = request.accept_mimetypes
    best = accepted.best_match([PROBLEM, "application/json", "text/html"])
    return "text/html" in dict(accepted) and best == "text/html"
