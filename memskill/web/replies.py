"""Answers as bytes: one JSON form, one entity tag."""

from __future__ import annotations

import hashlib
import json

from flask import Response, request


def json_bytes(value: object) -> bytes:
    """Return the one form of an answer.

    UTF-8 without escapes for what needs none, keys in their given order, no spaces, no line end.

    Raises:
        ValueError: NaN or an infinity, which JSON cannot say.
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode()


def tag(body: bytes) -> str:
    """Return the entity tag of an answer: the sha256 of its bytes."""
    return hashlib.sha256(body).hexdigest()


def tagged(body: bytes, mimetype: str = "application/json", known_tag: str = "") -> Response:
    """Return `body` with its sha256 as a strong ETag; 304 without it where the client has it.

    Args:
        body: The answer.
        mimetype: What it is.
        known_tag: `tag(body)`, where it is known.
    """
    reply = Response(body, mimetype=mimetype)
    reply.set_etag(known_tag or tag(body))
    # Keep it, but ask each time: a promotion shows on the next request.
    reply.headers["Cache-Control"] = "no-cache"
    # Only GET and HEAD can be answered by 304.
    reply.make_conditional(request)
    return reply


def untagged(value: object, status: int = 200) -> Response:
    """Return JSON that differs from one moment to the next, and is not to be kept."""
    reply = Response(json_bytes(value), status, mimetype="application/json")
    reply.headers["Cache-Control"] = "no-store"
    return reply
