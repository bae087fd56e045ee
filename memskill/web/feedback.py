"""`/memory/feedback`: what a client says of an answer it got."""

from __future__ import annotations

from flask import Blueprint, Response, request
from werkzeug.exceptions import UnsupportedMediaType

from memskill.errors import UsageError
from memskill.pipeline.feedback import give_feedback
from memskill.web.params import body_object, require_known, require_none
from memskill.web.replies import untagged
from memskill.web.service import service

blueprint = Blueprint("feedback", __name__)
_KEYS = ("verdict", "skill", "task", "match_id", "note")


@blueprint.post("/memory/feedback")
def feedback() -> Response:
    """Keep one piece of feedback: `verdict`, `skill`, `task` or `match_id`, perhaps a `note`."""
    require_none(request.args.items(multi=True))
    if request.mimetype != "application/json":
        raise UnsupportedMediaType
    values: dict[str, str] = dict.fromkeys(_KEYS, "")
    for key, value in body_object(request.get_data(cache=False)).items():
        require_known(key, _KEYS)
        if not isinstance(value, str):
            raise UsageError(f"{key!r} must be a text")
        values[key] = value
    matching = service().matching
    said = give_feedback(
        matching.settings,
        values["verdict"],
        names=matching.catalogue.current().names,
        skill=values["skill"],
        task=values["task"],
        match_id=values["match_id"],
        note=values["note"],
    )
    return untagged({"id": said.id, "verdict": said.verdict, "skill": said.skill}, 201)
