"""One generation of the promoted catalogue: immutable, in memory, queried in SQL."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import queue
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memskill.match.precut import PreCut, build_precut
from memskill.records import Clause, Skill
from memskill.sources.identity import canonical_json
from memskill.store import ShortlistPolicy, SkillRows, Store, memory_store

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vectors = Mapping[str, npt.NDArray[np.float32]]

# How many requests may run SQL on one generation at a time: it works on processors alone.
_HANDLES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What a request sees, whole: skills, their matched texts, and a database of both."""

    # Counts up within a process.
    generation: int
    # When it was built, in seconds of the process's monotonic clock.
    built_at: float
    # Sha of everything that an answer can depend on but the task, the reranker and the floor.
    fingerprint: str
    # By path; in order of name.
    skills: Mapping[str, Skill]
    # Path -> the text that is encoded and reranked.
    positive: Mapping[str, str]
    # Path -> the skill's clauses by ordinal.
    clauses: Mapping[str, Mapping[int, Clause]]
    # The names that are in use.
    names: frozenset[str]
    # Whether anything can be near a task, without SQL.
    precut: PreCut
    # The database that this generation lies in; later ones may too, so for vectors by sha only.
    store: Store
    handles: queue.SimpleQueue[Store]

    @contextlib.contextmanager
    def reading(self) -> Generator[Store]:
        """Yield a handle that sees this generation, whatever was built since."""
        store = self.handles.get()
        try:
            yield store
        finally:
            self.handles.put(store)


def build_snapshot(
    skills: Sequence[tuple[SkillRows, Mapping[str, str]]],
    vectors: Vectors,
    *,
    model: str,
    policy: ShortlistPolicy,
    generation: int,
    store: Store | None = None,
    changed: Sequence[str] = (),
) -> Snapshot:
    """Return a snapshot of promoted skills.

    Args:
        skills: What `texts.skill_rows` returned for each.
        vectors: Sha of an encoded text -> its vector; every text of `skills` must be there.
        model: Fingerprint of the encoder that made them.
        policy: How the shortlist weighs its evidence.
        generation: The snapshot's number.
        store: That of the snapshot before, of the same model and policy; None: a new one.
        changed: With `store`: the paths that came, went or changed since.
    """
    ordered = sorted(skills, key=lambda pair: (pair[0].skill.name, pair[0].skill.path))
    rows = [pair[0] for pair in ordered]
    if store is None:
        store = memory_store()
        with store.transaction():
            store.load_policy(policy)
            _add(store, ordered, vectors, model)
            store.freeze()
    else:
        with store.transaction():
            store.remove_skills(changed)
            there = set(changed)
            _add(store, [one for one in ordered if one[0].skill.path in there], vectors, model)
            store.refresh(changed)
    parts = [model, policy.fingerprint, *(said(row.skill) for row in rows)]
    handles: queue.SimpleQueue[Store] = queue.SimpleQueue()
    for _ in range(_HANDLES):
        handle = store.cursor()
        handle.hold()
        handles.put(handle)
    return Snapshot(
        generation=generation,
        built_at=time.monotonic(),
        fingerprint=hashlib.sha256("\n".join(parts).encode()).hexdigest(),
        skills={row.skill.path: row.skill for row in rows},
        positive={row.skill.path: texts[row.text_sha] for row, texts in ordered},
        clauses={row.skill.path: {c.ordinal: c for c, _ in row.clauses} for row in rows},
        names=frozenset(row.skill.name for row in rows),
        precut=build_precut(store, rows, vectors, policy),
        store=store,
        handles=handles,
    )


@functools.lru_cache(maxsize=65_536)
def said(skill: Skill) -> str:
    """Return what an answer can depend on; not the body: its change is no other catalogue."""
    return canonical_json([skill.name, skill.projects, skill.description, skill.when_to_use])


def _add(
    store: Store,
    skills: Sequence[tuple[SkillRows, Mapping[str, str]]],
    vectors: Vectors,
    model: str,
) -> None:
    store.add_skills([rows for rows, _ in skills])
    store.add_vectors({sha: vectors[sha] for _, texts in skills for sha in texts}, model)
