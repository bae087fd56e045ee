"""What a rebuild carries over: people's verdicts, known transcripts, and what is left of gone ones.

Lessons are worked out from transcripts, and these lie wherever agents put them: the database
alone knows where. So a rebuild reads them again from there; what a file gave that is gone now is
taken from the old database, and so is what a person said.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from memskill.config import Settings
from memskill.errors import StoreBusy, StoreError
from memskill.lessons.node import PROJECT
from memskill.pipeline.transcripts import ingest_transcripts, learn_anew
from memskill.records import LessonState, Skipped
from memskill.sources.safety import printable
from memskill.sources.transcripts.calls import Chunk, ToolCall
from memskill.sources.transcripts.read import Cursor
from memskill.store import Store, open_store
from memskill.store.base import utc_now


@dataclass(slots=True)
class Gone:
    """What the database holds of a transcript that is no file any more."""

    cursor: Cursor
    calls: list[ToolCall]
    chunks: list[Chunk]


@dataclass(slots=True)
class Carried:
    """What the old database says that neither the vault nor the node files do."""

    verdicts: list[tuple[str, LessonState, datetime]] = field(
        default_factory=list[tuple[str, LessonState, datetime]]
    )
    # Transcripts that are there to be read again.
    known: list[Path] = field(default_factory=list[Path])
    gone: list[Gone] = field(default_factory=list[Gone])
    # L1 nodes of lessons that hold, each with its (parent, role) edges.
    nodes: dict[str, list[tuple[str, str]]] = field(
        default_factory=dict[str, list[tuple[str, str]]]
    )
    # Why nothing was carried over.
    unreadable: tuple[Skipped, ...] = ()


def taken(settings: Settings) -> Carried:
    """Return what the database holds for a rebuild to carry over; nothing where there is none.

    Raises:
        StoreBusy: Another process writes.
    """
    if not settings.database.is_file():
        return Carried()
    try:
        with open_store(settings, write=True) as store:
            return _taken(store)
    except StoreBusy:
        raise
    except StoreError as error:
        reason = f"verdicts on lessons and known transcripts cannot be read: {error.message}"
        return Carried(unreadable=(Skipped(path=str(settings.database), reason=reason),))


def _taken(store: Store) -> Carried:
    carried = Carried(verdicts=store.verdicts())
    for cursor in store.cursors().values():
        if Path(cursor.path).exists():
            carried.known.append(Path(cursor.path))
        else:
            calls, chunks = store.calls_in(cursor.path), store.chunks_in(cursor.path)
            carried.gone.append(Gone(cursor=cursor, calls=calls, chunks=chunks))
    for address in store.addresses():
        project, _, query_id = address.partition("/")
        for node in store.nodes_at(project, query_id) if project == PROJECT else ():
            if node.author == "mem materialize":
                carried.nodes[node.sha] = [(sha, role) for _, role, sha in store.parents(node.sha)]
    return carried


def put_back(settings: Settings, carried: Carried) -> list[Skipped]:
    """Put what was carried into the new database; return what could not be read again, and why.

    Raises:
        StoreError, StoreBusy: See `open_store`.
    """
    report = ingest_transcripts(settings, carried.known) if carried.known else None
    at = utc_now()
    with open_store(settings, write=True) as store, store.transaction():
        for one in carried.gone:
            store.add_calls(one.calls)
            store.add_chunks([(chunk, one.cursor) for chunk in one.chunks], at)
            store.save_cursor(one.cursor)
        for lesson_id, verdict, said_at in carried.verdicts:
            store.save_verdict(lesson_id, verdict, said_at)
        _hold(store, carried, at)
    if carried.gone or report:
        learn_anew(settings)
    return [*carried.unreadable, *(report.skipped if report else ()), *map(_told, carried.gone)]


def _hold(store: Store, carried: Carried, at: datetime) -> None:
    """Let the nodes of lessons hold again, on the evidence that is there."""
    held = store.valid_shas()
    nodes = [sha for sha in carried.nodes if sha not in held and store.node(sha)]
    store.open_validity(nodes, at)
    store.add_edges(
        (sha, parent, role)
        for sha in nodes
        for parent, role in carried.nodes[sha]
        if store.node(parent)
    )


def _told(one: Gone) -> Skipped:
    calls, chunks = len(one.calls), len(one.chunks)
    return Skipped(
        path=printable(one.cursor.path, 500),
        reason=f"is gone; what was read of it is kept: {calls} calls, {chunks} chunks",
    )
