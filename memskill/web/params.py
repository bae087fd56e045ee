"""What a client asks: query strings and JSON bodies, read strictly."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from memskill.errors import UsageError
from memskill.sources.safety import no_surrogates, printable

DEFAULT_LIMIT = 3
DEFAULT_NOTES_LIMIT = 5
MAX_BATCH = 256
_MAX_PROJECT_CHARS = 200
_QUERY = ("task", "project", "limit", "explain")
_NOTES = ("q", "project", "level", "limit", "explain")
_BODY = (*_QUERY, "tasks")
_TRUTH = {"1": True, "true": True, "0": False, "false": False}
_WHOLE = re.compile(r"[+-]?[0-9]{1,9}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One request for matches; its texts are checked by the pipeline."""

    tasks: tuple[str, ...]
    # Whether the client sent `tasks`: the answer is then a list of lists.
    batch: bool = False
    project: str | None = None
    limit: int = DEFAULT_LIMIT
    explain: bool = False


def from_query(pairs: Iterable[tuple[str, str]]) -> Question:
    """Return what a query string asks; without `task`, `tasks` is empty: the catalogue.

    Raises:
        UsageError: An unknown or repeated parameter, or a value of the wrong form.
    """
    values = query_values(pairs, _QUERY)
    if "task" not in values:
        if lone := [name for name in ("limit", "explain") if name in values]:
            raise UsageError(
                f"{lone[0]!r} counts only together with a task",
                hint="Add task=..., or leave it out for the whole catalogue.",
            )
        return Question(tasks=(), project=project_of(values.get("project")))
    return Question(
        tasks=(values["task"],),
        project=project_of(values.get("project")),
        limit=whole_number("limit", values.get("limit", str(DEFAULT_LIMIT))),
        explain=_truth(values.get("explain", "0")),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesQuestion:
    """One request for notes and lessons; its text is checked by the pipeline."""

    q: str
    project: str | None = None
    # As the client names it: "0", "1", "2" or "lesson"; "" for all.
    level: str = ""
    limit: int = DEFAULT_NOTES_LIMIT
    explain: bool = False


def notes_question(pairs: Iterable[tuple[str, str]]) -> NotesQuestion:
    """Return what a query string asks of notes search.

    Raises:
        UsageError: `q` is missing, an unknown or repeated parameter, or a value of the wrong form.
    """
    values = query_values(pairs, _NOTES)
    if "q" not in values:
        raise UsageError("parameter 'q' is missing", hint="Add q=... with the question.")
    return NotesQuestion(
        q=no_surrogates(values["q"]),
        project=project_of(values.get("project")),
        level=values.get("level", ""),
        limit=whole_number("limit", values.get("limit", str(DEFAULT_NOTES_LIMIT))),
        explain=_truth(values.get("explain", "0")),
    )


def query_values(pairs: Iterable[tuple[str, str]], known: Sequence[str]) -> dict[str, str]:
    """Return the parameters of a query string by name.

    Raises:
        UsageError: An unknown or repeated parameter.
    """
    values: dict[str, str] = {}
    for name, value in pairs:
        require_known(name, known)
        if name in values:
            raise UsageError(f"parameter {name!r} is given more than once")
        values[name] = value
    return values


def from_json(body: bytes) -> Question:
    """Return what a JSON body asks: one `task`, or `tasks`.

    Raises:
        UsageError: Not JSON, an unknown or repeated key, or a value of the wrong type.
    """
    values = body_object(body)
    for name in values:
        require_known(name, _BODY)
    if ("task" in values) == ("tasks" in values):
        raise UsageError("the body must hold either 'task' or 'tasks'")
    explain = values.get("explain", False)
    if not isinstance(explain, bool):
        raise UsageError("'explain' must be true or false")
    limit = values.get("limit", DEFAULT_LIMIT)
    if isinstance(limit, bool) or not isinstance(limit, int):
        raise UsageError("'limit' must be a whole number")
    project = values.get("project")
    if project is not None and not isinstance(project, str):
        raise UsageError("'project' must be a text or null")
    batch = "tasks" in values
    if batch and explain:
        raise UsageError("'explain' takes one task", hint="Send 'task' in the place of 'tasks'.")
    return Question(
        tasks=_tasks(values["tasks"]) if batch else (_text(values["task"], "task"),),
        batch=batch,
        project=project_of(project),
        limit=limit,
        explain=explain,
    )


def require_none(pairs: Iterable[tuple[str, str]]) -> None:
    """Raise UsageError where a route that takes no parameters got one."""
    for name, _ in pairs:
        raise UsageError(f"this URL takes no parameters, not {printable(name, 60)!r}")


def body_object(body: bytes) -> Mapping[str, object]:
    """Return the JSON object that a body holds.

    Raises:
        UsageError: It is no JSON object, or names a key twice.
    """
    try:
        value: object = json.loads(
            body.decode("utf-8"), object_pairs_hook=_distinct, parse_constant=_refuse
        )
    except UnicodeDecodeError as error:
        raise UsageError(f"the body is not UTF-8, at byte {error.start}") from error
    except RecursionError as error:
        raise UsageError("the body is nested too deeply") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise UsageError(f"the body is not JSON: {error.msg} at {where}") from error
    except ValueError as error:  # a number of more digits than Python reads
        raise UsageError("the body holds a number that is too long") from error
    if not isinstance(value, dict):
        raise UsageError("the body must be a JSON object", hint='Such as {"task": "..."}.')
    return cast("dict[str, object]", value)


def _distinct(pairs: Sequence[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise UsageError(f"key {printable(twice, 60)!r} is given more than once")
    return found


def _refuse(constant: str) -> object:
    raise UsageError(f"the body is not JSON: {constant}")


def require_known(name: str, known: Sequence[str]) -> None:
    """Raise UsageError, with the nearest known name, unless `name` is one of `known`."""
    if name not in known:
        near = difflib.get_close_matches(name[:60], known, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(known)}."
        raise UsageError(f"unknown parameter {printable(name, 60)!r}", hint=hint)


def _tasks(value: object) -> tuple[str, ...]:
    listed = cast("list[object]", value) if isinstance(value, list) else []
    if not 1 <= len(listed) <= MAX_BATCH:
        raise UsageError(f"'tasks' must be a list of 1 to {MAX_BATCH} texts")
    return tuple(_text(task, f"tasks[{place}]") for place, task in enumerate(listed))


def _text(value: object, name: str) -> str:
    if not isinstance(value, str):
        raise UsageError(f"{name!r} must be a text")
    # JSON can spell half a character, which no encoder reads.
    return no_surrogates(value)


def project_of(value: str | None) -> str | None:
    """Return the project that a request names, or None for none.

    Raises:
        UsageError: It is blank or over-long.
    """
    if value is None:
        return None
    if not value.strip():
        raise UsageError("the project is blank", hint="Leave it out to see every skill.")
    if len(value) > _MAX_PROJECT_CHARS:
        raise UsageError(f"the project has more than {_MAX_PROJECT_CHARS} characters")
    return no_surrogates(value)


def whole_number(name: str, value: str) -> int:
    """Return the whole number that a parameter says.

    Raises:
        UsageError: It is none.
    """
    if not _WHOLE.fullmatch(value):
        raise UsageError(f"{name} must be a whole number, not {printable(value, 40)!r}")
    return int(value)


def _truth(value: str) -> bool:
    if value not in _TRUTH:
        raise UsageError(f"explain must be 1 or 0, not {printable(value, 40)!r}")
    return _TRUTH[value]
