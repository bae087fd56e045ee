"""Errors as RFC 9457 bodies: one form for all of them, and never a stack trace."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Sequence

from flask import Flask, Response
from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.http import HTTP_STATUS_CODES

from memskill.errors import FloorMissing, MemskillError, SourceError, StoreBusy
from memskill.web.replies import json_bytes

log = logging.getLogger(__name__)
MIMETYPE = "application/problem+json"
TYPE_PREFIX = "urn:memskill:problem:"
# Errors that pass by themselves, and after how many seconds it is worth asking again.
_RETRY_AFTER: tuple[tuple[type[MemskillError], int], ...] = ((StoreBusy, 1), (SourceError, 1))
_DETAILS = {
    404: "There is nothing at this URL.",
    405: "This URL does not take that method.",
    413: "The body is larger than this server reads.",
    415: "Send the body as application/json.",
}


def install(app: Flask) -> None:
    """Answer every error of `app` with a problem body."""
    app.register_error_handler(MemskillError, _known)
    app.register_error_handler(HTTPException, _http)
    app.register_error_handler(Exception, _unknown)


def problem_bytes(
    status: int, code: str, detail: str, *, hint: str = "", reasons: Sequence[str] = ()
) -> bytes:
    """Return the body: type, title, status, detail; hint and reasons where there are any."""
    body: dict[str, object] = {
        "type": TYPE_PREFIX + code,
        "title": HTTP_STATUS_CODES.get(status, "Error"),
        "status": status,
        "detail": detail,
    }
    if hint:
        body["hint"] = hint
    if reasons:
        body["reasons"] = list(reasons)
    return json_bytes(body)


def problem(
    status: int, code: str, detail: str, *, hint: str = "", reasons: Sequence[str] = ()
) -> Response:
    """Return `problem_bytes` as a response that is not to be kept."""
    body = problem_bytes(status, code, detail, hint=hint, reasons=reasons)
    reply = Response(body, status, mimetype=MIMETYPE)
    reply.headers["Cache-Control"] = "no-store"
    return reply


def _known(error: MemskillError) -> Response:
    # A file of the vault that cannot be read is no fault of the client's.
    status = 503 if isinstance(error, SourceError) else error.http_status
    reply = problem(status, error.code, error.message, hint=error.hint, reasons=error.reasons)
    for kind, seconds in _RETRY_AFTER:
        if isinstance(error, kind):
            reply.headers["Retry-After"] = str(seconds)
    if status >= 500 and not isinstance(error, (FloorMissing, StoreBusy)):
        log.warning("%s: %s", error.code, error.message)
    return reply


def _http(error: HTTPException) -> Response:
    status = error.code or 500
    detail = _DETAILS.get(status, error.description or "")
    code = HTTP_STATUS_CODES.get(status, "error").lower().replace(" ", "-")
    reply = problem(status, code, detail)
    if isinstance(error, MethodNotAllowed) and error.valid_methods:
        reply.headers["Allow"] = ", ".join(sorted(error.valid_methods))
    return reply


def _unknown(error: Exception) -> Response:
    """Keep the traceback in the log, under a number that the client is given."""
    number = uuid.uuid4().hex[:12]
    log.error("unexpected error %s", number, exc_info=error)
    return problem(500, "internal", f"Unexpected error; the server's log has it as {number}.")
