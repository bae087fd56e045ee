"""The Flask app: a factory, so that nothing happens at import and tests make their own."""

from __future__ import annotations

from flask import Flask

from memskill.config import Settings
from memskill.pipeline.context import Contexts
from memskill.pipeline.matching import Matching
from memskill.pipeline.querying import Querying
from memskill.web import context, feedback, guard, health, pages, problems, query, skills
from memskill.web.metrics import Metrics
from memskill.web.service import EXTENSION, Service


def create_app(settings: Settings, matching: Matching | None = None) -> Flask:
    """Return the app that answers for one vault.

    Under `mem serve` a thread watches the vault; under any other WSGI server the app looks for
    edited files itself, with the request that comes `rescan_seconds` after the last look.

    Args:
        settings: The vault, the models and the limits.
        matching: What answers; made from the settings by default.

    Raises:
        ModelError, ExtraMissing, ConfigError: A model that the settings name cannot load.
    """
    app = Flask("memskill.web", static_folder=None)
    # A doubled slash is another URL here, not a redirect.
    app.url_map.merge_slashes = False
    app.config["MAX_CONTENT_LENGTH"] = settings.max_body_bytes
    matching = matching or Matching(settings)
    metrics = Metrics(matching.catalogue)
    querying = Querying(settings, matching)
    app.extensions[EXTENSION] = Service(
        matching=matching,
        querying=querying,
        contexts=Contexts(matching, querying),
        metrics=metrics,
    )
    metrics.install(app)
    guard.install(app, settings)
    problems.install(app)
    app.register_blueprint(skills.blueprint)
    app.register_blueprint(query.blueprint)
    app.register_blueprint(context.blueprint)
    app.register_blueprint(feedback.blueprint)
    app.register_blueprint(health.blueprint)
    pages.install(app)
    return app
