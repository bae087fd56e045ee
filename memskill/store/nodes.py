"""Memory nodes, their validity, edges and sources."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from memskill.records import Level, Node, NoteHit
from memskill.store.base import Connection, Row, from_iso, to_iso

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memskill.store.base import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteSource:
    """Where a note was read: the file, its bytes' sha, and the span of the body in it."""

    path: str
    node_sha: str
    file_sha: str
    byte_end: int
    line_start: int
    line_end: int
    parser_version: int

    @property
    def id(self) -> str:
        """Identity: one row a (file, node)."""
        return source_id(self.path, self.node_sha)


def source_id(path: str, node_sha: str) -> str:
    """Return the id of the source row that says: this note file gives this node."""
    return hashlib.sha256(f"note\n{path}\n{node_sha}".encode()).hexdigest()


class NodeQueries(Connection):
    """Reads and writes of memory nodes. Writes belong inside `transaction()`."""

    def nodes_at(self, project: str, query_id: str) -> list[Node]:
        """Return the valid nodes of one address, newest first, L2 before L1."""
        return [node_of(row) for row in self._rows("nodes_at", project=project, query_id=query_id)]

    def node(self, sha: str) -> Node | None:
        """Return one node, valid or not, or None."""
        rows = self._rows("node_by_sha", sha=sha)
        return node_of(rows[0]) if rows else None

    def all_nodes(self) -> list[Node]:
        """Return every node ever kept, in order of sha."""
        return [node_of(row) for row in self._rows("list_nodes")]

    def addresses(self) -> list[str]:
        """Return the addresses that hold a valid L1 or L2 node, in order."""
        return [str(address) for (address,) in self._rows("list_addresses")]

    def parents(self, sha: str) -> list[tuple[str, str, str]]:
        """Return (address, role, sha) of the nodes that one node rests on."""
        return [(str(a), str(r), str(p)) for a, r, p in self._rows("node_parents", sha=sha)]

    def superseded_by(self, sha: str) -> str | None:
        """Return what took a node's place: a sha, "" where it was removed, None while it holds."""
        rows = self._rows("superseded_by", sha=sha)
        return None if not rows else str(rows[0][0] or "")

    def valid_shas(self) -> set[str]:
        """Return the shas of the valid nodes."""
        return {str(sha) for (sha,) in self._rows("valid_shas")}

    def note_sources(self) -> dict[str, tuple[str, str]]:
        """Return path -> (node sha, file sha) of what the note files give at present."""
        return {str(p): (str(n), str(f)) for p, n, f in self._rows("current_note_sources")}

    def note_paths(self) -> dict[str, str]:
        """Return node sha -> path of the note that gives it, or gave it last."""
        return {str(sha): str(path) for sha, path in self._rows("note_paths")}

    def nearest_nodes(
        self,
        vector: npt.NDArray[np.float32],
        *,
        model: str,
        project: str | None,
        level: Level | None,
        k: int,
    ) -> list[NoteHit]:
        """Return at most `k` valid nodes by cosine, best first, ties by address then sha."""
        rows = self._rows(
            "nearest_nodes", vector=vector.tolist(), model=model, project=project, level=level, k=k
        )
        return [
            NoteHit(
                address=f"{project}/{query_id}",
                level=level,
                sha=sha,
                query=query,
                cosine=round(cosine, 4),
            )
            for sha, level, project, query_id, query, cosine in rows
        ]

    def add_nodes(self, nodes: Iterable[tuple[Node, str]], at: datetime) -> None:
        """Keep (node, sha of its search text) pairs; a known sha stays as it is."""
        import polars as pl

        schema: Schema = dict.fromkeys(_NODE_COLUMNS, pl.String)
        schema |= {"created_at": pl.Datetime("us"), "tags": pl.List(pl.String)}
        rows = [
            {name: getattr(node, name) for name in _NODE_COLUMNS if name != "text_sha"}
            | {
                "created_at": from_iso(node.created_at, at),
                "tags": list(node.tags),
                "text_sha": text_sha,
            }
            for node, text_sha in nodes
        ]
        self._load("insert_nodes", rows, schema)

    def update_facts(self, nodes: Iterable[Node]) -> None:
        """Let trust, author, tags and time of kept nodes be what their notes say now."""
        import polars as pl

        names = ("sha", "trust", "author")
        schema: Schema = dict.fromkeys(names, pl.String)
        schema |= {"created_at": pl.Datetime("us"), "tags": pl.List(pl.String)}
        rows = [
            {name: getattr(node, name) for name in names}
            | {"created_at": from_iso(node.created_at, None), "tags": list(node.tags)}
            for node in nodes
        ]
        self._load("update_node_facts", rows, schema)

    def open_validity(self, shas: Sequence[str], at: datetime) -> None:
        """Let nodes hold from `at` on."""
        import polars as pl

        schema: Schema = {"sha": pl.String}
        self._load("open_validity", [{"sha": sha} for sha in shas], schema, at=at)

    def close_validity(self, closed: Mapping[str, str | None], at: datetime) -> None:
        """End the open intervals of nodes at `at`; the value is what took their place."""
        import polars as pl

        schema: Schema = {"sha": pl.String, "superseded_by": pl.String}
        rows = [{"sha": sha, "superseded_by": heir} for sha, heir in closed.items()]
        self._load("close_validity", rows, schema, at=at)

    def remove_note_edges(self, shas: Sequence[str]) -> None:
        """Forget which notes these nodes were made from, before `add_edges` says it anew."""
        import polars as pl

        self._load("delete_note_edges", [{"sha": sha} for sha in shas], {"sha": pl.String})

    def add_edges(self, edges: Iterable[tuple[str, str, str]]) -> None:
        """Keep (child sha, parent sha, role) edges; known ones stay."""
        import polars as pl

        rows = [{"child": child, "parent": parent, "role": role} for child, parent, role in edges]
        self._load("insert_edges", rows, dict.fromkeys(("child", "parent", "role"), pl.String))

    def add_sources(self, sources: Iterable[NoteSource], at: datetime) -> None:
        """Keep where notes are read at present; a retired row holds again."""
        import polars as pl

        rows = [
            {
                "id": found.id,
                "kind": "note",
                "path": found.path,
                "node_sha": found.node_sha,
                "file_sha": found.file_sha,
                "session": "",
                "byte_start": 0,
                "byte_end": found.byte_end,
                "line_start": found.line_start,
                "line_end": found.line_end,
                "parser_version": found.parser_version,
                "seen_at": at,
            }
            for found in sources
        ]
        texts = ("id", "kind", "path", "node_sha", "file_sha", "session")
        numbers = ("byte_start", "byte_end", "line_start", "line_end", "parser_version")
        schema: Schema = dict.fromkeys(texts, pl.String)
        schema |= dict.fromkeys(numbers, pl.Int64)
        schema |= {"seen_at": pl.Datetime("us")}
        self._load("upsert_sources", rows, schema)

    def retire_sources(self, ids: Sequence[str], at: datetime) -> None:
        """Note that files give their node no longer."""
        import polars as pl

        schema: Schema = {"id": pl.String}
        self._load("retire_sources", [{"id": i} for i in ids], schema, at=at)


_NODE_COLUMNS = (
    "sha",
    "level",
    "project",
    "query_id",
    "query",
    "body",
    "trust",
    "author",
    "created_at",
    "tags",
    "text_sha",
)


def node_of(row: Row) -> Node:
    """Return the node of one row: its columns without `text_sha`."""
    sha, level, project, query_id, query, body, trust, author, created_at, tags = row
    return Node(
        sha=sha,
        level=level,
        project=project,
        query_id=query_id,
        query=query,
        body=body,
        trust=trust,
        author=author,
        created_at=to_iso(created_at),
        tags=tuple(tags),
    )
