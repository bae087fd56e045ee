"""`/memory/query`: the notes and lessons that answer a question."""

from __future__ import annotations

import dataclasses

from flask import Blueprint, Response, request

from memskill.pipeline.querying import explain_query, narrowed
from memskill.web.params import notes_question
from memskill.web.replies import json_bytes, tagged, untagged
from memskill.web.service import service

blueprint = Blueprint("query", __name__, url_prefix="/memory/query")


@blueprint.get("")
def query() -> Response:
    """Return the notes and lessons that answer `q`, best first, or []."""
    question = notes_question(request.args.items(multi=True))
    level, kind = narrowed(question.level) if question.level else (None, None)
    here = service()
    result = here.querying.query(
        question.q,
        project=question.project,
        level=level,
        kind=kind,
        limit=question.limit,
        explain=question.explain,
    )
    here.metrics.queried(result.seconds, bool(result.hits))
    if question.explain:
        return untagged(explain_query(result, question.q, question.project))
    return tagged(json_bytes([dataclasses.asdict(hit) for hit in result.hits]))
