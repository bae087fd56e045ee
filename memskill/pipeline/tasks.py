"""Labelled tasks in the database, so that SQL can ask how the shortlist treats them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from memskill.config import Settings
from memskill.errors import StoreError
from memskill.match.policy import shipped_hybrid
from memskill.models.protocols import Encoder
from memskill.models.registry import load_encoder
from memskill.records import Task
from memskill.sources.identity import text_sha
from memskill.sources.tasks import TaskFile
from memskill.sources.terms import terms
from memskill.store import open_store


def keep_files(
    settings: Settings, files: Iterable[TaskFile], encoder: Encoder | None = None
) -> str:
    """Keep the tasks of some files, each under its file's name, and return why not, or "".

    Without a database there is nowhere to keep them; a busy one is no reason to fail what they
    were read for.
    """
    if not settings.database.is_file():
        return ""
    try:
        for file in files:
            load_tasks(settings, Path(file.path).name, file.file_sha, file.tasks, encoder)
    except StoreError as error:
        return f"the tasks are not in the database, for SQL to ask: {error.message}"
    return ""


def load_tasks(
    settings: Settings,
    name: str,
    file_sha: str,
    tasks: Sequence[Task],
    encoder: Encoder | None = None,
) -> None:
    """Keep a task set with its terms and vectors, in place of what `name` held.

    `derived.shortlist` and `derived.skill_greed` then have rows for it, against the skills of the
    last `mem ingest`.

    Raises:
        ModelError, ExtraMissing, ConfigError: The encoder cannot load.
        StoreBusy: Another process kept the database for all of `lock_wait_seconds`.
    """
    encoder = encoder or load_encoder(settings)
    policy = shipped_hybrid().policy
    texts = {text_sha(task.text): task.text for task in tasks}
    with open_store(settings) as store:
        missing = sorted(set(texts) - store.known_vectors(texts, encoder.fingerprint))
    # Encoded before the writer's lock is taken: others wait for that.
    fresh = encoder.encode([texts[sha] for sha in missing])
    with open_store(settings, write=True) as store, store.transaction():
        if store.policy_fingerprint() != policy.fingerprint:
            store.load_policy(policy)
        store.save_task_set(name, file_sha, tasks)
        store.save_task_terms(name, [terms(task.text) for task in tasks])
        store.add_vectors(dict(zip(missing, fresh, strict=True)), encoder.fingerprint)
