"""Node files: every L1/L2 node ever made, one small append-only JSON file each.

With the vault's notes they are enough to rebuild the database to the same shas, so that the
`generated_from` of an old draft still resolves.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from memskill.errors import NoteInvalid
from memskill.records import Node, Skipped
from memskill.sources.atomic import write_atomic
from memskill.sources.identity import node_sha

SCHEMA = "memskill/node-file/1"


def write_node_file(folder: Path, node: Node, *, path: str) -> bool:
    """Keep `node`, read from the note `path`; return whether a file was written.

    A file that exists is left alone: the sha is the content, so there is nothing to update.
    """
    file = folder / f"{node.sha}.json"
    if file.exists():
        return False
    folder.mkdir(parents=True, exist_ok=True)
    record = {"schema": SCHEMA, "path": path} | {name: getattr(node, name) for name in _FIELDS}
    text = json.dumps(record, ensure_ascii=False, indent=1)
    write_atomic(file, (text + "\n").encode())
    return True


def read_node_files(folder: Path) -> Iterator[tuple[Node, str] | Skipped]:
    """Yield (node, path of the note that gave it) or what was passed over, in order of sha."""
    for file in sorted(folder.glob("*.json")):
        try:
            yield _read(file)
        except (OSError, ValueError, KeyError, TypeError, NoteInvalid) as error:
            yield Skipped(path=str(file), reason=f"not a node file: {error}")


def _read(file: Path) -> tuple[Node, str]:
    """Return one file's node.

    Raises:
        NoteInvalid: Its content no longer gives the sha that is its name.
    """
    record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    if record["schema"] != SCHEMA:
        raise NoteInvalid(f"unknown schema {record['schema']!r}")
    fields: dict[str, Any] = {name: record[name] for name in _FIELDS}
    for name in ("parents", "tags"):
        fields[name] = tuple(fields[name])
    node = Node(**fields)
    sha = node_sha(node.level, node.project, node.query_id, node.query, node.body)
    if sha != node.sha or file.stem != sha:
        raise NoteInvalid("the content does not give the sha in its name")
    return node, str(record["path"])


_FIELDS = (
    "sha",
    "level",
    "project",
    "query_id",
    "query",
    "body",
    "trust",
    "author",
    "created_at",
    "parents",
    "tags",
)
