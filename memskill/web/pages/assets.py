"""The page's own few files, served under the sha of their content."""

from __future__ import annotations

import functools
import hashlib
from dataclasses import dataclass
from importlib import resources

from flask import Blueprint, Response, request, url_for
from werkzeug.exceptions import NotFound

from memskill.web.replies import tagged

blueprint = Blueprint("assets", __name__, url_prefix="/assets")
_TYPES = {
    "page.css": "text/css",
    "page.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """A file's bytes, and the start of their sha256."""

    body: bytes
    version: str


@blueprint.get("/<name>")
def file(name: str) -> Response:
    """Return one file; under its present version it may be kept for a year."""
    if name not in _TYPES:
        raise NotFound
    found = asset(name)
    reply = tagged(found.body, _TYPES[name])
    if request.args.get("v") == found.version:
        reply.headers["Cache-Control"] = "public, max-age=31536000, immutable"
    return reply


@functools.cache
def asset(name: str) -> Asset:
    """Return a file of memskill/web/static."""
    body = (resources.files("memskill.web") / "static" / name).read_bytes()
    return Asset(body=body, version=hashlib.sha256(body).hexdigest()[:16])


def asset_url(name: str) -> str:
    """Return the URL of a file's present version."""
    return url_for("assets.file", name=name, v=asset(name).version)
