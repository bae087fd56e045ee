"""One generation of notes and lessons: immutable, in memory, queried in SQL."""

from __future__ import annotations

import itertools
import logging
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memskill.config import Settings
from memskill.errors import StoreBusy, StoreError
from memskill.match.passages import lesson_passages
from memskill.models.protocols import Encoder
from memskill.records import Lesson, Node
from memskill.store import (
    NOTE_VIEWS,
    NoteWeights,
    PassageRow,
    ShortlistPolicy,
    Store,
    memory_store,
    open_store,
)
from memskill.store.base import utc_now

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = dict[str, npt.NDArray[np.float32]]

log = logging.getLogger(__name__)
# The most that a server's question waits for a writer before it is answered from what was read.
_WAIT_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A note or lesson that can be found, with its passages and where it stands."""

    node: Node | None = None
    lesson: Lesson | None = None
    # Ordinal -> span in the node's body.
    spans: Mapping[int, tuple[int, int]]
    # The note file, relative to the vault, or the transcript of a lesson; may be "".
    path: str = ""
    # 1-based line at which the body starts, or a lesson's last failure or fix stands; 0: unknown.
    line: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteIndex:
    """What a question sees, whole: notes and lessons by id, and a database of their parts."""

    generation: int
    found: Mapping[str, Found]
    # Valid notes that have no vectors of the encoder in use: nothing can find them.
    unread: int
    store: Store

    @property
    def lessons(self) -> list[Lesson]:
        """The lessons in it, in no order that means anything."""
        return [one.lesson for one in self.found.values() if one.lesson]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Kept:
    """What the database holds that search needs."""

    nodes: Sequence[Node]
    passages: Sequence[PassageRow]
    places: Mapping[str, tuple[str, int]]
    lessons: Sequence[Lesson]
    lesson_places: Mapping[str, tuple[str, int]]
    lesson_texts: Mapping[str, str]
    vectors: Vectors
    # Notes of the vault without passages: the database is older than they are.
    unread: int


class NoteIndexes:
    """Hands out the current index, made anew when the notes or lessons of the database changed.

    While a writer holds the file, questions are answered from the last index.
    """

    def __init__(self, settings: Settings, encoder: Encoder, policy: ShortlistPolicy) -> None:
        self._settings = settings
        self._encoder = encoder
        self._policy = policy
        self._lock = threading.Lock()
        self._generations = itertools.count(1)
        self._index: NoteIndex | None = None
        self._seen: object = None
        self._built: tuple[str, NoteWeights] | None = None

    def current(self, weights: NoteWeights) -> NoteIndex:
        """Return the index in force for these weights.

        Raises:
            NotFound: There is no database yet.
            StoreBusy, StoreError: It cannot be read, and never was.
        """
        with self._lock:
            seen = (_look(self._settings), weights)
            if self._index is None or seen != self._seen:
                try:
                    self._index = self._build(weights)
                    self._seen = seen
                except StoreBusy as busy:
                    if self._index is None or self._seen is None:
                        raise
                    log.info("answered from what was read before: %s", busy.message)
            return self._index

    def _build(self, weights: NoteWeights) -> NoteIndex:
        settings = self._settings
        if self._index is not None:
            wait = min(settings.lock_wait_seconds, _WAIT_SECONDS)
            settings = replace(settings, lock_wait_seconds=wait)
        with open_store(settings) as store:
            state = (store.note_state(), weights)
            if self._index is not None and state == self._built:
                # Something else was written: what was asked, what was said of it, a floor.
                return self._index
            kept = _read(store, self._encoder.fingerprint)
        self._complete(kept)
        made = _index(kept, self._encoder.fingerprint, weights, self._policy, self._generations)
        self._built = state
        return made

    def _complete(self, kept: _Kept) -> None:
        """Encode the lessons that have no vector yet, and keep what was encoded."""
        missing = sorted(set(kept.lesson_texts) - set(kept.vectors))
        if not missing:
            return
        encoded = self._encoder.encode([kept.lesson_texts[sha] for sha in missing])
        fresh = dict(zip(missing, encoded, strict=True))
        kept.vectors.update(fresh)
        wait = min(self._settings.lock_wait_seconds, _WAIT_SECONDS)
        try:
            with open_store(replace(self._settings, lock_wait_seconds=wait), write=True) as store:
                store.add_vectors(fresh, self._encoder.fingerprint)
        except StoreError as error:
            log.info("vectors of lessons are not kept: %s", error)


def _look(settings: Settings) -> object:
    """Return what changes when the database does; cheap."""
    stamps: list[object] = []
    for path in (settings.database, settings.database.with_name(settings.database.name + ".wal")):
        try:
            stat = path.stat()
        except OSError:
            stamps.append(None)
        else:
            stamps.append((stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns))
    return tuple(stamps)


def _read(store: Store, model: str) -> _Kept:
    lessons = [one for one in store.lessons() if one.state != "retired"]
    passages = store.passages()
    lesson_rows: list[PassageRow] = []
    lesson_texts: dict[str, str] = {}
    for lesson in lessons:
        rows, texts = lesson_passages(lesson)
        lesson_rows += rows
        lesson_texts |= texts
    wanted = [*(row.text_sha for row in passages), *lesson_texts]
    return _Kept(
        nodes=store.search_nodes(),
        passages=[*passages, *lesson_rows],
        places=store.note_places(),
        lessons=lessons,
        lesson_places=store.lesson_places(),
        lesson_texts=lesson_texts,
        vectors=store.vectors(wanted, model),
        unread=store.unread_notes(),
    )


def _index(
    kept: _Kept,
    model: str,
    weights: NoteWeights,
    policy: ShortlistPolicy,
    generations: itertools.count[int],
) -> NoteIndex:
    spans: dict[str, dict[int, tuple[int, int]]] = {}
    whole: dict[str, str] = {}
    unread: set[str] = set()
    for row in kept.passages:
        if row.text_sha not in kept.vectors:
            unread.add(row.owner)
        if row.part == "whole":
            whole[row.owner] = row.text_sha
        if row.part == "passage":
            spans.setdefault(row.owner, {})[row.ordinal] = (row.starts, row.stops)
    nodes = [node for node in kept.nodes if node.sha not in unread]
    rows = [row for row in kept.passages if row.owner not in unread]
    found: dict[str, Found] = {}
    for node in nodes:
        path, line = kept.places.get(node.sha, ("", 0))
        found[node.sha] = Found(node=node, spans=spans.get(node.sha, {}), path=path, line=line)
    for lesson in kept.lessons:
        path, line = kept.lesson_places.get(lesson.id, ("", 0))
        found[lesson.id] = Found(lesson=lesson, spans=spans[lesson.id], path=path, line=line)
    store = memory_store()
    with store.transaction():
        at = utc_now()
        store.load_policy(policy)
        store.load_note_weights(weights, policy.background_documents)
        store.add_nodes([(node, whole[node.sha]) for node in nodes], at)
        store.open_validity([node.sha for node in nodes], at)
        store.replace_lessons([], [_lesson_row(lesson) for lesson in kept.lessons], [])
        store.add_passages(rows)
        store.add_vectors({row.text_sha: kept.vectors[row.text_sha] for row in rows}, model)
        store.freeze(NOTE_VIEWS)
    return NoteIndex(
        generation=next(generations),
        found=found,
        unread=kept.unread + sum(node.sha in unread for node in kept.nodes),
        store=store,
    )


def _lesson_row(lesson: Lesson) -> dict[str, str]:
    names = ("id", "tool", "subcommand", "signature", "scope", "symptom", "resolution", "command")
    return {name: getattr(lesson, name) for name in (*names, "fix_command")}
