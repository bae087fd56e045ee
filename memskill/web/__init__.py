"""The HTTP service: parse, call one verb of the pipeline, write JSON; `create_app` makes it."""

from memskill.web.app import create_app

__all__ = ["create_app"]
