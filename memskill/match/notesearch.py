"""From a question to notes and lessons: shortlist in SQL, weigh, calibrate once, cut."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memskill.match.noteindex import Found, NoteIndex
from memskill.match.notepolicy import NotePolicy
from memskill.match.passages import lesson_text, lesson_title
from memskill.records import Level
from memskill.sources.safety import one_line
from memskill.sources.terms import terms
from memskill.store import HitKind, NoteRow

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_EXCERPT_CHARS = 300
# From this share on, the passage that holds the question's words is shown, else the nearest one.
_WORDS_TELL = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A memory note or a lesson that answers a question."""

    kind: HitKind
    # `<project>/<query-id>` of a note, the id of a lesson.
    id: str
    # Empty for a lesson whose transcript does not say.
    project: str
    # None for a lesson.
    level: Level | None
    # Calibrated probability in [0, 1], rounded once to 4 places.
    score: float
    # The note's question, or a lesson's tool and symptom.
    title: str
    # The passage that matched, on one line, at most 300 characters.
    excerpt: str
    # The note file, relative to the vault, or a lesson's transcript; may be empty.
    path: str
    # First and last line of the passage in `path`, from 1; None where that is unknown.
    lines: tuple[int, int] | None
    # Of the node; of a lesson, the L0 node that shows it, or "".
    sha: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HitCandidate:
    """A shortlisted note or lesson with all that its place rests on; what `explain` shows."""

    hit: Hit
    # Of the text as one, of its title and of its best passage, each in [-1, 1].
    whole: float
    cosine_title: float
    cosine: float
    # Share of the question's idf mass that the best passage covers, in [0, 1].
    lexical: float
    # How well the question holds a lesson's symptom, in [0, 1].
    signature: float
    # The weighed sum, a logit before its calibration.
    evidence: float
    kept: bool
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One question, with the filters of the SQL."""

    text: str
    project: str | None = None
    level: Level | None = None
    kind: HitKind | None = None
    # Lesson id -> how well the text holds its symptom.
    pasted: Mapping[str, float] = field(default_factory=dict[str, float])


@dataclass(frozen=True, slots=True, kw_only=True)
class Searched:
    """All that was considered, best first: score, then id."""

    candidates: tuple[HitCandidate, ...]
    # Stage (notes) -> seconds.
    seconds: Mapping[str, float]

    def hits(self, limit: int) -> list[Hit]:
        """Return the kept ones, at most `limit`, best first."""
        return [one.hit for one in self.candidates if one.kept][:limit]


def search_notes(
    index: NoteIndex,
    vector: npt.NDArray[np.float32],
    policy: NotePolicy,
    search: Search,
    *,
    k: int,
) -> Searched:
    """Return what was shortlisted for a question, kept where its score reaches the floor.

    Args:
        index: Notes and lessons.
        vector: What the encoder of the index makes of the question.
        policy: Weights, calibration and floor.
        search: The question; not blank.
        k: Length of the shortlist.
    """
    started = time.perf_counter()
    rows = _shortlist(index, vector, policy.encoder_fingerprint, search, k)
    judged = [_candidate(row, index.found[row.id], policy, search) for row in rows]
    judged.sort(key=lambda one: (-one.hit.score, one.hit.id, one.hit.sha))
    return Searched(candidates=tuple(judged), seconds={"notes": time.perf_counter() - started})


def _shortlist(
    index: NoteIndex, vector: npt.NDArray[np.float32], model: str, search: Search, k: int
) -> Sequence[NoteRow]:
    store = index.store.cursor()
    try:
        return store.shortlist_notes(
            vector,
            sorted(set(terms(search.text))),
            model=model,
            project=search.project,
            level=search.level,
            kind=search.kind,
            named=sorted(search.pasted),
            k=k,
        )
    finally:
        store.close()


def _candidate(row: NoteRow, found: Found, policy: NotePolicy, search: Search) -> HitCandidate:
    signature = search.pasted.get(row.id, 0.0)
    evidence = row.evidence + policy.weights["signature"] * signature
    score = round(float(policy.calibration.apply(evidence)), 4)
    kept = score >= policy.floor
    verb = "reaches" if kept else "is below"
    return HitCandidate(
        hit=_hit(row, found, score),
        whole=row.whole,
        cosine_title=row.title,
        cosine=row.passage,
        lexical=row.lexical,
        signature=signature,
        evidence=evidence,
        kept=kept,
        reason=f"score {score} {verb} the floor {policy.floor}",
    )


def _hit(row: NoteRow, found: Found, score: float) -> Hit:
    by_words = row.words_place is not None and row.lexical >= _WORDS_TELL
    place = row.words_place if by_words and row.words_place is not None else row.place
    title, passage, sha, lines = "", "", "", None
    if found.lesson:
        title, passage = lesson_title(found.lesson), lesson_text(found.lesson)
        sha = next(iter(found.lesson.evidence), "")
        lines = (found.line, found.line) if found.line else None
    elif found.node:
        start, stop = found.spans[place]
        title, passage, sha = found.node.query, found.node.body[start:stop], found.node.sha
        lines = _lines(found, start, stop)
    return Hit(
        kind=row.kind,
        id=row.name,
        project=row.project,
        level=row.level,
        score=score,
        title=one_line(title),
        excerpt=excerpt(passage),
        path=found.path,
        lines=lines,
        sha=sha,
    )


def _lines(found: Found, start: int, stop: int) -> tuple[int, int] | None:
    if not found.line or not found.node:
        return None
    first = found.line + found.node.body.count("\n", 0, start)
    return first, first + found.node.body.count("\n", start, stop)


def excerpt(passage: str) -> str:
    """Return a passage on one line, at most 300 characters, cut behind a word."""
    line = one_line(passage)
    if len(line) <= _EXCERPT_CHARS:
        return line
    head = line[: _EXCERPT_CHARS - 1]
    return (head.rsplit(" ", 1)[0] if " " in head[_EXCERPT_CHARS // 2 :] else head) + "…"
