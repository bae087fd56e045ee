"""The records that cross a border between layers. Read this file to know the product.

All are frozen. Shas are bare lower-case hex; only frontmatter writes `sha256:` before one.
Times are UTC, ISO 8601 with `Z`. Scores carry their scale in their name: `cosine` in [-1, 1],
`rerank_score` an unbounded logit, `score` a calibrated probability in [0, 1].
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Level = Literal["L0", "L1", "L2"]
Field = Literal["description", "when_to_use"]
Polarity = Literal["positive", "negative"]
State = Literal["promoted", "draft"]
Trust = Literal["person", "agent", "imported"]
TaskKind = Literal[
    "match", "indirect", "none", "borderline", "near_miss", "body_trap", "routed", "declined"
]
Split = Literal["train", "valid", "final"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """A memory node: L0 evidence, L1 the note for one query, L2 a synthesis.

    `sha` is its identity, made from its content alone (see `sources.identity`); `address` is
    where people look for it and may be held by several nodes over time.
    """

    sha: str
    level: Level
    project: str
    query_id: str
    query: str
    body: str
    trust: Trust = "person"
    author: str = ""
    created_at: str = ""
    # Addresses `<project>/<query-id>` of what it was made from, as the note names them.
    parents: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()

    @property
    def address(self) -> str:
        """`<project>/<query-id>`."""
        return f"{self.project}/{self.query_id}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One sentence, "or when" part or quoted phrase of a skill's two matched fields."""

    field: Field
    polarity: Polarity
    # Place among all clauses of the skill, from 0.
    ordinal: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Skill:
    """A SKILL.md of the vault. Only `description` and `when_to_use` are ever matched.

    `name` is the folder, which is what agents load and what URLs say; a differing frontmatter
    name is reported by lint, never used.
    """

    # Relative to the vault, with forward slashes: skills/<name>/SKILL.md.
    path: str
    name: str
    description: str
    when_to_use: str = ""
    # Empty means: seen from every project.
    projects: tuple[str, ...] = ()
    state: State = "promoted"
    content_sha: str = ""
    # Bare sha of the node it was drafted from; empty for one written by hand.
    generated_from: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Skipped:
    """One thing that a run passed over: which file, where in it, and why."""

    path: str
    reason: str
    # 1-based; None where the fault has no line.
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Redactions:
    """Text with its secrets replaced, and how many of each kind; never their values."""

    text: str
    counts: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A promoted skill that fits a task."""

    name: str
    # Calibrated probability in [0, 1], rounded once to 4 places.
    score: float
    # The field that carries the match best.
    matched_on: Field
    when_to_use: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A shortlisted skill with all that its place rests on; what `explain` shows."""

    name: str
    # Calibrated probability in [0, 1], rounded once to 4 places: what meets the floor, by `>=`.
    score: float
    # The reranker's logit; None where no reranker ran or none needed to.
    rerank_score: float | None
    # The shortlist's own score: cosine, clause, lexical and negative, weighed.
    hybrid: float
    # Of the whole positive text, of the best positive and of the best negative clause, in
    # [-1, 1]; `negative` is 0 where the skill has no negative clause.
    cosine: float
    clause: float
    negative: float
    # Share of the task's idf mass that the positive text covers, in [0, 1], and by which terms.
    lexical: float
    words: tuple[str, ...]
    # The two clauses themselves; empty where there is none.
    best_clause: str
    negative_clause: str
    matched_on: Field
    # Whether the task names the skill, which keeps it a place here but gives it no score.
    named: bool
    kept: bool
    # Why it was kept or dropped, as one sentence.
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteHit:
    """A memory note near a query."""

    address: str
    level: Level
    sha: str
    query: str
    # Cosine in [-1, 1], rounded once to 4 places.
    cosine: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A labelled task: what an orchestrator asked, and which skills are right for it."""

    text: str
    # Names of the right skills, any of which counts; empty: none should match.
    expected: tuple[str, ...]
    project: str | None = None
    # What belongs together (skill, family): splits never cut through a group.
    group: str = ""
    kind: TaskKind = "match"
    split: Split | None = None
    # Names that are wrong for it. Where there are any, every other skill counts as unjudged.
    forbidden: tuple[str, ...] = ()
    # The field that should carry the match; None: not judged.
    matched_on: Field | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What lint has to say about one place of one file."""

    rule: str
    severity: Literal["error", "warning", "info"]
    message: str
    hint: str
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Floor:
    """The least score that is returned, bound to the models that it was fitted for."""

    value: float
    encoder_fingerprint: str
    reranker_fingerprint: str
    # Where it came from: "shipped", "floor.toml" or "set by hand".
    origin: str
    # sha of the labelled tasks; empty when it was set by hand.
    data_fingerprint: str = ""
    fitted_at: str = ""
    # The map from logit to score that it was fitted with, for `Calibration.from_mapping`; empty:
    # the model's own.
    calibration: Mapping[str, str | float] = field(default_factory=dict[str, str | float])
    seed: int = 0


LessonState = Literal["candidate", "confirmed", "retired", "pinned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What a tool's failure taught: a symptom, and what mended it where it was met.

    `seen` to `confidence` are counted from events (view lesson_current), never stored.
    """

    # sha of (tool, sub-command, signature, scope).
    id: str
    tool: str
    subcommand: str
    # The symptom with what differs from case to case left out.
    signature: str
    # The project it was learned in; empty where the transcript does not say.
    scope: str
    # The line that said what went wrong, redacted.
    symptom: str
    # What changed before it passed, as one sentence.
    resolution: str
    # What failed and what passed; `fix_command` is empty where the same command passed.
    command: str
    fix_command: str
    state: LessonState
    # Failures, and sessions that met one.
    seen: int
    sessions: int
    fixes: int
    # Unchanged retries that passed.
    flaky: int
    # Later sessions in which the failing command passed unchanged.
    contradictions: int
    # UTC; empty where the transcript has no times.
    first_seen: str
    last_seen: str
    # In [0, 1], rounded once to 4 places: mean of Beta(1 + good, 1 + bad), where good counts
    # sessions with a fix and bad those against it, halved for every 90 days that it was not met
    # while others were (Josang and Ismail, "The Beta Reputation System", 2002).
    confidence: float
    # L0 nodes that show its failures and fixes, in order.
    evidence: tuple[str, ...] = ()
