"""Ingest: bring the database up to what the vault holds, and say what changed."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memskill.config import Settings
from memskill.errors import NotFound, StoreBehind, StoreError
from memskill.match.passages import note_passages, note_texts
from memskill.match.texts import node_text, skill_rows
from memskill.models.protocols import Encoder
from memskill.models.registry import load_encoder
from memskill.pipeline.feedback import fold
from memskill.pipeline.plan import NotePlan, SkillPlan, parent_edges, plan_notes, plan_skills
from memskill.records import Skipped
from memskill.sources.atomic import remove_leftovers
from memskill.sources.identity import text_sha
from memskill.sources.nodefiles import write_node_file
from memskill.sources.notes import FoundNote, NotesScan, scan_notes
from memskill.sources.skills import SkillsScan, scan_skills
from memskill.store import NoteSource, PassageRow, SkillRows, Store, open_store, source_id
from memskill.store.base import utc_now

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

# Called with (texts encoded so far, texts to encode).
Progress = Callable[[int, int], None]
# Raised when the same file could give another node: kept beside every source.
NOTE_PARSER_VERSION = 1
# Texts a step of progress; each is encoded on its own, whatever the step.
_STEP = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestReport:
    """What an ingest read, changed and passed over. Counts are of files unless they say."""

    notes_read: int
    notes_new: int
    notes_changed: int
    notes_removed: int
    notes_unchanged: int
    skills_read: int
    drafts_read: int
    skills_new: int
    skills_changed: int
    skills_removed: int
    # Texts that had no vector of the encoder in use yet.
    texts_encoded: int
    # Kind -> secrets that were replaced; never their values.
    redactions: Mapping[str, int]
    skipped: tuple[Skipped, ...]
    warnings: tuple[Skipped, ...]
    dry_run: bool
    changed: bool
    seconds: float
    # Matches and feedback that the log brought.
    log_new: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Vault:
    """What the vault holds now."""

    notes: NotesScan
    skills: SkillsScan
    rows: Mapping[str, SkillRows]
    # sha -> text of everything that search and match need a vector for.
    texts: Mapping[str, str]


def ingest(
    settings: Settings,
    *,
    encoder: Encoder | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> IngestReport:
    """Read the vault into the database and return the report; a second run changes nothing.

    The slow part (reading, encoding) runs before the database is opened for writing.

    Args:
        settings: Names the vault and the encoder.
        encoder: Used instead of the one that the settings name.
        dry_run: Work out the report and write nothing.
        progress: Told how many texts are encoded.

    Raises:
        NotFound: The vault does not exist.
        StoreError, StoreBusy: See `open_store`.
    """
    started = time.perf_counter()
    if not settings.vault.is_dir():
        raise NotFound(f"no vault at {settings.vault}", hint="`mem init` makes one.")
    vault = _read_vault(settings)
    model = encoder or load_encoder(settings)
    notes, skills, missing = _first_plan(settings, vault, model.fingerprint, dry_run=dry_run)
    changed = not (notes.empty and skills.empty and not missing)
    # An empty vault has a database too, so that every other verb can answer.
    if (changed or not settings.database.exists()) and not dry_run:
        _write_node_files(settings, (*notes.new, *notes.changed))
        vectors = _encode(model, {sha: vault.texts[sha] for sha in missing}, progress)
        passages = _new_passages(settings, vault.notes)
        with open_store(settings, write=True) as store, store.transaction():
            # Another writer may have been here since: plan again under the lock.
            notes, skills, _ = _plan(store, vault, model.fingerprint)
            store.add_vectors(vectors, model.fingerprint)
            store.add_passages(passages)
            _apply_notes(store, notes, vault)
            store.remove_skills((*skills.changed, *skills.removed))
            store.add_skills(vault.rows[path] for path in (*skills.new, *skills.changed))
    folded = fold(settings, dry_run=dry_run)
    _, dangling = parent_edges(vault.notes.notes)
    redactions: Counter[str] = Counter()
    for note in (*notes.new, *notes.changed):
        redactions.update(note.redactions)
    return IngestReport(
        notes_read=len(vault.notes.notes),
        notes_new=len(notes.new),
        notes_changed=len(notes.changed) + len(notes.touched),
        notes_removed=len(notes.removed),
        notes_unchanged=notes.unchanged,
        skills_read=sum(s.skill.state == "promoted" for s in vault.skills.skills),
        drafts_read=sum(s.skill.state == "draft" for s in vault.skills.skills),
        skills_new=len(skills.new),
        skills_changed=len(skills.changed),
        skills_removed=len(skills.removed),
        texts_encoded=len(missing),
        redactions=dict(sorted(redactions.items())),
        skipped=(*vault.notes.skipped, *vault.skills.skipped, *folded.skipped),
        warnings=(*vault.notes.warnings, *dangling, *vault.skills.warnings),
        dry_run=dry_run,
        changed=changed or folded.new > 0,
        seconds=time.perf_counter() - started,
        log_new=folded.new,
    )


def _first_plan(
    settings: Settings, vault: _Vault, model: str, *, dry_run: bool
) -> tuple[NotePlan, SkillPlan, list[str]]:
    """Return what would change, from a look at the database that keeps nobody out for long."""
    try:
        with open_store(settings) as store:
            return _plan(store, vault, model)
    except NotFound:
        nothing = plan_notes({}, set(), vault.notes.notes)
        return nothing, plan_skills({}, _shas(vault)), sorted(vault.texts)
    except StoreBehind:
        if dry_run:
            raise
        with open_store(settings, write=True) as store:
            return _plan(store, vault, model)


def _new_passages(settings: Settings, notes: NotesScan) -> list[PassageRow]:
    """Return the parts of the notes whose parts are not kept yet."""
    try:
        with open_store(settings) as store:
            known = store.passage_owners()
    except (NotFound, StoreBehind):
        known = set[str]()
    fresh = [note.node for note in notes.notes if note.node.sha not in known]
    return [row for node in fresh for row in note_passages(node)]


def _write_node_files(settings: Settings, notes: Iterable[FoundNote]) -> None:
    try:
        # What a killed run left beside them; nothing else ever clears it.
        remove_leftovers(settings.nodes_dir)
        for note in notes:
            if note.node.level != "L0":
                write_node_file(settings.nodes_dir, note.node, path=note.path)
    except OSError as error:
        reason = f"{settings.nodes_dir}: cannot be written: {error.strerror}"
        raise StoreError(
            reason, hint="Free the disk or mend the folder, then run again."
        ) from error


def _read_vault(settings: Settings) -> _Vault:
    notes = scan_notes(settings.vault, max_bytes=settings.max_file_bytes)
    skills = scan_skills(settings.vault, max_bytes=settings.max_file_bytes)
    rows: dict[str, SkillRows] = {}
    texts: dict[str, str] = {}
    for found in skills.skills:
        rows[found.skill.path], matched = skill_rows(found.skill)
        if found.skill.state == "promoted":
            texts |= matched
    for note in notes.notes:
        texts |= note_texts(note.node)
    return _Vault(notes=notes, skills=skills, rows=rows, texts=texts)


def _plan(store: Store, vault: _Vault, model: str) -> tuple[NotePlan, SkillPlan, list[str]]:
    known = store.known_vectors(vault.texts, model)
    return (
        plan_notes(store.note_sources(), store.valid_shas(), vault.notes.notes),
        plan_skills(store.skill_records(), _shas(vault)),
        sorted(set(vault.texts) - known),
    )


def _shas(vault: _Vault) -> dict[str, str]:
    return {path: rows.record_sha for path, rows in vault.rows.items()}


def _encode(
    model: Encoder, texts: Mapping[str, str], progress: Progress | None
) -> dict[str, npt.NDArray[np.float32]]:
    shas = list(texts)
    vectors: dict[str, npt.NDArray[np.float32]] = {}
    for start in range(0, len(shas), _STEP):
        part = shas[start : start + _STEP]
        vectors |= dict(zip(part, model.encode([texts[sha] for sha in part]), strict=True))
        if progress:
            progress(min(start + _STEP, len(shas)), len(shas))
    return vectors


def _apply_notes(store: Store, plan: NotePlan, vault: _Vault) -> None:
    at = utc_now()
    written = (*plan.new, *plan.changed, *plan.touched)
    store.add_nodes([(n.node, text_sha(node_text(n.node))) for n in written], at)
    store.update_facts([n.node for n in written])
    store.close_validity(plan.closed, at)
    store.open_validity(plan.opened, at)
    store.retire_sources([source_id(path, sha) for path, sha in plan.retired], at)
    store.add_sources([_source(note) for note in written], at)
    edges, _ = parent_edges(vault.notes.notes)
    heirs = [(heir, sha, "supersedes") for sha, heir in plan.closed.items() if heir]
    # As the notes stand now: the same edges that a rebuild would find.
    store.remove_note_edges([n.node.sha for n in vault.notes.notes])
    store.add_edges([*edges, *heirs])


def _source(note: FoundNote) -> NoteSource:
    return NoteSource(
        path=note.path,
        node_sha=note.node.sha,
        file_sha=note.file_sha,
        byte_end=note.size,
        line_start=note.first_line,
        line_end=note.last_line,
        parser_version=NOTE_PARSER_VERSION,
    )
