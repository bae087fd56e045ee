"""The formats that are known, and which of them a file is in: told by its content alone."""

from __future__ import annotations

import json
from typing import cast

import orjson

from memskill.sources.transcripts.claude import ClaudeCode
from memskill.sources.transcripts.codex import Codex
from memskill.sources.transcripts.gemini import Gemini, GeminiLines
from memskill.sources.transcripts.openhands import OpenHands
from memskill.sources.transcripts.pi import Pi
from memskill.sources.transcripts.protocol import Parser, Row
from memskill.sources.transcripts.swe_agent import SweAgent

PARSERS: tuple[Parser, ...] = (
    ClaudeCode(), Codex(), Pi(), Gemini(), GeminiLines(), OpenHands(), SweAgent(),
)  # fmt: skip
# Rows of a file that are looked at before it is given up.
_FIRST_ROWS = 20


def parser_named(name: str) -> Parser:
    """Return the parser of one format."""
    return next(parser for parser in PARSERS if parser.name == name)


def sniff_lines(head: bytes) -> Parser | None:
    """Return the parser of a JSON-lines file from its first bytes, or None."""
    for line in head.split(b"\n")[:_FIRST_ROWS]:
        row = parse_row(line)
        if row is None:
            continue
        for parser in PARSERS:
            if parser.container != "document" and parser.sniff(row):
                return parser
    return None


def sniff_document(keys: Row) -> Parser | None:
    """Return the parser of a JSON document from its top-level keys, or None."""
    found = (p for p in PARSERS if p.container == "document" and p.sniff(keys))
    return next(found, None)


def parse_row(line: bytes) -> Row | None:
    """Return the JSON object on a line, or None where there is none."""
    try:
        value = orjson.loads(line)
    except orjson.JSONDecodeError:
        # Half a character and NaN are no JSON to orjson; harnesses write both.
        value = _by_the_standard_library(line)
    return cast("Row", value) if isinstance(value, dict) else None


def _by_the_standard_library(line: bytes) -> object:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):  # a deep nesting: no harness writes one
        return None
