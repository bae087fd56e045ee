"""The catalogue in force: sees promotions by itself and swaps finished snapshots whole."""

from __future__ import annotations

import contextlib
import itertools
import logging
import math
import os
import threading
import time
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memskill.config import Settings
from memskill.errors import MemskillError, NotFound, StoreBehind, StoreError
from memskill.match.policy import Hybrid
from memskill.match.reader import ReadSkill, SkillReader
from memskill.match.snapshot import Snapshot, build_snapshot, said
from memskill.models.protocols import Encoder
from memskill.records import Skipped
from memskill.store import open_store

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = dict[str, npt.NDArray[np.float32]]

log = logging.getLogger(__name__)
# Time stamps of folders tick in steps of up to 10 ms: a change in the step of the last scan
# would leave the stamp as it is, so of a folder this fresh the entries count too.
_TICK_SECONDS = 0.05
# The most that a write-back of vectors waits for another writer: answers do not depend on it.
_WRITE_BACK_WAIT_SECONDS = 0.2
# Who watches writes new vectors back no oftener: notes search reads a changed database anew.
_WRITE_BACK_SECONDS = 5.0
# A watcher that still builds when the process ends would abort it: it is inside C++ then.
_STOP_SECONDS = 60.0
# So many texts are encoded sooner than the database is opened to look for their vectors.
_FEW_TEXTS = 64
# Skills that were replaced or removed leave dead rows; from here on, and once they are more than
# the living, the snapshot is built anew.
_MANY_REPLACED = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class _Look:
    """What a look at `skills/` found."""

    stamp: tuple[object, ...]
    # Whether the stamp is so old that any later change gives another.
    settled: bool
    # Names and inodes, where it is not.
    entries: frozenset[tuple[str, int]] = frozenset()


