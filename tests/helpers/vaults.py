"""Small vaults, and what a database says of one, in a form that can be compared."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from memskill.config import Settings
from memskill.store import open_store


def make_settings(vault: Path, **values: Any) -> Settings:
    """Return settings for a test: one thread, and no long wait for a lock."""
    return Settings(vault=vault, **{"threads": 1, "lock_wait_seconds": 5.0} | values)


def write_note(settings: Settings, path: str, body: str, **front: str) -> Path:
    """Write `notes/<path>.md` with frontmatter and return where it lies."""
    file = settings.vault / "notes" / f"{path}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    head = "".join(f"{key}: {value}\n" for key, value in front.items())
    file.write_text(f"---\n{head}---\n{body}\n" if front else f"{body}\n", encoding="utf-8")
    return file


def write_skill(settings: Settings, name: str, description: str, folder: str = "skills") -> Path:
    """Write a SKILL.md and return where it lies."""
    file = settings.vault / folder / name / "SKILL.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(
        f"---\nname: {name}\ndescription: {description}\n---\nBody.\n", encoding="utf-8"
    )
    return file


def now(settings: Settings) -> dict[str, object]:
    """Return all that the database says of the vault at present; history and times are left out."""
    with open_store(settings) as store:
        con = store._con
        return {
            "valid": sorted(store.valid_shas()),
            "sources": store.note_sources(),
            "edges": con.execute(
                "select child, role, parent from node_edge where role <> 'supersedes'"
                " and child in (select sha from derived.current_node) order by all"
            ).fetchall(),
            "facts": con.execute(
                "select sha, level, project, query_id, query, body, trust, author, tags, text_sha"
                " from derived.current_node order by sha"
            ).fetchall(),
            "skills": store.skill_records(),
            "clauses": con.execute("select * from skill_clause order by all").fetchall(),
            "terms": con.execute("select * from skill_term order by all").fetchall(),
        }


def all_shas(settings: Settings) -> list[str]:
    """Return the sha of every node ever kept."""
    with open_store(settings) as store:
        return [node.sha for node in store.all_nodes()]


def digests(folder: Path) -> dict[str, str]:
    """Return path -> sha of every file below `folder`, the lock's own files apart."""
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.startswith("lock")
    }


def run_mem(*arguments: object, cwd: Path, **env: str) -> subprocess.CompletedProcess[str]:
    """Run `mem` in a process of its own and return how it ended."""
    return subprocess.run(
        [sys.executable, "-m", "memskill", *map(str, arguments)],
        cwd=cwd,
        env=os.environ | env,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
