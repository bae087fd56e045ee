"""Reading a transcript on from where the last run stopped, in batches of bounded size."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from memskill.errors import SourceError
from memskill.sources.safety import read_bounded
from memskill.sources.transcripts.calls import Chunk, Joiner, ToolCall
from memskill.sources.transcripts.events import Event, FileCounts, Span
from memskill.sources.transcripts.find import FoundTranscript, event_files
from memskill.sources.transcripts.formats import parse_row
from memskill.sources.transcripts.protocol import PARSER_VERSION, Dropped, Row, State
from memskill.sources.transcripts.rows import MAX_ROW, RawRow, read_document, read_lines
from memskill.sources.transcripts.scrub import scrub

if TYPE_CHECKING:
    import polars as pl

# Bytes of a file that are read before what they gave is handed on.
BATCH_BYTES = 8_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """How far a file was read, and what its parser has to remember there."""

    path: str
    format: str
    head_sha: str
    next_byte: int = 0
    next_line: int = 1
    # JSON of `protocol.State`.
    state: str = "{}"
    # JSON of `FileCounts`, over all of the file that was read.
    counts: str = "{}"
    parser_version: int = PARSER_VERSION


@dataclass(slots=True)
class Batch:
    """What a part of a file gave, and the cursor behind that part."""

    cursor: Cursor
    calls: list[ToolCall] = field(default_factory=list[ToolCall])
    chunks: list[Chunk] = field(default_factory=list[Chunk])
    # Of this part alone.
    counts: FileCounts = field(default_factory=FileCounts)


def fresh_cursor(found: FoundTranscript) -> Cursor:
    """Return the cursor at a transcript's beginning."""
    return Cursor(path=str(found.path), format=found.parser.name, head_sha=found.head_sha)


def continues(found: FoundTranscript, cursor: Cursor) -> bool:
    """Tell whether a cursor still fits: same format, parser and first row, and no shorter file."""
    known = (cursor.format, cursor.head_sha, cursor.parser_version)
    if known != (found.parser.name, found.head_sha, PARSER_VERSION):
        return False
    return found.parser.container != "lines" or found.path.stat().st_size >= cursor.next_byte


def read_batches(
    found: FoundTranscript, cursor: Cursor, *, batch_bytes: int = BATCH_BYTES
) -> Iterator[Batch]:
    """Yield what the file gives behind `cursor`, in order; nothing where it has not grown.

    Raises:
        SourceError: The file cannot be read.
    """
    state = cast("State", json.loads(cursor.state)) or _first_state(found)
    # Only what is new is yielded: a document that was read is not read again.
    if found.parser.container == "document" and cursor.next_byte:
        return
    for part in _parts(_raw_rows(found, cursor, state), batch_bytes):
        batch = _batch(found, cursor, state, part)
        yield batch
        cursor = batch.cursor


def _first_state(found: FoundTranscript) -> State:
    # Formats without a session's name take the file's.
    return {"session": found.path.stem}


def _raw_rows(found: FoundTranscript, cursor: Cursor, state: State) -> Iterator[RawRow]:
    container = found.parser.container
    if container == "lines" or (container == "folder" and found.path.is_file()):
        yield from read_lines(found.path, cursor.next_byte, cursor.next_line)
    elif container == "folder":
        for number, file in enumerate(event_files(found.path)[cursor.next_byte :], 1):
            data = read_bounded(file, MAX_ROW)
            if parse_row(data) is None:
                return
            span = Span(str(file), 1, 0, len(data), data.rstrip().count(b"\n") + 1)
            yield RawRow(data, span, cursor.next_byte + number, cursor.next_line + number)
    else:
        document = read_document(found.path, found.parser.array)
        state.update({key: value for key, value in document.keys.items() if isinstance(value, str)})
        for row, span in document.items:
            yield RawRow(json.dumps(row).encode(), span, span.end, span.line)


def _parts(raws: Iterable[RawRow], batch_bytes: int) -> Iterator[list[RawRow]]:
    part: list[RawRow] = []
    size = 0
    for raw in raws:
        part.append(raw)
        size += raw.span.end - raw.span.start
        if size >= batch_bytes:
            yield part
            part, size = [], 0
    if part:
        yield part


