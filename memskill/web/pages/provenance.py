"""Where a skill came from: its note, what that note was made from, and the files of both."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from memskill.config import Settings
from memskill.errors import NotFound, StoreError
from memskill.records import Node
from memskill.store import Store, open_store

Standing = Literal["holds", "superseded", "removed"]
MAX_DEPTH = 4
MAX_NODES = 50
# A page does not wait for a writer as long as a command does.
WAIT_SECONDS = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One node of the chain."""

    node: Node
    # What it is to the step before it: "note" for the first, else the role of the edge.
    role: str
    # 0 for the note itself.
    depth: int
    # The file that gives it, or gave it last; empty where none is known.
    path: str
    standing: Standing
    # What took its place; None where nothing did or it is unknown.
    heir: Node | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """The chain of one `generated_from`."""

    sha: str
    steps: tuple[Step, ...] = ()
    # Whether there is more than is shown.
    cut: bool = False
    # Why the database could not be asked; empty where it was.
    fault: str = ""

    @property
    def note(self) -> Node | None:
        """The node that the skill was drafted from, where the sha resolves."""
        return self.steps[0].node if self.steps else None


def provenance(settings: Settings, sha: str) -> Provenance | None:
    """Return the chain from a node's sha; None for an empty sha: a skill written by hand."""
    if not sha:
        return None
    try:
        with open_store(impatient(settings)) as store:
            steps, cut = _walk(store, sha)
    except (NotFound, StoreError) as error:
        return Provenance(sha=sha, fault=f"{error.message}. {error.hint}".strip())
    return Provenance(sha=sha, steps=steps, cut=cut)


def notes_of(settings: Settings, shas: Iterable[str]) -> dict[str, Node]:
    """Return the nodes that are known of these; none where the database does not answer."""
    wanted = sorted({sha for sha in shas if sha})
    if not wanted:
        return {}
    try:
        with open_store(impatient(settings)) as store:
            return {sha: node for sha in wanted if (node := store.node(sha))}
    except (NotFound, StoreError):
        return {}


def impatient(settings: Settings) -> Settings:
    """Return the settings with a wait for the database that a reader of a page would bear."""
    wait = min(settings.lock_wait_seconds, WAIT_SECONDS)
    return dataclasses.replace(settings, lock_wait_seconds=wait)


def _walk(store: Store, sha: str) -> tuple[tuple[Step, ...], bool]:
    """Return the nodes behind `sha`, each before its parents; none twice."""
    paths = store.note_paths()
    steps: list[Step] = []
    pending, seen = [(sha, "note", 0)], {sha}
    while pending and len(steps) < MAX_NODES:
        current, role, depth = pending.pop(0)
        node = store.node(current)
        if node is None:
            continue
        steps.append(_step(store, node, role, depth, paths))
        for _, parent_role, parent in store.parents(current) if depth < MAX_DEPTH else []:
            if parent not in seen and parent_role != "supersedes":
                seen.add(parent)
                pending.append((parent, parent_role, depth + 1))
    return tuple(steps), bool(pending)


def _step(store: Store, node: Node, role: str, depth: int, paths: Mapping[str, str]) -> Step:
    heir = store.superseded_by(node.sha)
    standing: Standing = "holds" if heir is None else "superseded" if heir else "removed"
    return Step(
        node=node,
        role=role,
        depth=depth,
        path=paths.get(node.sha, ""),
        standing=standing,
        heir=store.node(heir) if heir else None,
    )
