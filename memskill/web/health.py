"""What runs the service asks: is it alive, is it ready, how does it fare, what can it do."""

from __future__ import annotations

import functools
import json
from importlib import resources

from flask import Blueprint, Response

from memskill import __version__
from memskill.web.replies import json_bytes, tagged, untagged
from memskill.web.service import service

blueprint = Blueprint("health", __name__)


@blueprint.get("/healthz")
def healthz() -> Response:
    """Say that the process answers."""
    return untagged({"status": "ok"})


@blueprint.get("/readyz")
def readyz() -> Response:
    """Say whether matching works, from what, and which skill files cannot be used."""
    state = service().matching.ready()
    return untagged(state, 200 if state["ready"] else 503)


@blueprint.get("/metrics")
def metrics() -> Response:
    """Return the counters in the Prometheus text format."""
    body, content_type = service().metrics.exposition()
    return Response(body, content_type=content_type, headers={"Cache-Control": "no-store"})


@blueprint.get("/openapi.json")
def openapi() -> Response:
    """Return the OpenAPI 3.1 document of this service."""
    return tagged(json_bytes(document()))


@functools.cache
def document() -> dict[str, object]:
    """Return memskill/web/openapi.json with this version in it."""
    text = (resources.files("memskill.web") / "openapi.json").read_text(encoding="utf-8")
    described = json.loads(text)
    described["info"]["version"] = __version__
    return described
