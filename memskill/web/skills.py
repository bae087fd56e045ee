"""`/memory/skills`: the catalogue, the few that fit a task, one SKILL.md."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import TYPE_CHECKING

from flask import Blueprint, Response, request
from werkzeug.exceptions import UnsupportedMediaType

from memskill.pipeline.explain import explain
from memskill.web.params import Question, from_json, from_query, require_none
from memskill.web.replies import json_bytes, tag, tagged, untagged
from memskill.web.service import service

if TYPE_CHECKING:
    from memskill.records import Match

blueprint = Blueprint("skills", __name__, url_prefix="/memory/skills")


@blueprint.get("")
def list_or_match() -> Response:
    """Return the catalogue, or with `task` the few skills that fit it."""
    question = from_query(_parameters())
    return _answer(question) if question.tasks else _catalogue(question.project)


@blueprint.post("/match")
def match() -> Response:
    """Return the few skills that fit the task of a JSON body; for `tasks`, a list of lists."""
    require_none(_parameters())
    if request.mimetype != "application/json":
        raise UnsupportedMediaType
    return _answer(from_json(request.get_data(cache=False)))


@blueprint.get("/<name>")
def skill(name: str) -> Response:
    """Return a promoted SKILL.md as it lies in the vault."""
    require_none(_parameters())
    return tagged(service().matching.skill_file(name), "text/markdown")


def _catalogue(project: str | None) -> Response:
    """Return name, description and when_to_use of the promoted skills, by name."""
    matching = service().matching
    snapshot = matching.catalogue.current()

    def make() -> tuple[bytes, str]:
        body = json_bytes(
            [
                {"name": s.name, "description": s.description, "when_to_use": s.when_to_use}
                for s in matching.visible(snapshot, project)
            ]
        )
        return body, tag(body)

    key = f"{snapshot.fingerprint}/{'' if project is None else 'in ' + project}"
    body, known_tag = service().catalogues.get_or_make(key, make)
    return tagged(body, known_tag=known_tag)


def _answer(question: Question) -> Response:
    here = service()
    if question.explain:
        (task,) = question.tasks
        result = here.matching.match(
            task, project=question.project, limit=question.limit, explain=True
        )
        here.metrics.answered(result.answer.seconds, bool(result.matches))
        said = untagged(explain(here.matching, result, task, question.project))
        return _with_ids(said, [result.id])
    found = here.matching.match_all(question.tasks, project=question.project, limit=question.limit)
    for one in found:
        here.metrics.answered(one.seconds, bool(one.matches))
    lists = [[_plain(match) for match in one.matches] for one in found]
    said = tagged(json_bytes(lists if question.batch else lists[0]))
    return _with_ids(said, [one.id for one in found])


def _with_ids(reply: Response, ids: Iterable[str]) -> Response:
    """Name the matches for `/memory/feedback` where they are kept, in a header: bodies stay."""
    if known := [key for key in ids if key]:
        reply.headers["Memskill-Match"] = ",".join(known)
    return reply


def _plain(match: Match) -> dict[str, object]:
    """Return a match with its keys in their fixed order: name, score, matched_on, when_to_use."""
    return dataclasses.asdict(match)


def _parameters() -> Iterable[tuple[str, str]]:
    return request.args.items(multi=True)
