"""Frontmatter values as the plain text and lists that notes and skills are made of."""

from __future__ import annotations

import re
from collections.abc import Mapping

from memskill.sources.safety import one_line
from memskill.sources.yamltext import Value


def as_line(value: Value | None) -> str:
    """Return a value as one line of text: lists joined by "; ", maps as `key: value`."""
    if value is None:
        return ""
    if isinstance(value, str):
        return one_line(value)
    if isinstance(value, list):
        return "; ".join(line for item in value if (line := as_line(item)))
    return "; ".join(f"{one_line(key)}: {as_line(item)}" for key, item in value.items())


def as_list(value: Value | None, separators: str = ",") -> tuple[str, ...]:
    """Return a list's, or a separated text's, entries: one line each, empty and double ones out."""
    if isinstance(value, list):
        parts = [as_line(item) for item in value]
    else:
        parts = [one_line(part) for part in re.split(f"[{separators}]", as_line(value))]
    return tuple(dict.fromkeys(part for part in parts if part))


def nested(data: Mapping[str, Value], key: str) -> Value | None:
    """Return the value of `key`, flat or else under `metadata`, or None."""
    if key in data:
        return data[key]
    metadata = data.get("metadata")
    return metadata.get(key) if isinstance(metadata, dict) else None
