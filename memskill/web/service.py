"""What the routes of one app share."""

from __future__ import annotations

from dataclasses import dataclass, field

from flask import current_app

from memskill.pipeline.context import Contexts
from memskill.pipeline.matching import Matching
from memskill.pipeline.memo import Memo
from memskill.pipeline.querying import Querying
from memskill.web.metrics import Metrics

EXTENSION = "memskill"
# Whole catalogues by project: few, as each may be megabytes.
_KEPT_CATALOGUES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What answers in an app, its metrics, and the catalogue bytes it gave out last."""

    matching: Matching
    querying: Querying
    contexts: Contexts
    metrics: Metrics
    # Each with its entity tag: a catalogue of thousands takes a while to hash.
    catalogues: Memo[tuple[bytes, str]] = field(default_factory=lambda: Memo(_KEPT_CATALOGUES))


def service() -> Service:
    """Return the service of the app that handles the current request."""
    found: Service = current_app.extensions[EXTENSION]
    return found