def _batch(found: FoundTranscript, cursor: Cursor, state: State, part: list[RawRow]) -> Batch:
    batch = Batch(cursor=cursor)
    joiner = Joiner(state)
    events: list[Event] = []
    for raw in part:
        events.extend(_events(found, raw, state, batch.counts))
    _keep(joiner.bare(events), joiner, batch)
    joiner.close()
    batch.cursor = dataclasses.replace(
        cursor,
        next_byte=part[-1].next_byte,
        next_line=part[-1].next_line,
        # Sorted at the top only: of the calls that wait, the oldest is forgotten first.
        state=json.dumps(dict(sorted(state.items()))),
        counts=merged(cursor.counts, batch.counts),
    )
    return batch


def _events(
    found: FoundTranscript, raw: RawRow, state: State, counts: FileCounts
) -> Iterator[Event]:
    if raw.data is None:
        counts.rows += 1
        counts.dropped["row-too-long"] += 1
        return
    if raw.data.isspace():
        return
    counts.rows += 1
    if reason := found.parser.skip(raw.data):
        counts.dropped[reason] += 1
        return
    row = parse_row(raw.data)
    if row is None:
        counts.dropped["not-json"] += 1
        return
    nothing = True
    for given in found.parser.events(row, raw.span, state):
        nothing = False
        if isinstance(given, Dropped):
            counts.dropped[given.reason] += 1
        else:
            yield given
    # Such as a message with a picture alone.
    counts.dropped["empty"] += nothing


def _keep(events: list[Event], joiner: Joiner, batch: Batch) -> None:
    """Take the secrets out of events, count them, and join them."""
    counts = batch.counts
    for event in scrubbed(events, counts.redactions):
        counts.events += 1
        for made in joiner.take(event):
            if isinstance(made, Chunk):
                batch.chunks.append(made)
                continue
            counts.commands += made.action == "shell"
            counts.failures += made.failed
            batch.calls.append(made)


def scrubbed(events: list[Event], redactions: Counter[str]) -> list[Event]:
    """Return the events without secrets; `redactions` counts them by kind."""
    places: list[tuple[int, str]] = []
    texts: list[str] = []
    for at, event in enumerate(events):
        for name, text in (("text", event.text), ("command", event.command)):
            if text:
                places.append((at, name))
                texts.append(text)
        if event.target:
            places.append((at, "target"))
            texts.append(event.target)
    clean, counts = scrub(texts)
    redactions.update(counts)
    kept = list(events)
    for (at, name), old, new in zip(places, texts, clean, strict=True):
        if new is not old:
            kept[at] = kept[at]._replace(**{name: new})
    return kept


def merged(total: str, more: FileCounts) -> str:
    """Return the JSON of a file's counts with those of one more part."""
    old = cast("dict[str, int | dict[str, int]]", json.loads(total))
    new: Row = {}
    for name in ("rows", "events", "commands", "failures"):
        new[name] = cast("int", old.get(name, 0)) + cast("int", getattr(more, name))
    for name in ("dropped", "redactions"):
        counted = Counter(cast("dict[str, int]", old.get(name, {})))
        counted.update(cast("Counter[str]", getattr(more, name)))
        new[name] = {key: n for key, n in sorted(counted.items()) if n}
    return json.dumps(new)


def events_frame(found: FoundTranscript) -> pl.DataFrame:
    """Return all events of one transcript, redacted, one row an event in the file's order.

    Raises:
        SourceError: The file cannot be read.
    """
    import polars as pl

    state = _first_state(found)
    counts = FileCounts()
    raws = _raw_rows(found, fresh_cursor(found), state)
    events = [event for raw in raws for event in _events(found, raw, state, counts)]
    rows = [
        {**{name: getattr(event, name) for name in _TEXTS}, "exit_code": event.exit_code,
         "failed": event.failed, **event.span._asdict()}
        for event in scrubbed(events, counts.redactions)
    ]  # fmt: skip
    schema: dict[str, type[pl.DataType]] = dict.fromkeys(_TEXTS, pl.String)
    schema |= {"exit_code": pl.Int64, "failed": pl.Boolean, "path": pl.String}
    schema |= dict.fromkeys(("line", "start", "end", "last"), pl.Int64)
    return pl.DataFrame(rows, schema=schema)


_TEXTS = (
    "kind",
    "session",
    "agent",
    "at",
    "cwd",
    "branch",
    "text",
    "call_id",
    "tool",
    "action",
    "command",
    "target",
    "stopped",
)
__all__ = ["Batch", "Cursor", "SourceError", "events_frame", "read_batches"]
