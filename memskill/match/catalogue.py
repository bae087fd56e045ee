"""The catalogue in force: sees promotions by itself and swaps finished snapshots whole."""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import threading
import time
from collections.abc import Generator, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from memskill.config import Settings
from memskill.errors import MemskillError, NotFound, StoreError
from memskill.match.policy import Hybrid
from memskill.match.reader import ReadSkill, SkillReader
from memskill.match.snapshot import Snapshot, build_snapshot
from memskill.models.protocols import Encoder
from memskill.records import Skipped
from memskill.store import open_store

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = dict[str, npt.NDArray[np.float32]]

log = logging.getLogger(__name__)
# Time stamps of folders tick in steps of up to 10 ms: a change in the step of the last scan
# would leave the stamp as it is, so a folder this fresh is looked at again.
_TICK_SECONDS = 0.05
# The most that a write-back of vectors waits for another writer: answers do not depend on it.
_WRITE_BACK_WAIT_SECONDS = 1.0


class Catalogue:
    """Hands out the current snapshot; one rebuild at a time, and only when something changed.

    A promotion, rename or removal is seen by the next `current()`, through one `stat` of
    `skills/`. An edit inside a skill's folder is seen by `refresh()`, which `watch()` calls
    every `rescan_seconds` in a thread of its own; where nobody watches, `current()` does.
    """

    def __init__(self, settings: Settings, encoder: Encoder, hybrid: Hybrid) -> None:
        self._settings = settings
        self._encoder = encoder
        self._hybrid = hybrid
        self._reader = SkillReader(settings.vault, max_bytes=settings.max_file_bytes)
        self._lock = threading.Lock()
        self._generations = itertools.count(1)
        self._snapshot: Snapshot | None = None
        self._built_from: Mapping[str, ReadSkill] = {}
        self._vectors: Vectors = {}
        self._seen: object = None
        self._refreshed = 0.0
        self._watched = False
        self._stop = threading.Event()

    def current(self) -> Snapshot:
        """Return the snapshot in force, rebuilt first where `skills/` shows a change."""
        snapshot = self._snapshot
        if snapshot is None or self._look() != self._seen or self._is_due():
            return self.refresh()
        return snapshot

    def _is_due(self) -> bool:
        age = time.monotonic() - self._refreshed
        return not self._watched and age >= self._settings.rescan_seconds

    def refresh(self) -> Snapshot:
        """Look at every skill file's `stat`, read what changed, and return the snapshot."""
        with self._lock:
            seen = self._look()
            read = self._reader.read()
            if self._snapshot is None or _texts(read) != _texts(self._built_from):
                self._snapshot = self._build(read)
            elif read != self._built_from:
                # Bodies only: the answers stay, the records follow.
                records = {path: one.rows.skill for path, one in read.items()}
                ordered = sorted(records.items(), key=lambda item: (item[1].name, item[0]))
                self._snapshot = replace(self._snapshot, skills=dict(ordered))
            self._built_from = read
            self._seen = seen
            self._refreshed = time.monotonic()
            return self._snapshot

    def unchanged(self, paths: Iterable[str]) -> bool:
        """Return whether these files are still what the snapshot was built from."""
        return all(self._reader.unchanged(path) for path in paths)

    @property
    def faults(self) -> list[Skipped]:
        """The files that cannot be used as they lie now, and why; in order of path."""
        return list(self._reader.faults)

    @contextlib.contextmanager
    def watch(self) -> Generator[None]:
        """Refresh every `rescan_seconds` while the block runs."""
        self._stop.clear()
        thread = threading.Thread(target=self._keep_fresh, name="mem-watch", daemon=True)
        thread.start()
        self._watched = True
        try:
            yield
        finally:
            self._watched = False
            self._stop.set()
            thread.join(timeout=5)

    def _keep_fresh(self) -> None:
        while not self._stop.wait(self._settings.rescan_seconds):
            try:
                self.refresh()
            except MemskillError as error:
                log.warning("the catalogue stays as it is: %s", error)

    def _look(self) -> object:
        """Return what changes when a skill is added, renamed or removed; cheap.

        A folder that has no SKILL.md yet is looked into too: `mkdir` came first.
        """
        folder = self._settings.skills_dir
        try:
            stat = folder.stat()
        except OSError:
            return None
        if time.time() - stat.st_mtime < _TICK_SECONDS:
            return object()  # equal to nothing: look again
        waiting = tuple(os.path.lexists(file) for file in self._reader.unfinished)
        return (stat.st_ino, stat.st_mtime_ns, stat.st_ctime_ns, any(waiting))

    def _build(self, read: Mapping[str, ReadSkill]) -> Snapshot:
        texts: dict[str, str] = {}
        for one in read.values():
            texts |= one.texts
        self._vectors = self._complete(texts)
        return build_snapshot(
            [(one.rows, one.texts) for one in read.values()],
            self._vectors,
            model=self._encoder.fingerprint,
            policy=self._hybrid.policy,
            generation=next(self._generations),
        )

    def _complete(self, texts: Mapping[str, str]) -> Vectors:
        """Return the vector of every text: from the last snapshot, the database, the encoder."""
        vectors = {sha: self._vectors[sha] for sha in texts if sha in self._vectors}
        if missing := [sha for sha in texts if sha not in vectors]:
            try:
                with open_store(self._settings) as store:
                    vectors |= store.vectors(missing, self._encoder.fingerprint)
            except NotFound:
                pass  # no database yet: `mem ingest` makes it
            except StoreError as error:
                log.info("vectors are encoded anew: %s", error)
        if missing := sorted(sha for sha in texts if sha not in vectors):
            encoded = self._encoder.encode([texts[sha] for sha in missing])
            fresh = dict(zip(missing, encoded, strict=True))
            vectors |= fresh
            self._write_back(fresh)
        return vectors

    def _write_back(self, fresh: Vectors) -> None:
        """Keep new vectors in the database, if there is one and nobody is writing to it."""
        if not self._settings.database.is_file():
            return
        wait = min(self._settings.lock_wait_seconds, _WRITE_BACK_WAIT_SECONDS)
        try:
            with open_store(replace(self._settings, lock_wait_seconds=wait), write=True) as store:
                store.add_vectors(fresh, self._encoder.fingerprint)
        except StoreError as error:
            log.info("vectors are not kept: %s", error)


def _texts(read: Mapping[str, ReadSkill]) -> dict[str, tuple[object, ...]]:
    """Return what answers depend on, by path."""
    return {
        path: (
            one.rows.text_sha,
            one.rows.skill.when_to_use,
            one.rows.skill.projects,
            one.rows.clauses,
        )
        for path, one in read.items()
    }
