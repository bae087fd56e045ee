"""`/memory/context`: what is known for a task, as parts and as text for a prompt."""

from __future__ import annotations

import dataclasses

from flask import Blueprint, Response, request

from memskill.errors import UsageError
from memskill.pipeline.context import DEFAULT_CHARS
from memskill.web.params import project_of, query_values, whole_number
from memskill.web.replies import json_bytes, tagged
from memskill.web.service import service

blueprint = Blueprint("context", __name__)
_PARAMETERS = ("task", "project", "max_chars")


@blueprint.get("/memory/context")
def context() -> Response:
    """Return skills, lessons and notes for a task, and the text that they make."""
    asked = query_values(request.args.items(multi=True), _PARAMETERS)
    if "task" not in asked:
        raise UsageError("parameter 'task' is missing", hint="Add task=..., URL-encoded.")
    here = service()
    found = here.contexts.context(
        asked["task"],
        project=project_of(asked.get("project")),
        max_chars=whole_number("max_chars", asked.get("max_chars", str(DEFAULT_CHARS))),
    )
    here.metrics.answered(found.seconds, bool(found.context.skills))
    here.metrics.gave_context(len(found.context.text))
    reply = tagged(json_bytes(dataclasses.asdict(found.context)))
    if found.id:
        reply.headers["Memskill-Match"] = found.id
    return reply
