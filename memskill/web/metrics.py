"""Counters in a registry of their own, so that two apps in one process do not share any."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import TYPE_CHECKING

from flask import Flask, Response, g, request
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, exposition

if TYPE_CHECKING:
    from memskill.match.catalogue import Catalogue

_STAGE_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
# Anything else a client may invent is counted as "other": a label must stay small.
_METHODS = frozenset({"GET", "HEAD", "POST", "OPTIONS"})


class Metrics:
    """What one app counts; the names are part of the interface."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "memskill_requests",
            "Requests by route, method and status.",
            ("route", "method", "status"),
            registry=self._registry,
        )
        self._seconds = Histogram(
            "memskill_request_seconds",
            "Time of a request by route.",
            ("route",),
            buckets=_STAGE_BUCKETS,
            registry=self._registry,
        )
        self._stages = Histogram(
            "memskill_stage_seconds",
            "Time of a stage of matching or notes search; repeated tasks run none.",
            ("stage",),
            buckets=_STAGE_BUCKETS,
            registry=self._registry,
        )
        self._tasks = Counter("memskill_tasks", "Tasks answered.", registry=self._registry)
        self._empties = Counter(
            "memskill_empty_answers", "Tasks that no skill fits.", registry=self._registry
        )
        self._queries = Counter(
            "memskill_queries", "Questions to notes search, by whether anything answers them.",
            ("answered",), registry=self._registry,
        )  # fmt: skip
        self._contexts = Counter("memskill_contexts", "Contexts given.", registry=self._registry)
        self._empty_contexts = Counter(
            "memskill_empty_contexts", "Contexts without any text.", registry=self._registry
        )
        self._context_chars = Counter(
            "memskill_context_characters", "Characters of their texts.", registry=self._registry
        )
        self._refusals = Counter(
            "memskill_refusals", "Requests answered by a problem.", ("status",),
            registry=self._registry,
        )  # fmt: skip
        self._generation = Gauge(
            "memskill_index_generation", "Number of the catalogue.", registry=self._registry
        )
        self._age = Gauge(
            "memskill_index_age_seconds", "Age of the catalogue.", registry=self._registry
        )
        self._skills = Gauge(
            "memskill_index_skills", "Promoted skills in it.", registry=self._registry
        )

    def install(self, app: Flask) -> None:
        """Count every request of `app`."""

        @app.before_request
        def start() -> None:
            g.memskill_started = time.perf_counter()

        @app.after_request
        def count(reply: Response) -> Response:
            route = request.url_rule.rule if request.url_rule else "other"
            method = request.method if request.method in _METHODS else "other"
            self._requests.labels(route, method, str(reply.status_code)).inc()
            if "memskill_started" in g:
                self._seconds.labels(route).observe(time.perf_counter() - g.memskill_started)
            if reply.status_code >= 400:
                self._refusals.labels(str(reply.status_code)).inc()
            return reply

        del start, count  # registered; pyright cannot see that they are used

    def answered(self, seconds: Mapping[str, float], found: bool) -> None:
        """Count one task: the seconds of its stages, and whether anything fits it."""
        self._tasks.inc()
        if not found:
            self._empties.inc()
        for stage, value in seconds.items():
            self._stages.labels(stage).observe(value)

    def queried(self, seconds: Mapping[str, float], found: bool) -> None:
        """Count one question to notes search: its stages, and whether anything answers it."""
        self._queries.labels("yes" if found else "no").inc()
        for stage, value in seconds.items():
            self._stages.labels(stage).observe(value)

    def gave_context(self, characters: int) -> None:
        """Count one context by the length of its text; 0: nothing that is known fits the task."""
        self._contexts.inc()
        self._context_chars.inc(characters)
        if not characters:
            self._empty_contexts.inc()

    def exposition(self) -> tuple[bytes, str]:
        """Return the Prometheus text and its content type."""
        snapshot = self._catalogue.current()
        self._generation.set(snapshot.generation)
        self._age.set(time.monotonic() - snapshot.built_at)
        self._skills.set(len(snapshot.skills))
        return exposition.generate_latest(self._registry), exposition.CONTENT_TYPE_LATEST
