"""Ingest of transcripts: read on what has grown, keep it, and work the lessons out anew."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import cast

from memskill.config import Settings
from memskill.errors import NotFound, SourceError
from memskill.lessons.episodes import Learned, Learning, learn_ordered
from memskill.records import Skipped
from memskill.sources.safety import printable
from memskill.sources.transcripts.find import FoundTranscript, find_transcripts
from memskill.sources.transcripts.read import (
    BATCH_BYTES,
    Batch,
    Cursor,
    continues,
    fresh_cursor,
    read_batches,
)
from memskill.store import Store, open_store
from memskill.store.base import utc_now


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptCounts:
    """What one transcript held so far; all are counts."""

    path: str
    format: str
    rows: int
    events: int
    # Shell commands that ran to an end, and calls that the harness reports as failed.
    commands: int
    failures: int
    # Why rows, or parts of them, are no events.
    dropped: Mapping[str, int]
    # Kind -> secrets that were replaced; never their values.
    redactions: Mapping[str, int]
    # Bytes that this run read.
    bytes_read: int
    # Lessons that rest on it, among others; 0 in a dry run.
    lessons: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptReport:
    """What a run read and learned. A second run over unchanged files changes nothing."""

    files: tuple[TranscriptCounts, ...]
    calls_new: int
    chunks_new: int
    # Of the projects that this run touched: lessons now, and why other failures taught nothing.
    lessons: int
    failures_dropped: Mapping[str, int]
    skipped: tuple[Skipped, ...]
    dry_run: bool
    changed: bool
    seconds: float


@dataclass(slots=True)
class _Run:
    """What a run has gathered and not yet written, and what it counted."""

    settings: Settings
    at: datetime
    dry_run: bool
    batches: list[Batch] = field(default_factory=list[Batch])
    # Cursors that hold no longer: of files that were rewritten, or read by an older parser.
    outdated: list[Cursor] = field(default_factory=list[Cursor])
    waiting_bytes: int = 0
    scopes: set[str] = field(default_factory=set[str])
    calls: int = 0
    chunks: int = 0
    changed: bool = False


def ingest_transcripts(
    settings: Settings,
    paths: Sequence[Path],
    *,
    dry_run: bool = False,
    batch_bytes: int = BATCH_BYTES,
    now: datetime | None = None,
) -> TranscriptReport:
    """Read transcripts at and below `paths` into the database, and return what they held.

    A file is read on from where the last run stopped; what is read is written in bounded
    batches, each with its cursor in one transaction, so that a crash loses no place.

    Args:
        settings: Names the vault.
        paths: Files and folders.
        dry_run: Read and count, write nothing, and learn nothing.
        batch_bytes: About how many bytes are read between two writes.
        now: What counts as the time of this run; the clock by default.

    Raises:
        NotFound: The vault does not exist.
        StoreError, StoreBusy: See `open_store`.
    """
    started = time.perf_counter()
    if not settings.vault.is_dir():
        raise NotFound(f"no vault at {settings.vault}", hint="`mem init` makes one.")
    found, skipped = find_transcripts(paths)
    cursors = _cursors(settings)
    run = _Run(settings=settings, at=now or utc_now(), dry_run=dry_run)
    files: list[TranscriptCounts] = []
    for one in found:
        try:
            files.append(_read(one, cursors.get(str(one.path)), run, batch_bytes))
        except SourceError as error:
            skipped.append(Skipped(path=printable(str(one.path), 500), reason=error.message))
    _write(run)
    learning = _learn(run) if run.changed and not dry_run else Learning()
    return TranscriptReport(
        files=tuple(files if dry_run else _with_lessons(settings, files)),
        calls_new=run.calls,
        chunks_new=run.chunks,
        lessons=len(learning.lessons),
        failures_dropped=dict(sorted(learning.dropped.items())),
        skipped=tuple(skipped),
        dry_run=dry_run,
        changed=run.changed,
        seconds=time.perf_counter() - started,
    )


def _with_lessons(settings: Settings, files: list[TranscriptCounts]) -> list[TranscriptCounts]:
    """Return the counts with how many lessons rest on each transcript."""
    try:
        with open_store(settings) as store:
            pairs = store.lessons_in()
    except NotFound:
        return files
    taught: dict[str, set[str]] = {}
    for path, lesson_id in pairs:
        taught.setdefault(path, set()).add(lesson_id)
        # Of a folder, the calls lie in its files.
        taught.setdefault(str(Path(path).parent.parent), set()).add(lesson_id)
    return [replace(one, lessons=len(taught.get(one.path, ()))) for one in files]


def _cursors(settings: Settings) -> dict[str, Cursor]:
    try:
        with open_store(settings) as store:
            return store.cursors()
    except NotFound:
        return {}


def _read(
    found: FoundTranscript, cursor: Cursor | None, run: _Run, batch_bytes: int
) -> TranscriptCounts:
    """Gather what one transcript gives, writing whenever enough is gathered."""
    if cursor is not None and not continues(found, cursor):
        run.outdated.append(cursor)
        cursor = None
    cursor = cursor or fresh_cursor(found)
    start = cursor.next_byte
    for batch in read_batches(found, cursor, batch_bytes=batch_bytes):
        run.batches.append(batch)
        run.waiting_bytes += max(batch.cursor.next_byte - cursor.next_byte, 0)
        cursor = batch.cursor
        if run.waiting_bytes >= batch_bytes:
            _write(run)
    counts = cast("dict[str, int]", json.loads(cursor.counts))
    tables = cast("dict[str, dict[str, int]]", json.loads(cursor.counts))
    return TranscriptCounts(
        path=str(found.path),
        format=found.parser.name,
        rows=counts.get("rows", 0),
        events=counts.get("events", 0),
        commands=counts.get("commands", 0),
        failures=counts.get("failures", 0),
        dropped=tables.get("dropped", {}),
        redactions=tables.get("redactions", {}),
        bytes_read=cursor.next_byte - start,
    )


def _write(run: _Run) -> None:
    """Write what was gathered, each file's cursor with it."""
    if not run.batches:
        return
    calls = [call for batch in run.batches for call in batch.calls]
    chunks = [(chunk, batch.cursor) for batch in run.batches for chunk in batch.chunks]
    if not run.dry_run:
        with open_store(run.settings, write=True) as store, store.transaction():
            for old in run.outdated:
                run.scopes |= store.forget_transcript(old, run.at)
            store.add_calls(calls)
            store.add_chunks(chunks, run.at)
            for cursor in {batch.cursor.path: batch.cursor for batch in run.batches}.values():
                store.save_cursor(cursor)
    run.calls += len(calls)
    run.chunks += len(chunks)
    run.scopes.update(call.scope for call in calls)
    run.batches, run.outdated, run.waiting_bytes = [], [], 0
    run.changed = True


