"""Templates to responses: strict escaping, a strict Content-Security-Policy, entity tags."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import cast

from flask import Response, url_for
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from memskill import __version__
from memskill.web.pages.assets import asset_url
from memskill.web.pages.shown import Typed, visible
from memskill.web.replies import tagged

MIMETYPE = "text/html"
# Files of our own and nothing else: no inline script or style, no frame, no other host.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def page(template: str, values: Mapping[str, object], *, private: bool = False) -> Response:
    """Return a template as a page.

    Args:
        template: Its stem in memskill/templates/web.
        values: What it shows; all of it is escaped.
        private: Whether it holds what somebody typed: then no cache keeps it.
    """
    body = render(template, values)
    if private:
        reply = Response(body, mimetype=MIMETYPE)
        reply.headers["Cache-Control"] = "no-store"
    else:
        reply = tagged(body, MIMETYPE)
    reply.headers["Content-Security-Policy"] = POLICY
    return reply


def render(template: str, values: Mapping[str, object]) -> bytes:
    """Return a template as UTF-8."""
    return _environment().get_template(f"{template}.html.j2").render(values).encode()


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("memskill", "templates/web"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_finalize,
    )
    environment.filters["number"] = number
    shared: dict[str, object] = {"asset_url": asset_url, "url_for": url_for}
    cast("dict[str, object]", environment.globals).update(shared, version=__version__)
    return environment


def _finalize(value: object) -> object:
    """Make visible whatever a template shows, but for markup and what goes back into a field."""
    if isinstance(value, str) and not isinstance(value, (Markup, Typed)):
        return visible(value)
    return value


def number(value: float | None, places: int = 3) -> str:
    """Return a number with a true minus sign; a dash for none."""
    return "\u2013" if value is None else f"{value:.{places}f}".replace("-", "\u2212")
