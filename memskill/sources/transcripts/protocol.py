"""What a transcript format has to offer: one parser a format, found by content."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, Protocol, TypeAlias

from memskill.sources.redact import REDACTOR_VERSION
from memskill.sources.transcripts.events import Event, Span

# Raised when the same bytes could give other events; another redactor gives other ones too.
PARSER_VERSION = 4 * 100 + REDACTOR_VERSION
# What a parser has to remember from row to row; kept as JSON between two reads of a file.
State: TypeAlias = "dict[str, str | dict[str, str]]"
# How the rows lie on disk: one JSON a line, one JSON document, or one file a row.
Container = Literal["lines", "document", "folder"]


class Dropped(NamedTuple):
    """A row, or a part of one, that is no event of the session, and why."""

    reason: str


class Parser(Protocol):
    """Reads the rows of one format. It holds nothing: what it must remember lies in `state`."""

    @property
    def name(self) -> str:
        """What reports call the format."""
        ...

    @property
    def container(self) -> Container:
        """How its rows lie on disk."""
        ...

    @property
    def array(self) -> tuple[str, ...]:
        """Of a document: the top-level lists whose items are the rows, the first one found."""
        ...

    def sniff(self, head: Row) -> bool:
        """Tell whether `head`, one of a file's first rows or a document's keys, is its own."""
        ...

    def skip(self, raw: bytes) -> str | None:
        """Return why a raw row is dropped unread, or None where it has to be parsed."""
        ...

    def events(self, row: Row, span: Span, state: State) -> Iterable[Event | Dropped]:
        """Yield what one row says; `state` holds `session` and what earlier rows left there."""
        ...


# A JSON object; its values are whatever the harness wrote.
Row: TypeAlias = "dict[str, object]"
