"""Searching memory notes by meaning."""

from __future__ import annotations

from memskill.config import Settings
from memskill.errors import UsageError
from memskill.models.registry import load_encoder
from memskill.records import Level, NoteHit
from memskill.store import open_store

MAX_LIMIT = 50


def query_notes(
    settings: Settings,
    question: str,
    *,
    project: str | None = None,
    level: Level | None = None,
    limit: int = 5,
) -> list[NoteHit]:
    """Return at most `limit` valid notes by cosine to `question`, best first.

    Raises:
        UsageError: A blank or over-long question, or a limit outside 1..50.
        NotFound: There is no database yet.
    """
    require_text(question, "question", settings.max_task_chars)
    require_limit(limit, MAX_LIMIT)
    encoder = load_encoder(settings)
    vector = encoder.encode([question])[0]
    with open_store(settings) as store:
        return store.nearest_nodes(
            vector, model=encoder.fingerprint, project=project, level=level, k=limit
        )


def require_text(text: str, what: str, max_chars: int) -> None:
    """Raise UsageError unless `text` says something and is not over-long."""
    if not text.strip():
        raise UsageError(f"the {what} is blank", hint=f"Say what the {what} is.")
    if len(text) > max_chars:
        raise UsageError(
            f"the {what} has {len(text)} characters; at most {max_chars} are read",
            hint="Send its essence, or raise max_task_chars.",
        )


def require_limit(limit: int, most: int) -> None:
    """Raise UsageError unless `limit` lies in 1..most."""
    if not 1 <= limit <= most:
        raise UsageError(f"limit must be between 1 and {most}, not {limit}")
