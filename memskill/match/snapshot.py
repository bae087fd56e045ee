"""One generation of the promoted catalogue: immutable, in memory, queried in SQL."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memskill.records import Clause, Skill
from memskill.sources.identity import canonical_json
from memskill.store import ShortlistPolicy, SkillRows, Store, memory_store

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


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
    store: Store


def build_snapshot(
    skills: Sequence[tuple[SkillRows, Mapping[str, str]]],
    vectors: Mapping[str, npt.NDArray[np.float32]],
    *,
    model: str,
    policy: ShortlistPolicy,
    generation: int,
) -> Snapshot:
    """Return a snapshot of promoted skills.

    Args:
        skills: What `texts.skill_rows` returned for each.
        vectors: Sha of an encoded text -> its vector; every text of `skills` must be there.
        model: Fingerprint of the encoder that made them.
        policy: How the shortlist weighs its evidence.
        generation: The snapshot's number.
    """
    ordered = sorted(skills, key=lambda pair: (pair[0].skill.name, pair[0].skill.path))
    rows = [pair[0] for pair in ordered]
    store = memory_store()
    with store.transaction():
        store.load_policy(policy)
        store.add_skills(rows)
        store.add_vectors({s: vectors[s] for _, texts in ordered for s in texts}, model)
        store.freeze()
    # Not the record's sha: a change of a body alone is no other catalogue.
    said = [model, policy.fingerprint]
    for skill in (row.skill for row in rows):
        fields = [skill.name, skill.projects, skill.description, skill.when_to_use]
        said.append(canonical_json(fields))
    return Snapshot(
        generation=generation,
        built_at=time.monotonic(),
        fingerprint=hashlib.sha256("\n".join(said).encode()).hexdigest(),
        skills={row.skill.path: row.skill for row in rows},
        positive={row.skill.path: texts[row.text_sha] for row, texts in ordered},
        clauses={row.skill.path: {c.ordinal: c for c, _ in row.clauses} for row in rows},
        names=frozenset(row.skill.name for row in rows),
        store=store,
    )
