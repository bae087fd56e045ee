"""Notes and vaults for the tests of drafting."""

from __future__ import annotations

import functools
import hashlib
import shutil
import tempfile
from pathlib import Path
from typing import Any

from helpers.tree import ROOT
from helpers.vaults import make_settings
from memskill.config import Settings
from memskill.draft.bodies import Draft, DraftBody, Step
from memskill.draft.render import render_skill
from memskill.pipeline.ingest import ingest
from memskill.records import Node, Skill
from memskill.sources.identity import node_sha
from memskill.sources.skills import parse_skill

NOTE = """\
# Stuck export queue

The export queue stops with `lock wait timeout` after a deploy.

## Fix

1. Pause the workers: `exportctl pause --all`.
2. Release the lock in `/etc/export/lock.yaml`, then run `exportctl unlock --force`. If it fails,
   restart the broker 2.14.1.
3. Resume with `exportctl resume`. The queue should fall to 0.

## Pitfalls

- Never delete `/var/export/spool`: it is the only copy.
"""
QUERY = "The export queue is stuck after a deploy. How do we get it going again?"


def make_node(body: str = NOTE, query: str = QUERY, **values: Any) -> Node:
    """Return a node with its true sha."""
    fields = {"level": "L1", "project": "exports", "query_id": "q1"} | values
    sha = node_sha(fields["level"], fields["project"], fields["query_id"], query, body)
    return Node(sha=sha, query=query, body=body, **fields)


def make_body(**values: Any) -> DraftBody:
    """Return a body that passes the gate for NOTE."""
    fields: dict[str, Any] = {
        "title": "Restart a stuck export queue",
        "description": (
            "Restarts the export queue and releases its lock. Use when exports hang after a deploy "
            "or someone says 'the export queue is stuck'."
        ),
        "when_to_use": "A log shows 'lock wait timeout'.",
        "steps": (
            Step(do="Pause the workers:", code="exportctl pause --all", language="bash"),
            Step(do="Resume with `exportctl resume`.", check="The queue should fall to 0."),
        ),
        "verification": ("The queue is empty.",),
    }
    return DraftBody(**fields | values)


def make_draft(body: DraftBody | None = None, node: Node | None = None, **values: Any) -> Draft:
    """Return a draft of NOTE."""
    fields: dict[str, Any] = {
        "name": "exports-q1",
        "node": node or make_node(),
        "body": body or make_body(),
        "model": "extractive",
        "generated_at": "2026-11-30T12:00:00Z",
    }
    return Draft(**fields | values)


def make_text(profile: Any = "flat", **values: Any) -> str:
    """Return the file of a draft of NOTE, with parts of its body replaced."""
    return render_skill(make_draft(make_body(**values)), profile)


def make_skill(name: str, description: str, folder: str = "skills") -> Skill:
    """Return a skill as the vault would give it."""
    text = f"---\nname: {name}\ndescription: {description}\n---\n# {name}\n"
    return parse_skill(f"{folder}/{name}/SKILL.md", text.encode()).skill


@functools.cache
def _ingested() -> Path:
    vault = Path(tempfile.mkdtemp(prefix="memskill-tests-")) / "vault"
    shutil.copytree(ROOT / "data" / "vault", vault)
    ingest(make_settings(vault))
    return vault


def team_vault(folder: Path, **values: Any) -> Settings:
    """Return settings of a fresh, ingested copy of the fixture vault in `folder`."""
    shutil.copytree(_ingested(), folder / "vault")
    return make_settings(folder / "vault", **values)


def tree_hash(folder: Path) -> dict[str, str]:
    """Return path -> sha of every file below a folder, locks apart."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != "lock"
    }
