"""Notes search as the CLI, the server and MCP do it: one index, one encoder, its own floor."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memskill.config import Settings
from memskill.errors import StoreBehind, UsageError
from memskill.lessons.pasted import pasted_lessons
from memskill.match.noteindex import NoteIndex, NoteIndexes
from memskill.match.notepolicy import NotePolicy, note_policy_in_force
from memskill.match.notesearch import Hit, HitCandidate, Search, search_notes
from memskill.match.policy import shipped_hybrid
from memskill.models.registry import load_encoder
from memskill.pipeline.matching import Matching
from memskill.pipeline.notes import require_limit, require_text
from memskill.records import Level
from memskill.sources.safety import no_surrogates, printable
from memskill.store import HitKind

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = ["Hit", "HitCandidate", "QueryResult", "Querying"]
MAX_LIMIT = 50
_LEVELS: tuple[Level, ...] = ("L0", "L1", "L2")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryResult:
    """The answer to one question, with what it was decided by."""

    # Best first; empty where nothing reaches the floor.
    hits: list[Hit]
    policy: NotePolicy
    # With `explain`: everything that was shortlisted, best first.
    candidates: tuple[HitCandidate, ...] = ()
    # Notes that nothing can find, as they have no vectors of this encoder.
    unread: int = 0
    # Stage -> seconds.
    seconds: Mapping[str, float] = field(default_factory=dict[str, float])


class Querying:
    """Finds notes and lessons; safe for several threads at once.

    Args:
        settings: Names the vault and the encoder.
        matching: Whose encoder is used; loaded by the settings by default. The reranker was
            trained on skills and takes no part: see data/tasks/README.md for the figures.

    Raises:
        ModelError, ExtraMissing, ConfigError: The encoder cannot load.
    """

    def __init__(self, settings: Settings, matching: Matching | None = None) -> None:
        self.settings = settings
        self._matching = matching
        self.encoder = matching.matcher.encoder if matching else load_encoder(settings)
        self._lexicon = shipped_hybrid().policy
        self._indexes = NoteIndexes(settings, self.encoder, self._lexicon)

    def query(
        self,
        text: str,
        *,
        project: str | None = None,
        level: int | None = None,
        kind: HitKind | None = None,
        limit: int = 5,
        explain: bool = False,
    ) -> QueryResult:
        """Return at most `limit` notes and lessons that answer `text`, best first, or none.

        Args:
            text: A question, some words, or a pasted error message.
            project: Only notes and lessons of this project.
            level: Only notes of level 0, 1 or 2.
            kind: Only "note" or only "lesson".
            limit: At most this many, 1..50.
            explain: Also return everything that was shortlisted.

        Raises:
            UsageError: A blank or over-long text, or a limit or level out of range.
            NotFound: There is no database yet.
            FloorMissing: Nothing was fitted for the encoder in use.
            StoreBehind: No note has vectors of this encoder.
            StoreBusy, StoreError: See `open_store`.
        """
        require_text(text, "question", self.settings.max_task_chars)
        require_limit(limit, MAX_LIMIT)
        # Half a character has no form that a column or a tokenizer could hold.
        text = no_surrogates(text)
        project = None if project is None else no_surrogates(project)
        policy = self.policy()
        index = self.index(policy)
        started = time.perf_counter()
        vector = self.vector(text)
        encoded = time.perf_counter() - started
        search = Search(
            text=text,
            project=project,
            level=level_name(level),
            kind=kind,
            pasted=pasted_lessons(text, index.lessons),
        )
        k = max(self.settings.shortlist_size, limit)
        searched = search_notes(index, vector, policy, search, k=k)
        return QueryResult(
            hits=searched.hits(limit),
            policy=policy,
            candidates=searched.candidates if explain else (),
            unread=index.unread,
            seconds={"encode": encoded, **searched.seconds},
        )

    def vector(self, text: str) -> npt.NDArray[np.float32]:
        """Return what the encoder makes of a question, (384,), unit length.

        Beside a matching it is one that a question to skills may have made already.
        """
        if self._matching:
            return self._matching.vector(text)
        return self.encoder.encode([text])[0]

    def policy(self) -> NotePolicy:
        """Return weights, calibration and floor in force.

        Raises:
            FloorMissing: None was fitted for this encoder; the hint is the command that fits one.
        """
        return note_policy_in_force(self.settings, self.encoder.fingerprint)

    def index(self, policy: NotePolicy) -> NoteIndex:
        """Return notes and lessons as the database holds them now.

        Raises:
            NotFound: There is no database yet.
            StoreBehind: There are notes, and none has vectors of this encoder.
        """
        index = self._indexes.current(policy.shortlist)
        if index.unread and not any(one.node for one in index.found.values()):
            raise StoreBehind(
                f"none of {index.unread} notes has vectors of encoder "
                f"{self.encoder.fingerprint[:12]}",
                hint="`mem ingest` encodes them.",
            )
        return index


def narrowed(level: str) -> tuple[int | None, HitKind | None]:
    """Return level and kind as a person names them: 0, 1, 2 (also L0 to L2), or lesson.

    Raises:
        UsageError: Something else.
    """
    if level.lower() == "lesson":
        return None, "lesson"
    name = level.upper() if level[:1] in ("L", "l") else f"L{level}"
    if name not in _LEVELS:
        raise UsageError(f"level must be 0, 1, 2 or lesson, not {printable(level, 40)!r}")
    return _LEVELS.index(name), None


def explain_query(result: QueryResult, text: str, project: str | None) -> dict[str, object]:
    """Return the hits, the floor, the fingerprints, every candidate and the stage timings.

    Timings are the one part that differs between two equal questions. Numbers are rounded once,
    here, to 4 places; `ms` to 2.
    """
    policy = result.policy
    return {
        "q": text,
        "project": project,
        "hits": [dataclasses.asdict(hit) for hit in result.hits],
        "floor": {
            "value": policy.floor,
            "origin": policy.origin,
            "data_fingerprint": policy.data_fingerprint,
        },
        "models": {"encoder": policy.encoder_fingerprint, "policy": policy.fingerprint},
        "unread": result.unread,
        "candidates": [_plain(one) for one in result.candidates],
        "ms": {stage: round(s * 1e3, 2) for stage, s in result.seconds.items()},
    }


def _plain(one: HitCandidate) -> dict[str, object]:
    hit = one.hit
    head = {"kind": hit.kind, "id": hit.id, "project": hit.project, "level": hit.level}
    rest = {
        name: round(value, 4) if isinstance(value, float) else value
        for name, value in dataclasses.asdict(one).items()
        if name != "hit"
    }
    return {**head, "score": hit.score, **rest}


def level_name(level: int | None) -> Level | None:
    """Return "L0", "L1" or "L2", or None for no level.

    Raises:
        UsageError: Another number.
    """
    if level is None:
        return None
    if not 0 <= level < len(_LEVELS):
        raise UsageError(f"level must be 0, 1 or 2, not {level}")
    return _LEVELS[level]
