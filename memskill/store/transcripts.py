"""How far transcripts were read, and what they gave: calls, chunks and their places."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING

from memskill.records import Node
from memskill.sources.transcripts.calls import Chunk, ToolCall
from memskill.sources.transcripts.events import Span
from memskill.sources.transcripts.protocol import PARSER_VERSION
from memskill.sources.transcripts.read import Cursor
from memskill.store.nodes import NodeQueries

if TYPE_CHECKING:
    import polars as pl

    from memskill.store.base import Schema

# The project of chunks whose session does not say where it took place.
_UNKNOWN = "unknown"
# Rows that are fetched together.
_CALLS_AT_ONCE = 5_000
_CURSOR = ("path", "format", "head_sha", "next_byte", "next_line", "state", "counts")


class TranscriptQueries(NodeQueries):
    """Reads and writes of what transcripts gave. Writes belong inside `transaction()`."""

    def cursors(self) -> dict[str, Cursor]:
        """Return path -> how far that transcript was read."""
        names = (*_CURSOR, "parser_version")
        rows = self._rows("transcript_cursors")
        return {str(row[0]): Cursor(**dict(zip(names, row, strict=True))) for row in rows}

    def save_cursor(self, cursor: Cursor) -> None:
        """Note how far a transcript was read."""
        self._run("save_cursor", **asdict(cursor))

    def forget_transcript(self, old: Cursor, at: datetime) -> set[str]:
        """Drop what a transcript gave that is read anew; return the projects of its calls.

        Where a newer parser reads it, its chunks go too; where the file was rewritten, they
        stay, for they did stand there, and their places are retired.
        """
        scopes = {str(scope) for (scope,) in self._rows("scopes_of_transcript", path=old.path)}
        self._run("delete_calls_of", path=old.path)
        if old.parser_version == PARSER_VERSION:
            self._run("retire_transcript", path=old.path, at=at)
            return scopes
        self._run("delete_transcript_sources", path=old.path)
        self._run("delete_placeless_validity")
        self._run("delete_placeless_nodes")
        return scopes

    def close_placeless(self, at: datetime) -> None:
        """Let chunks that no transcript gives any more hold no longer."""
        self._run("close_placeless_validity", at=at)

    def add_calls(self, calls: Sequence[ToolCall]) -> None:
        """Keep calls with their outcome; known ones stay."""
        self._load("insert_tool_calls", [_call_row(call) for call in calls], _call_schema())

    def calls_of(self, scopes: Iterable[str]) -> Iterator[ToolCall]:
        """Yield all calls of some scopes by scope, session and agent, each of these in order.

        Few are in memory at once; nothing may be written meanwhile.
        """
        import polars as pl

        frame = pl.DataFrame({"scope": sorted(set(scopes))}, schema={"scope": pl.String})
        with self._incoming(frame):
            places = self._frame("call_order").with_row_index("ordinal")
        for part in places.iter_slices(_CALLS_AT_ONCE):
            with self._incoming(part):
                rows = self._rows("calls_at")
            yield from map(ToolCall._make, rows)

    def calls_in(self, path: str) -> list[ToolCall]:
        """Return the calls that one transcript gave, by id."""
        return _calls(self._frame("calls_of_transcript", path=path))

    def call_scopes(self) -> set[str]:
        """Return the projects that calls belong to."""
        return {str(scope) for (scope,) in self._rows("call_scopes")}

    def chunks_in(self, path: str) -> list[Chunk]:
        """Return the chunks that one transcript gives, in its order."""
        return [
            Chunk(
                sha=sha, session=session, scope="" if project == _UNKNOWN else project,
                author=author, at=at or "", text=body, span=Span(place, line, start, end, last),
            )
            for sha, session, project, author, at, body, place, line, last, start, end in (
                self._rows("chunks_of_transcript", path=path)
            )
        ]  # fmt: skip

    def add_chunks(self, chunks: Sequence[tuple[Chunk, Cursor]], at: datetime) -> None:
        """Keep chunks as valid L0 nodes with their places in the cursors' transcripts."""
        import polars as pl

        nodes = {chunk.sha: _node(chunk) for chunk, _ in reversed(chunks)}
        # An L0 is not encoded for search as it comes in: its text sha is that of its own body.
        self.add_nodes([(node, node.sha) for node in nodes.values()], at)
        rows = [_source_row(chunk, cursor, at) for chunk, cursor in chunks]
        self._load("insert_transcript_sources", rows, _source_schema())
        shas = [{"sha": sha} for sha in nodes]
        self._load("open_new_validity", shas, {"sha": pl.String}, at=at)


def _calls(found: pl.DataFrame) -> list[ToolCall]:
    return [ToolCall(at=row.pop("happened_at") or "", **row) for row in found.to_dicts()]


def _call_row(call: ToolCall) -> dict[str, object]:
    row = call._asdict()
    return {"happened_at": row.pop("at"), **row}


def _node(chunk: Chunk) -> Node:
    return Node(
        sha=chunk.sha,
        level="L0",
        project=chunk.scope or _UNKNOWN,
        query_id=chunk.session,
        query="",
        body=chunk.text,
        trust="agent",
        author=chunk.author,
        created_at=chunk.at,
        tags=("transcript",),
    )


def _source_row(chunk: Chunk, cursor: Cursor, at: datetime) -> dict[str, object]:
    span = chunk.span
    place = f"transcript\n{span.path}\n{chunk.sha}\n{span.start}"
    return {
        "id": hashlib.sha256(place.encode("utf-8", "replace")).hexdigest(),
        "path": span.path,
        "node_sha": chunk.sha,
        # Of the first row: the file itself grows, and its sha with it.
        "file_sha": cursor.head_sha,
        "session": chunk.session,
        "byte_start": span.start,
        "byte_end": span.end,
        "line_start": span.line,
        "line_end": span.last,
        "parser_version": cursor.parser_version,
        "seen_at": at,
    }


def _source_schema() -> Schema:
    import polars as pl

    schema: Schema = dict.fromkeys(("id", "path", "node_sha", "file_sha", "session"), pl.String)
    numbers = ("byte_start", "byte_end", "line_start", "line_end", "parser_version")
    return schema | dict.fromkeys(numbers, pl.Int64) | {"seen_at": pl.Datetime("us")}


def _call_schema() -> Schema:
    import polars as pl

    texts = (
        *("id", "session", "agent", "scope", "branch", "happened_at", "path", "tool", "action"),
        *("command", "target", "stopped", "output", "node_sha"),
    )
    schema: Schema = dict.fromkeys(texts, pl.String)
    schema |= dict.fromkeys(("line", "byte_start", "byte_end", "exit_code"), pl.Int64)
    return schema | {"failed": pl.Boolean}