class Catalogue:
    """Hands out the current snapshot; one rebuild at a time, and only of what changed.

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
        self._replaced = 0
        self._vectors: Vectors = {}
        self._unkept: Vectors = {}
        self._kept_at = time.monotonic()
        self._seen: _Look | None = None
        # When the look at the vault began that the snapshot in force comes from.
        self._looked = -math.inf
        self._watched = False
        self._stop = threading.Event()

    def current(self) -> Snapshot:
        """Return the snapshot in force, rebuilt first where `skills/` shows a change."""
        snapshot = self._snapshot
        if snapshot is None or not self._is_as_seen():
            return self.refresh()
        # An edit may show a moment later to those who come while one request takes it in.
        if self._is_due() and not self._lock.locked():
            return self.refresh()
        return snapshot

    def _is_due(self) -> bool:
        age = time.monotonic() - self._looked
        return not self._watched and age >= self._settings.rescan_seconds

    def refresh(self) -> Snapshot:
        """Look at every skill file's `stat`, read what changed, and return the snapshot.

        Who had to wait takes what others found, if they began to look after the call.
        """
        called = time.monotonic()
        with self._lock:
            snapshot = self._snapshot
            if snapshot is None or self._looked <= called:
                snapshot = self._take_in()
        if not self._watched:
            self._write_back()
        return snapshot

    def _take_in(self) -> Snapshot:
        began, seen = time.monotonic(), self._look()
        if seen and not seen.settled:
            seen = replace(seen, entries=self._entries())
        read, before = self._reader.read(), self._built_from
        # What is unchanged is the same object.
        touched = [p for p in read.keys() | before.keys() if read.get(p) is not before.get(p)]
        changed = sorted(p for p in touched if _said(read.get(p)) != _said(before.get(p)))
        snapshot = self._snapshot
        if snapshot is None or changed:
            snapshot = self._build(read, changed)
        elif touched:
            # Bodies only: the answers stay, the records follow.
            records = {path: one.rows.skill for path, one in read.items()}
            ordered = sorted(records.items(), key=lambda item: (item[1].name, item[0]))
            snapshot = replace(snapshot, skills=dict(ordered))
        self._snapshot, self._built_from = snapshot, read
        self._seen, self._looked = seen, began
        return snapshot

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
            thread.join(timeout=_STOP_SECONDS)
            self._write_back()

    def _keep_fresh(self) -> None:
        while not self._stop.wait(self._settings.rescan_seconds):
            try:
                self.refresh()
                if time.monotonic() - self._kept_at >= _WRITE_BACK_SECONDS:
                    self._write_back()
            except MemskillError as error:
                log.warning("the catalogue stays as it is: %s", error)

    def _look(self) -> _Look | None:
        """Return what changes when a skill is added, renamed or removed; None without a folder.

        A folder that has no SKILL.md yet is looked into too: `mkdir` came first.
        """
        try:
            stat = self._settings.skills_dir.stat()
        except OSError:
            return None
        waiting = any(os.path.lexists(file) for file in self._reader.unfinished)
        return _Look(
            stamp=(stat.st_ino, stat.st_mtime_ns, stat.st_ctime_ns, waiting),
            settled=time.time() - stat.st_mtime >= _TICK_SECONDS,
        )

    def _entries(self) -> frozenset[tuple[str, int]]:
        try:
            return frozenset((e.name, e.inode()) for e in os.scandir(self._settings.skills_dir))
        except OSError:
            return frozenset()

    def _is_as_seen(self) -> bool:
        """Return whether `skills/` is as the snapshot in force found it; cheap."""
        now, seen = self._look(), self._seen
        if now is None or seen is None or now.stamp != seen.stamp:
            return now == seen
        if seen.settled:
            return True
        # The stamp may hide a change that came right after the look: names and inodes do not.
        same = self._entries() == seen.entries
        if same and now.settled:
            self._seen = replace(seen, settled=True)
        return same

    def _build(self, read: Mapping[str, ReadSkill], changed: Sequence[str]) -> Snapshot:
        """Return the snapshot of `read`, made from the one in force where that saves work."""
        last = self._snapshot
        replaced = self._replaced + len(changed)
        if last is None or replaced > max(_MANY_REPLACED, len(read)):
            last, replaced, changed = None, 0, sorted(read)
        texts: dict[str, str] = {}
        for one in (read[path] for path in changed if path in read):
            texts |= one.texts
        known = self._complete(texts)
        self._vectors = known if last is None else self._vectors | known
        snapshot = build_snapshot(
            [(one.rows, one.texts) for one in read.values()],
            self._vectors,
            model=self._encoder.fingerprint,
            policy=self._hybrid.policy,
            generation=next(self._generations),
            store=last.store if last else None,
            changed=changed,
        )
        self._replaced = replaced
        return snapshot

    def _complete(self, texts: Mapping[str, str]) -> Vectors:
        """Return the vector of every text: from the last snapshot, the database, the encoder."""
        vectors = {sha: self._vectors[sha] for sha in texts if sha in self._vectors}
        missing = [sha for sha in texts if sha not in vectors]
        if missing and (self._snapshot is None or len(missing) > _FEW_TEXTS):
            vectors |= self._from_database(missing)
        if missing := sorted(sha for sha in texts if sha not in vectors):
            encoded = self._encoder.encode([texts[sha] for sha in missing])
            fresh = dict(zip(missing, encoded, strict=True))
            vectors |= fresh
            self._unkept = self._unkept | fresh
        return vectors

    def _from_database(self, shas: Sequence[str]) -> Vectors:
        wait = self._settings.lock_wait_seconds
        if self._snapshot is not None:
            wait = min(wait, _WRITE_BACK_WAIT_SECONDS)
        settings = replace(self._settings, lock_wait_seconds=wait)
        try:
            try:
                with open_store(settings) as store:
                    return store.vectors(shas, self._encoder.fingerprint)
            except StoreBehind:
                # A writer brings it up to date, which is far less work than to encode anew.
                with open_store(settings, write=True) as store:
                    return store.vectors(shas, self._encoder.fingerprint)
        except NotFound:
            return {}  # no database yet: `mem ingest` makes it
        except StoreError as error:
            log.info("vectors are encoded anew: %s", error)
            return {}

    def _write_back(self) -> None:
        """Keep new vectors in the database, if there is one and nobody is writing to it."""
        fresh, self._unkept = self._unkept, {}
        self._kept_at = time.monotonic()
        if not fresh or not self._settings.database.is_file():
            return
        wait = min(self._settings.lock_wait_seconds, _WRITE_BACK_WAIT_SECONDS)
        try:
            with open_store(replace(self._settings, lock_wait_seconds=wait), write=True) as store:
                store.add_vectors(fresh, self._encoder.fingerprint)
        except StoreError as error:
            log.info("vectors are not kept: %s", error)


def _said(one: ReadSkill | None) -> str | None:
    """Return what answers depend on; None for a skill that is not there."""
    return said(one.rows.skill) if one else None