def _learn(run: _Run) -> Learning:
    """Work the lessons of the touched projects out anew from all of their calls."""
    with open_store(run.settings, write=True) as store, store.transaction():
        store.close_placeless(run.at)
        return _work_out(store, run.scopes)


def learn_anew(settings: Settings) -> Learning:
    """Work all lessons out anew from the calls that are kept.

    Raises:
        StoreError, StoreBusy: See `open_store`.
    """
    with open_store(settings, write=True) as store, store.transaction():
        return _work_out(store, store.call_scopes())


def _work_out(store: Store, scopes: set[str]) -> Learning:
    learning = learn_ordered(lambda: store.calls_of(scopes))
    lessons = [_lesson_row(lesson) for lesson in learning.lessons]
    events = [
        {
            "id": event.id,
            "lesson_id": event.lesson_id,
            "session": event.call.session,
            "happened_at": event.call.at,
            "kind": event.kind,
            "call_id": event.call.id,
            "node_sha": event.call.node_sha,
        }
        for lesson in learning.lessons
        for event in lesson.events
    ]
    store.replace_lessons(scopes, lessons, events)
    return learning


def _lesson_row(lesson: Learned) -> dict[str, object]:
    first = lesson.first
    return {
        "id": lesson.id,
        "tool": first.tool,
        "subcommand": first.subcommand,
        "signature": first.signature,
        "scope": first.call.scope,
        "symptom": first.symptom,
        "resolution": lesson.fix.text,
        "command": first.command.line[:400] if first.command else first.call.tool,
        "fix_command": lesson.fix.command,
    }


def transcript_line(report: TranscriptReport) -> str:
    """Return a run as one line: what was read, what is new, what was passed over."""
    read = [one for one in report.files if one.bytes_read]
    head = "would ingest" if report.dry_run else "ingested" if report.changed else "no change"
    parts = [
        f"{len(report.files)} transcripts ({len(read)} with new rows)",
        f"{report.calls_new} calls",
        f"{report.chunks_new} chunks",
        f"{report.lessons} lessons in the projects touched",
        f"{len(report.skipped)} skipped",
        f"{report.seconds:.1f} s",
    ]
    return f"{head}: {', '.join(parts)}"
