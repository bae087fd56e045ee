"""Reading a hostile JSON object: every getter takes what is there or gives an empty value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import cast

import orjson

from memskill.sources.identity import canonical_json
from memskill.sources.transcripts.protocol import Row, State

_ANSI = re.compile(
    r"\x1b\[[0-9;?]{0,32}[@-~]|\x1b\][^\x07\x1b]{0,256}(?:\x07|\x1b\\)|\x1b.|\r(?=\n)"
)
# Names under which tools take the file that they work on.
TARGETS = ("file_path", "path", "notebook_path", "filePath", "file")
_MAX_ARGUMENT = 300
# What most harnesses write is what is wanted.
_USUAL_TIME = re.compile(
    r"20\d\d-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z",
    re.ASCII,
)


def text(row: Row, key: str) -> str:
    """Return a text value, or "" where it is missing or something else."""
    value = row.get(key)
    return value if isinstance(value, str) else ""


def child(row: Row, key: str) -> Row:
    """Return an object value, or an empty one."""
    value = row.get(key)
    return cast("Row", value) if isinstance(value, dict) else {}


def rows(row: Row, key: str) -> Iterator[Row]:
    """Yield the objects of a list value."""
    value = row.get(key)
    if isinstance(value, list):
        for item in cast("list[object]", value):
            if isinstance(item, dict):
                yield cast("Row", item)


def whole(row: Row, key: str) -> int | None:
    """Return a whole number, or None; a truth value is none."""
    value = row.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def blocks_text(value: object) -> str:
    """Return the text of a content value: a text, or a list of text blocks."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""
    parts: list[str] = []
    for item in cast("list[object]", value):
        if isinstance(item, str):
            parts.append(item)
        elif isinstance(item, dict):
            parts.append(text(cast("Row", item), "text"))
    return "\n".join(part for part in parts if part)


def plain(value: str) -> str:
    """Return terminal output without its escapes."""
    return _ANSI.sub("", value) if "\x1b" in value or "\r" in value else value


def moment(value: object) -> str:
    """Return a time, ISO text or milliseconds, as UTC ISO 8601 to the millisecond, or ""."""
    if isinstance(value, str) and _USUAL_TIME.fullmatch(value):
        return value
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            when = datetime.fromtimestamp(value / 1000, UTC)
        elif isinstance(value, str) and value:
            when = datetime.fromisoformat(value)
            when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
        else:
            return ""
    except (ValueError, OverflowError, OSError):
        return ""
    return when.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def remembered(state: State, key: str) -> dict[str, str]:
    """Return the map that a parser keeps under `key`, made where it is missing."""
    found = state.setdefault(key, {})
    return found if isinstance(found, dict) else {}


def said(state: State, key: str) -> str:
    """Return the text that a parser keeps under `key`, or ""."""
    found = state.get(key, "")
    return found if isinstance(found, str) else ""


def loaded(value: object) -> Row:
    """Return a JSON object that was given as text or as itself; anything else is empty."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return cast("Row", value) if isinstance(value, dict) else {}


def target_of(arguments: Row) -> str:
    """Return the file that a call works on, or ""."""
    for name in TARGETS:
        found = arguments.get(name)
        if found and isinstance(found, str):
            return found
    return ""


def arguments_json(arguments: Row) -> str:
    """Return a call's arguments as canonical JSON, long values cut."""
    short = {
        key: value[:_MAX_ARGUMENT] if isinstance(value, str) else value
        for key, value in arguments.items()
    }
    try:
        found = orjson.dumps(short, option=orjson.OPT_SORT_KEYS).decode()
    except orjson.JSONEncodeError:
        # Half a character, a number of more than 64 bits, or a deep nesting.
        try:
            found = canonical_json(short)
        except (ValueError, RecursionError):
            return "{}"
    return found if len(found) <= 4 * _MAX_ARGUMENT else canonical_json(sorted(short))
