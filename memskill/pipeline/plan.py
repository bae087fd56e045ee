"""What an ingest would change, worked out from what is kept and what the vault holds now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from memskill.records import Node, Skipped
from memskill.sources.notes import FoundNote


@dataclass(frozen=True, slots=True, kw_only=True)
class NotePlan:
    """Changes to nodes; all tuples and maps are in order of path or sha."""

    # Files whose content is new at their path.
    new: tuple[FoundNote, ...]
    changed: tuple[FoundNote, ...]
    # Files whose bytes changed but whose node did not (formatting, other frontmatter keys).
    touched: tuple[FoundNote, ...]
    # Path -> sha of files that are gone.
    removed: Mapping[str, str]
    unchanged: int
    # Nodes to open, and nodes to close with what took their place (None: removed).
    opened: tuple[str, ...]
    closed: Mapping[str, str | None]
    # (path, node sha) pairs that no longer hold.
    retired: tuple[tuple[str, str], ...]

    @property
    def empty(self) -> bool:
        """Whether applying it would change nothing."""
        return not (self.new or self.changed or self.touched or self.removed or self.opened)


def plan_notes(
    kept: Mapping[str, tuple[str, str]], valid: Set[str], found: Iterable[FoundNote]
) -> NotePlan:
    """Return what changes when the vault gives `found`.

    Args:
        kept: Path -> (node sha, file sha) of what note files gave last time.
        valid: The shas that hold at present.
        found: What they give now, one a path.
    """
    now = {note.path: note for note in found}
    fresh = {path: note for path, note in now.items() if path not in kept}
    moved = {p: n for p, n in now.items() if p in kept and kept[p][0] != n.node.sha}
    touched = {
        path: note
        for path, note in now.items()
        if path in kept and kept[path][0] == note.node.sha and kept[path][1] != note.file_sha
    }
    removed = {path: sha for path, (sha, _) in sorted(kept.items()) if path not in now}
    held = {note.node.sha for note in now.values()}
    closed: dict[str, str | None] = dict.fromkeys(
        sorted(sha for sha in removed.values() if sha not in held)
    )
    # Last, so that an edit at one path beats a removal at another of the same content.
    closed |= {
        kept[path][0]: note.node.sha
        for path, note in sorted(moved.items())
        if kept[path][0] not in held
    }
    return NotePlan(
        new=tuple(note for _, note in sorted(fresh.items())),
        changed=tuple(note for _, note in sorted(moved.items())),
        touched=tuple(note for _, note in sorted(touched.items())),
        removed=removed,
        unchanged=len(now) - len(fresh) - len(moved) - len(touched),
        opened=tuple(sorted(held - valid)),
        closed={sha: heir for sha, heir in closed.items() if sha in valid},
        retired=tuple([(path, kept[path][0]) for path in sorted(moved)] + list(removed.items())),
    )


def parent_edges(
    found: Iterable[FoundNote],
) -> tuple[list[tuple[str, str, str]], list[Skipped]]:
    """Return (child, parent, role) edges that the notes name, and names that lead nowhere.

    A parent's address is taken at the highest level below the child's: an L2 note at the same
    address as an L1 note rests on that one, not on itself.
    """
    notes = list(found)
    at: dict[str, list[Node]] = {}
    for note in notes:
        at.setdefault(note.node.address, []).append(note.node)
    edges: list[tuple[str, str, str]] = []
    dangling: list[Skipped] = []
    for note in notes:
        child = note.node
        for address in child.parents:
            below = [p for p in at.get(address, ()) if p.level < child.level]
            if not below:
                reason = f"parent {address!r} is no note below level {child.level}"
                dangling.append(Skipped(path=note.path, reason=reason))
                continue
            parent = max(below, key=lambda p: (p.level, p.sha))
            role = "synthesis" if child.level == "L2" else "evidence"
            edges.append((child.sha, parent.sha, role))
    return edges, dangling


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillPlan:
    """Changes to skills, as paths relative to the vault, in order."""

    new: tuple[str, ...]
    changed: tuple[str, ...]
    removed: tuple[str, ...]
    unchanged: int

    @property
    def empty(self) -> bool:
        """Whether applying it would change nothing."""
        return not (self.new or self.changed or self.removed)


def plan_skills(kept: Mapping[str, str], found: Mapping[str, str]) -> SkillPlan:
    """Return what changes when path -> record sha goes from `kept` to `found`."""
    new = tuple(sorted(set(found) - set(kept)))
    changed = tuple(sorted(p for p in found if p in kept and kept[p] != found[p]))
    return SkillPlan(
        new=new,
        changed=changed,
        removed=tuple(sorted(set(kept) - set(found))),
        unchanged=len(found) - len(new) - len(changed),
    )
