"""The routes of the page: read what is asked, build one view, show it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from flask import Blueprint, Response, redirect, request, url_for

from memskill.config import Settings
from memskill.errors import UsageError
from memskill.pipeline.matching import Matching
from memskill.sources.safety import no_surrogates, printable
from memskill.web.pages.catalogue import catalogue_view, projects_of
from memskill.web.pages.drafts import (
    draft_diffs,
    draft_path,
    draft_rows,
    has_twin,
    promote_lines,
)
from memskill.web.pages.explorer import match_view
from memskill.web.pages.floors import floor_view, report_bytes
from memskill.web.pages.html import MIMETYPE, page
from memskill.web.pages.shown import Typed
from memskill.web.pages.skill import read_file, skill_view
from memskill.web.params import DEFAULT_LIMIT
from memskill.web.replies import tagged
from memskill.web.service import service

blueprint = Blueprint("pages", __name__)
_WHOLE = re.compile(r"[0-9]{1,6}")
_DECIMAL = re.compile(r"[0-9]{0,3}(?:\.[0-9]{0,20})?(?:[eE]-[0-9]{1,3})?")
# An evaluation page brings its own style and nothing else; whatever it is, it stays alone.
_REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"


@blueprint.get("/")
def catalogue() -> Response:
    """Show the promoted skills, searched and filtered."""
    asked = _asked("q", "project", "page")
    number = asked.get("page", "1")
    if not _WHOLE.fullmatch(number) or int(number) < 1:
        raise UsageError(f"page must be a whole number from 1, not {printable(number, 40)!r}")
    matching = service().matching
    query, project = asked.get("q", ""), asked.get("project", "")
    view = catalogue_view(matching.catalogue.current(), query, project, int(number))
    values = {"view": view, "faults": matching.faults(), "query": Typed(query)}
    return page("catalogue", values | {"project": Typed(project)})


@blueprint.get("/skills/<name>")
def skill(name: str) -> Response:
    """Show one promoted skill with where it came from and what is wrong with it."""
    _asked()
    matching = service().matching
    data = matching.skill_file(name)
    view = skill_view(_settings(), matching, f"skills/{name}/SKILL.md", data)
    return page("skill", {"view": view})


@blueprint.get("/match")
def match() -> Response:
    """Show how a task is matched, and what another floor would change."""
    asked = _asked("task", "project", "floor")
    matching, settings = service().matching, _settings()
    task, project = asked.get("task", ""), asked.get("project", "")
    values: dict[str, object] = {
        "task": Typed(task),
        "project": Typed(project),
        "projects": projects_of(matching.catalogue.current()),
        "max_chars": settings.max_task_chars,
        "view": None,
    }
    if not task.strip():
        return page("match", values)
    trial = _floor(asked["floor"]) if "floor" in asked else None
    result = matching.match(task, project=project or None, limit=DEFAULT_LIMIT, explain=True)
    service().metrics.answered(result.answer.seconds, bool(result.matches))
    values["view"] = match_view(result, trial, DEFAULT_LIMIT)
    return page("match", values, private=True)


@blueprint.get("/drafts")
def drafts() -> Response:
    """Show the drafts that wait for a person."""
    _asked()
    return page("drafts", {"rows": draft_rows(_settings())})


@blueprint.get("/drafts/<name>")
def draft(name: str) -> Response:
    """Show one draft: its text, what lint says, what it would change, how it is promoted."""
    _asked()
    settings = _settings()
    path = draft_path(settings, name)
    data = read_file(settings, settings.vault / path)
    twin = has_twin(settings, name)
    values = {
        "view": skill_view(settings, service().matching, path, data),
        "diffs": draft_diffs(settings, name),
        "has_twin": twin,
        "promote": promote_lines(settings, name, has_twin=twin),
    }
    return page("draft", values)


@blueprint.get("/floor")
def floor() -> Response:
    """Show the floor in force, its history and what was measured."""
    _asked()
    return page("floor", {"view": floor_view(_settings(), service().matching)})


@blueprint.get("/floor/reports/<name>")
def report(name: str) -> Response:
    """Show an evaluation page of the vault, shut off from everything else."""
    _asked()
    reply = tagged(report_bytes(_settings(), name), MIMETYPE)
    reply.headers["Content-Security-Policy"] = _REPORT_POLICY
    return reply


@blueprint.get("/skills")
def skills() -> Response:
    """Lead on to the catalogue, which is what this URL is taken for."""
    _asked()
    return redirect(url_for("pages.catalogue"), 302)  # type: ignore[return-value]


def _settings() -> Settings:
    matching: Matching = service().matching
    return matching.settings


def _asked(*known: str) -> Mapping[str, str]:
    """Return the parameters that say something; a form sends its empty fields too.

    Raises:
        UsageError: An unknown parameter, or one that is given twice.
    """
    found: dict[str, str] = {}
    for name, value in request.args.items(multi=True):
        if name not in known:
            raise UsageError(
                f"unknown parameter {printable(name, 60)!r}",
                hint=f"Known: {', '.join(known)}." if known else "This URL takes none.",
            )
        if name in found:
            raise UsageError(f"parameter {name!r} is given more than once")
        found[name] = no_surrogates(value).replace("\r\n", "\n")
    return {name: value for name, value in found.items() if value.strip()}


def _floor(text: str) -> float:
    text = text.strip()
    if not (any(map(str.isdigit, text)) and _DECIMAL.fullmatch(text)) or float(text) > 1:
        raise UsageError(f"floor must be a number from 0 to 1, not {printable(text, 40)!r}")
    return round(float(text), 4)
