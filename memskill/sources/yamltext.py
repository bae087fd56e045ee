"""YAML 1.2 to plain Python where every scalar stays the text that was written.

A query id `007`, `1e10`, `on`, `null` or `12:30:45` is a name, not a number, a truth value or
nothing; tags are ignored, so no object is ever made; aliases and depth are bounded.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from memskill.sources.safety import no_surrogates, printable

# Every scalar is text: an empty value is "".
Value: TypeAlias = "str | list[Value] | dict[str, Value]"

MAX_DEPTH = 20
# Values in one block, each alias counted as all that it stands for.
MAX_VALUES = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is odd about one place of a file: a 1-based line (None: none to name) and why."""

    reason: str
    line: int | None = None


class YamlFault(Exception):
    """The text is not YAML that is read here."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        # 1-based within the text.
        self.line = line


class _Mark(Protocol):
    line: int


class _Event(Protocol):
    start_mark: _Mark
    anchor: object
    value: object


@dataclass(slots=True)
class _Built:
    value: Value
    # How many values it stands for, aliases followed.
    size: int


def load_text(text: str) -> tuple[Value, list[Problem]]:
    """Return the one document of `text` and what was odd: duplicate keys, of which the last wins.

    An empty document is an empty map. Lines of problems count from 1 within `text`.

    Raises:
        YamlFault: Not YAML, more than one document, too deep, too many values, or a key that
            is not text.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    # Any: the parser's own types are only partly known; `_Event` says what is used of them.
    yaml: Any = YAML(typ="safe", pure=True)
    try:
        return _Builder(yaml.parse(text)).document()
    except MarkedYAMLError as error:
        raise _fault(error) from error
    except YAMLError as error:
        raise YamlFault(printable(str(error), 120)) from error
    except (ValueError, IndexError, AttributeError, TypeError, RecursionError) as error:
        # What the scanner lets slip on hostile text, such as an escape beyond U+10FFFF.
        raise YamlFault(f"not readable as YAML ({type(error).__name__})") from error


def _fault(error: Any) -> YamlFault:  # noqa: ANN401 (a parser error, typed in part only)
    mark = error.problem_mark or error.context_mark
    reason = printable(str(error.problem or error.context), 120)
    return YamlFault(reason, mark.line + 1 if mark else None)


class _Builder:
    """Builds values from parser events, within the bounds of the module."""

    def __init__(self, events: Iterator[_Event]) -> None:
        self._events = events
        self._anchors: dict[str, _Built] = {}
        self._left = MAX_VALUES
        self._problems: list[Problem] = []

    def document(self) -> tuple[Value, list[Problem]]:
        value: Value = {}
        documents = 0
        for event in self._events:
            kind = type(event).__name__
            if kind == "DocumentStartEvent":
                documents += 1
                if documents > 1:
                    raise YamlFault("a second document starts", event.start_mark.line + 1)
                value = self._build(next(self._events), 0).value
        return value, self._problems

    def _build(self, event: _Event, depth: int) -> _Built:
        line = event.start_mark.line + 1
        kind = type(event).__name__
        if depth > MAX_DEPTH:
            raise YamlFault(f"nested deeper than {MAX_DEPTH}", line)
        if kind == "AliasEvent":
            built = self._anchors.get(str(event.anchor))
            if built is None:
                raise YamlFault("an alias of nothing, or of what holds it", line)
        elif kind == "ScalarEvent":
            built = _Built(no_surrogates(str(event.value)), 1)
        elif kind == "SequenceStartEvent":
            built = self._sequence(depth)
        else:
            built = self._mapping(depth)
        if kind in ("AliasEvent", "ScalarEvent"):
            self._left -= built.size
            if self._left < 0:
                raise YamlFault(f"more than {MAX_VALUES} values", line)
        if kind != "AliasEvent" and event.anchor is not None:
            self._anchors[str(event.anchor)] = built
        return built

    def _sequence(self, depth: int) -> _Built:
        items: list[Value] = []
        size = 1
        while type(event := next(self._events)).__name__ != "SequenceEndEvent":
            built = self._build(event, depth + 1)
            items.append(built.value)
            size += built.size
        return _Built(items, size)

    def _mapping(self, depth: int) -> _Built:
        items: dict[str, Value] = {}
        size = 1
        while type(event := next(self._events)).__name__ != "MappingEndEvent":
            line = event.start_mark.line + 1
            key = self._build(event, depth + 1).value
            if not isinstance(key, str):
                raise YamlFault("a key that is not text", line)
            if key in items:
                where = f"duplicate key {printable(key, 40)!r}; the last one counts"
                self._problems.append(Problem(reason=where, line=line))
            built = self._build(next(self._events), depth + 1)
            items[key] = built.value
            size += built.size + 1
        return _Built(items, size)
