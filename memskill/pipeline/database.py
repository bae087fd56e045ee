"""Looking after the database: migrate, check, stats, backup, rebuild."""

from __future__ import annotations

import os
import shutil
from datetime import UTC, datetime
from pathlib import Path

from memskill.config import Settings
from memskill.errors import CheckFailed, NotFound, PathRefused, StoreBusy, StoreError
from memskill.match.texts import node_text
from memskill.models.protocols import Encoder
from memskill.pipeline.carry import put_back, taken
from memskill.pipeline.ingest import IngestReport, Progress, ingest
from memskill.records import Node, Skipped
from memskill.sources.atomic import sync_folder
from memskill.sources.identity import node_sha, text_sha
from memskill.sources.nodefiles import read_node_files, write_node_file
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
            hint="`mem db rebuild` makes the database again, and writes node files that are gone.",
            reasons=faults,
        )
    return len(nodes)


def _fault(settings: Settings, node: Node, *, file: bool = True) -> str:
    if node_sha(node.level, node.project, node.query_id, node.query, node.body) != node.sha:
        return "its content gives another sha"
    if file and node.level != "L0" and not (settings.nodes_dir / f"{node.sha}.json").is_file():
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
        StoreError: The copy cannot be written.
    """
    if not settings.database.is_file():
        raise NotFound(f"no database at {settings.database}", hint="`mem ingest` makes it.")
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    target = target or settings.state_dir / "backup" / f"{stamp}.duckdb"
    if target.exists():
        raise PathRefused(f"{target} exists", hint="Name another file; nothing is overwritten.")
    # A writing open folds the write-ahead log into the file before it is copied.
    with open_store(settings, write=True):
        pass
    with writer_lock(settings.state_dir, settings.lock_wait_seconds):
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            _copy_synced(settings.database, target)
        except OSError as error:
            raise StoreError(f"{target}: cannot be written: {error.strerror}") from error
    return target


def rebuild_database(
    settings: Settings, *, encoder: Encoder | None = None, progress: Progress | None = None
) -> tuple[IngestReport, Path | None, list[Skipped]]:
    """Make the database again from vault, node files and known transcripts, to the same shas.

    Verdicts on lessons are carried over, and so is what was read of transcripts that are gone.
    The old file is kept beside the new one, and its floors, logs, replies and draft records
    stay in it only: a backup is what restores those. Where a step fails, the old file is put
    back.

    Args:
        settings: Names the vault and the encoder.
        encoder: Used instead of the one that the settings name.
        progress: Told how many texts are encoded.

    Returns:
        The ingest's report, where the old database lies now (None: there was none), and what
        could not be read: node files, and transcripts that are gone or unreadable now.

    Raises:
        NotFound: The vault does not exist.
        StoreError, StoreBusy: See `open_store`.
    """
    if not settings.vault.is_dir():
        raise NotFound(f"no vault at {settings.vault}", hint="`mem init` makes one.")
    carried = taken(settings)
    _save_nodes(settings)
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    old = settings.state_dir / "backup" / f"{stamp}-before-rebuild.duckdb"
    kept = _move(settings, settings.database, old)
    try:
        report = ingest(settings, encoder=encoder, progress=progress)
        unreadable = [*_restore_old_nodes(settings), *put_back(settings, carried)]
    except BaseException:
        if kept:
            # A log of the unfinished file would be taken for one of the old one.
            settings.database.with_name(settings.database.name + ".wal").unlink(missing_ok=True)
            _move(settings, old, settings.database)
        raise
    return report, old if kept else None, unreadable


def _move(settings: Settings, source: Path, target: Path) -> bool:
    """Move a database with its write-ahead log; return whether there was one."""
    with writer_lock(settings.state_dir, settings.lock_wait_seconds):
        if not source.is_file():
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        log = source.with_name(source.name + ".wal")
        if log.exists():
            log.replace(target.with_name(target.name + ".wal"))
        source.replace(target)
    return True


def _save_nodes(settings: Settings) -> None:
    """Write the node files that are gone, while the old database still holds their nodes."""
    if not settings.database.is_file():
        return
    try:
        with open_store(settings, write=True) as store:
            nodes, paths = store.all_nodes(), store.note_paths()
    except StoreBusy:
        raise
    except StoreError:  # damaged, or of another schema: the node files are what there is
        return
    for node in nodes:
        if node.sha in paths and node.level != "L0" and not _fault(settings, node, file=False):
            write_node_file(settings.nodes_dir, node, path=paths[node.sha])


def _restore_old_nodes(settings: Settings) -> list[Skipped]:
    """Put back the nodes that no note gives any more, closed, with what took their place."""
    read = list(read_node_files(settings.nodes_dir))
    files = [entry for entry in read if not isinstance(entry, Skipped)]
    with open_store(settings, write=True) as store, store.transaction():
        at = utc_now()
        valid = store.valid_shas()
        heirs = {path: sha for path, (sha, _) in store.note_sources().items() if sha in valid}
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
    try:
        shutil.copyfile(source, aside)
        with aside.open("rb") as file:
            os.fsync(file.fileno())
        aside.replace(target)
    finally:
        aside.unlink(missing_ok=True)
    sync_folder(target.parent)
