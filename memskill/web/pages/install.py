"""Hanging the page into an app."""

from __future__ import annotations

from flask import Flask

from memskill.web.pages import assets, errors, routes, state


def install(app: Flask) -> None:
    """Add the page to `app`, and let browsers see errors as pages."""
    state.install(app)
    errors.install(app)
    app.register_blueprint(assets.blueprint)
    app.register_blueprint(routes.blueprint)
