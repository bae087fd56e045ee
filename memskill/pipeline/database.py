"""Looking after the database: migrate, check, stats, backup, rebuild."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

from memskill.config import Settings
from memskill.errors import CheckFailed, NotFound, PathRefused
from memskill.match.texts import node_text
from memskill.pipeline.ingest import IngestReport, Progress, ingest
from memskill.records import Node, Skipped
from memskill.sources.identity import node_sha, text_sha
from memskill.sources.nodefiles import read_node_files
from memskill.store import Store, open_store, writer_lock
from memskill.store.base import utc_now


def migrate_database(settings: Settings) -> None:
    """Bring the database's schema up to date; make the file where there is none."""
    with open_store(settings, write=True):
        pass


def check_database(settings: Settings) -> int:
    """Return how many nodes were checked; every check of sql/checks and every node's sha holds.

    Raises:
        CheckFailed: Rows were found, a node's content does not give its sha, or an L1/L2 node
            has no node file; every fault is a reason.
    """
    with open_store(settings) as store:
        store.require_healthy()
        nodes = store.all_nodes()
    faults = [f"node {node.sha}: {fault}" for node in nodes if (fault := _fault(settings, node))]
    if faults:
        raise CheckFailed(
            f"{len(faults)} nodes are not what their sha says, or have no node file",
            hint="`mem db rebuild` makes the database again from the vault and node files.",
            reasons=faults,
        )
    return len(nodes)


def _fault(settings: Settings, node: Node) -> str:
    if node_sha(node.level, node.project, node.query_id, node.query, node.body) != node.sha:
        return "its content gives another sha"
    if node.level != "L0" and not (settings.nodes_dir / f"{node.sha}.json").is_file():
        return "it has no node file"
    return ""


def database_stats(settings: Settings) -> dict[str, object]:
    """Return the file's path and bytes, rows a table, and valid nodes a level."""
    with open_store(settings) as store:
        return {
            "path": str(settings.database),
            "bytes": settings.database.stat().st_size,
            "tables": store.counts(),
            "valid_nodes": store.node_counts(),
        }


def backup_database(settings: Settings, target: Path | None = None) -> Path:
    """Copy the database while no writer is at work, and return where the copy lies.

    Args:
        settings: Names the vault.
        target: The copy's path; `<vault>/.memskill/backup/<time>.duckdb` by default.

    Raises:
        NotFound: There is no database.
        PathRefused: The target exists.
    """
    if not settings.database.is_file():
        raise NotFound(f"no database at {settings.database}", hint="`mem ingest` makes it.")
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    target = target or settings.state_dir / "backup" / f"{stamp}.duckdb"
    if target.exists():
        raise PathRefused(f"{target} exists", hint="Name another file; nothing is overwritten.")
    target.parent.mkdir(parents=True, exist_ok=True)
    # A writing open folds the write-ahead log into the file before it is copied.
    with open_store(settings, write=True):
        pass
    with writer_lock(settings.state_dir, settings.lock_wait_seconds):
        _copy_synced(settings.database, target)
    return target


def rebuild_database(
    settings: Settings, *, progress: Progress | None = None
) -> tuple[IngestReport, Path | None, list[Skipped]]:
    """Make the database again from the vault and the node files, to the same shas.

    The old file is kept beside the new one, and its floors, logs, replies and draft records
    stay in it only: a backup is what restores those.

    Returns:
        The ingest's report, where the old database lies now (None: there was none), and the
        node files that could not be read.
    """
    kept: Path | None = None
    with writer_lock(settings.state_dir, settings.lock_wait_seconds):
        if settings.database.is_file():
            stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
            kept = settings.state_dir / "backup" / f"{stamp}-before-rebuild.duckdb"
            kept.parent.mkdir(parents=True, exist_ok=True)
            settings.database.replace(kept)
            wal = settings.database.with_name(settings.database.name + ".wal")
            if wal.exists():
                wal.replace(kept.with_name(kept.name + ".wal"))
    report = ingest(settings, progress=progress)
    unreadable = _restore_old_nodes(settings)
    return report, kept, unreadable


def _restore_old_nodes(settings: Settings) -> list[Skipped]:
    """Put back the nodes that no note gives any more, closed, with what took their place."""
    read = list(read_node_files(settings.nodes_dir))
    files = [entry for entry in read if not isinstance(entry, Skipped)]
    with open_store(settings, write=True) as store, store.transaction():
        at = utc_now()
        valid = store.valid_shas()
        heirs = {path: sha for path, (sha, _) in store.note_sources().items()}
        old = [(node, path) for node, path in files if node.sha not in valid]
        store.add_nodes([(node, text_sha(node_text(node))) for node, _ in old], at)
        store.open_validity([node.sha for node, _ in old], at)
        store.close_validity({node.sha: heirs.get(path) for node, path in old}, at)
        _restore_edges(store, old, heirs)
    return [entry for entry in read if isinstance(entry, Skipped)]


def _restore_edges(store: Store, old: list[tuple[Node, str]], heirs: dict[str, str]) -> None:
    store.add_edges((heirs[path], node.sha, "supersedes") for node, path in old if path in heirs)


def _copy_synced(source: Path, target: Path) -> None:
    aside = target.with_name(target.name + ".part")
    shutil.copyfile(source, aside)
    with aside.open("rb") as file:
        os.fsync(file.fileno())
    aside.replace(target)
