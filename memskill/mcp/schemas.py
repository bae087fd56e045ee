"""What each tool takes and gives, as JSON Schema; what it gives is what HTTP gives."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, cast

from memskill.config import Settings
from memskill.errors import UsageError
from memskill.pipeline.context import DEFAULT_CHARS, MAX_CHARS, MIN_CHARS
from memskill.pipeline.matching import MAX_LIMIT
from memskill.sources.safety import printable

Schema = dict[str, object]
_PROJECT: Schema = {
    "type": "string",
    "minLength": 1,
    "maxLength": 200,
    "description": "The project at work; leave it out to look everywhere.",
}


def input_schemas(settings: Settings) -> dict[str, Schema]:
    """Return tool -> the schema of its arguments, limits included."""
    longest = settings.max_task_chars
    task = _text("What is to be done, in the user's own words.", longest)
    question = _text("A question, some words, or an error message as it was met.", longest)
    limit = {"type": "integer", "minimum": 1, "maximum": MAX_LIMIT}
    chars = {
        "type": "integer",
        "minimum": MIN_CHARS,
        "maximum": MAX_CHARS,
        "default": DEFAULT_CHARS,
        "description": "The largest length of the text, in characters.",
    }
    levels = {
        "type": "string",
        "enum": ["L0", "L1", "L2", "lesson"],
        "description": "Only notes of this level, or only lessons; leave it out for all.",
    }
    return {
        "match_skills": _object(task=task, project=_PROJECT, limit=limit | {"default": 3}),
        "get_skill": _object(name=_text("The skill's name, as match_skills gives it.", 200)),
        "query_notes": _object(
            question=question, project=_PROJECT, level=levels, limit=limit | {"default": 5}
        ),
        "get_context": _object(task=task, project=_PROJECT, max_chars=chars),
    }


def output_schemas() -> dict[str, Schema]:
    """Return tool -> the schema of its structured result, always an object."""
    from memskill.web.health import document

    components = cast("dict[str, dict[str, object]]", document()["components"])["schemas"]

    def named(name: str) -> Schema:
        return cast("Schema", _inlined(components[name], components))

    return {
        "match_skills": _object(skills=named("Matches")),
        "get_skill": _object(name={"type": "string"}, text={"type": "string"}),
        "query_notes": _object(hits=named("Hits")),
        "get_context": named("Context"),
    }


def check_arguments(schema: Schema, arguments: Mapping[str, object]) -> dict[str, object]:
    """Return the arguments with the defaults of those that are left out.

    Raises:
        UsageError: They break the schema: which one, and how.
    """
    # Comes with the extra; what it is typed by says nothing.
    jsonschema: Any = importlib.import_module("jsonschema")
    properties = cast("dict[str, dict[str, object]]", schema["properties"])
    if strange := sorted(set(arguments) - set(properties)):
        known = ", ".join(properties)
        raise UsageError(f"unknown argument {printable(strange[0], 60)!r}", hint=f"Known: {known}.")
    given = {name: value for name, value in arguments.items() if value is not None}
    faults = jsonschema.Draft202012Validator(schema).iter_errors(given)
    fault = jsonschema.exceptions.best_match(faults)
    if fault is not None:
        where = "/".join(map(str, fault.path))
        message = _fault(fault.validator, fault.validator_value, fault.message)
        raise UsageError(f"{where}: {message}" if where else message)
    return {name: one["default"] for name, one in properties.items() if "default" in one} | given


def _fault(keyword: object, bound: object, message: str) -> str:
    """Return a fault in few words: the validator's own message repeats the value, however long."""
    told = {
        "minLength": f"must have at least {bound} characters",
        "maxLength": f"must have at most {bound} characters",
        "minimum": f"must be at least {bound}",
        "maximum": f"must be at most {bound}",
        "type": f"must be of type {bound}",
        "enum": f"must be one of {bound}",
    }
    return told.get(str(keyword), printable(message, 200))


def _text(description: str, longest: int) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": longest, "description": description}


def _object(**properties: Mapping[str, object]) -> Schema:
    """Return the schema of an object; what has no default and is no project must be there."""
    free = {"project", "level"}
    required = [n for n, one in properties.items() if "default" not in one and n not in free]
    return {
        "type": "object",
        "properties": dict(properties),
        "required": required,
        "additionalProperties": False,
    }


def _inlined(part: object, components: Mapping[str, object]) -> object:
    """Return a schema with every reference in the place of which it stands."""
    if isinstance(part, list):
        return [_inlined(one, components) for one in cast("list[object]", part)]
    if not isinstance(part, dict):
        return part
    found = cast("dict[str, object]", part)
    if "$ref" in found:
        name = str(found["$ref"]).removeprefix("#/components/schemas/")
        return _inlined(components[name], components)
    return {name: _inlined(value, components) for name, value in found.items()}
