"""From a task to a decision: shortlist in SQL, rerank, calibrate once, cut at the floor."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from memskill.match.decision import NO_RERANKER
from memskill.match.naming import named_skills
from memskill.match.policy import Hybrid
from memskill.match.snapshot import Snapshot
from memskill.models.calibration import Calibration
from memskill.models.protocols import Encoder, Reranker
from memskill.records import Candidate, Field, Floor, Match
from memskill.sources.terms import terms
from memskill.store import Shortlisted

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


# The most that rounding to four places lifts a score to a floor.
_ROUNDED = 0.5e-4


@dataclass(frozen=True, slots=True, kw_only=True)
class _Shortlist:
    rows: Sequence[Shortlisted]
    # Path -> ordinals of the positive and the negative clause that are nearest to the task.
    carrying: Mapping[str, tuple[int | None, int | None]]
    # Path -> the task's terms that the skill covers, with their weights, heaviest first.
    words: Mapping[str, Sequence[tuple[str, float]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    vector: npt.NDArray[np.float32]
    # Distinct, in code-point order.
    terms: Sequence[str]
    project: str | None
    # The skills that the task names: reranked however far they are.
    named: Sequence[str]
    # The hybrid from which a row can be returned, and the one from which it is reranked: below
    # `cut` only for who wants to see.
    cut: float
    least: float

    def is_near(self, row: Shortlisted) -> bool:
        return row.hybrid >= self.least or row.name in self.named


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """All that was considered for one task, best first: score, then name.

    With `explain`, what was shortlisted but not reranked follows, in the shortlist's order.
    """

    candidates: tuple[Candidate, ...]
    # The skill behind each candidate's name: its when_to_use.
    when_to_use: dict[str, str]
    snapshot: Snapshot
    # The hybrid below which nothing was reranked; -inf where no reranker runs.
    cut: float
    # Stage (encode, shortlist, rerank) -> seconds.
    seconds: dict[str, float]

    def matches(self, limit: int) -> list[Match]:
        """Return the kept candidates, at most `limit`, best first."""
        return [
            Match(
                name=one.name,
                score=one.score,
                matched_on=one.matched_on,
                when_to_use=self.when_to_use[one.name],
            )
            for one in self.candidates
            if one.kept
        ][:limit]


@dataclass(frozen=True, slots=True, kw_only=True)
class Matcher:
    """The models and numbers that turn a task into an answer; shared by all threads."""

    encoder: Encoder
    reranker: Reranker | None
    hybrid: Hybrid
    shortlist_size: int

    @property
    def reranker_fingerprint(self) -> str:
        """What a floor is bound to beside the encoder: the reranker's, or "none"."""
        return self.reranker.fingerprint if self.reranker else NO_RERANKER

    def calibration(self, floor: Floor) -> Calibration:
        """Return the floor's own fit where it has one, else the models' shipped one."""
        if floor.calibration:
            return Calibration.from_mapping(floor.calibration)
        return self.reranker.calibration if self.reranker else self.hybrid.calibration

    def warm(self) -> None:
        """Run each model once, so that the first request does not wait for it."""
        import numpy as np

        self.encoder.encode(["warm"])
        if self.reranker:
            evidence = np.zeros((1, len(self.reranker.evidence_names)), dtype=np.float32)
            self.reranker.rerank("warm", ["warm"], evidence)

    def answer(
        self,
        snapshot: Snapshot,
        task: str,
        project: str | None,
        floor: Floor,
        *,
        explain: bool = False,
        whole: bool = False,
        vector: npt.NDArray[np.float32] | None = None,
    ) -> Answer:
        """Return what was considered for `task`, kept where its score reaches the floor.

        What cannot reach the floor is not reranked, and where nothing can, SQL is not asked.

        Args:
            snapshot: The catalogue.
            task: What is to be done; not blank.
            project: Only skills that it may see; None: all.
            floor: The least score that is kept, and perhaps a calibration of its own.
            explain: Also rerank what cannot reach the floor, list what was shortlisted but not
                worth reranking at all, and say which words of the task each candidate covers.
            whole: Rerank all above the recall cut, wherever the floor lies: to fit one.
            vector: What the encoder makes of `task`, where that is known.
        """
        clock = _Clock()
        encoded: npt.NDArray[np.float32] = (
            self.encoder.encode([task])[0] if vector is None else vector
        )
        clock.lap("encode")
        calibration = self.calibration(floor)
        cut = self._cut(-math.inf if whole else calibration.logit_at(floor.value - _ROUNDED))
        asked = _Asked(
            vector=encoded,
            terms=sorted(set(terms(task))),
            project=project,
            named=named_skills(task, snapshot.names),
            cut=cut,
            least=self._cut(-math.inf) if explain else cut,
        )
        sure = not (explain or whole or asked.named)
        if sure and snapshot.precut.bound(encoded, asked.terms) < asked.cut:
            found = _Shortlist(rows=(), carrying={}, words={})
        else:
            found = self._shortlist(snapshot, asked, explain=explain)
        clock.lap("shortlist")
        near = [row for row in found.rows if asked.is_near(row)]
        logits = self._logits(task, near, snapshot)
        scores = calibration.apply(logits)
        clock.lap("rerank")
        candidates = [
            replace(
                _candidate(row, snapshot, found),
                rerank_score=float(logit) if self.reranker else None,
                score=round(float(score), 4),
                named=row.name in asked.named,
            )
            for row, logit, score in zip(near, logits, scores, strict=True)
        ]
        candidates.sort(key=lambda one: (-one.score, one.name))
        judged = [_judge(one, floor, asked.cut) for one in candidates]
        if explain:
            passed = (row for row in found.rows if not asked.is_near(row))
            judged += [_passed_over(_candidate(row, snapshot, found), asked) for row in passed]
        return Answer(
            candidates=tuple(judged),
            when_to_use={row.name: snapshot.skills[row.path].when_to_use for row in found.rows},
            snapshot=snapshot,
            cut=asked.cut,
            seconds=clock.laps,
        )

    def _cut(self, logit: float) -> float:
        """Return the hybrid below which a row is not worth reranking: most tasks match nothing."""
        if self.reranker is None:
            return -math.inf
        return self.hybrid.cut(self.reranker.fingerprint, logit)

    def _shortlist(self, snapshot: Snapshot, asked: _Asked, *, explain: bool) -> _Shortlist:
        """Return the shortlist; clauses and words only of what they will be asked for."""
        model = self.encoder.fingerprint
        with snapshot.reading() as store:
            rows = store.shortlist(
                asked.vector,
                asked.terms,
                model=model,
                project=asked.project,
                named=asked.named,
                k=self.shortlist_size,
            )
            paths = [row.path for row in rows if explain or asked.is_near(row)]
            carrying = store.carrying_clauses(asked.vector, model=model, paths=paths)
            return _Shortlist(
                rows=rows,
                carrying=carrying,
                words={path: store.task_words(asked.terms, path) for path in paths if explain},
            )

    def _logits(
        self, task: str, rows: Sequence[Shortlisted], snapshot: Snapshot
    ) -> npt.NDArray[np.float64]:
        """Return the decision's logit of each row: the reranker's, else the shortlist's own."""
        import numpy as np

        if self.reranker is None or not rows:
            return np.array([row.hybrid for row in rows], dtype=np.float64)
        names = self.reranker.evidence_names
        evidence = np.array([[getattr(row, name) for name in names] for row in rows])
        return self.reranker.rerank(
            task,
            [snapshot.positive[row.path] for row in rows],
            evidence.astype(np.float32).reshape(len(rows), len(names)),
        )


def _passed_over(one: Candidate, asked: _Asked) -> Candidate:
    return replace(
        one,
        reason=f"not reranked: hybrid {one.hybrid:.4f} is below the recall cut {asked.least:.4f}",
    )


def _candidate(row: Shortlisted, snapshot: Snapshot, found: _Shortlist) -> Candidate:
    """Return a row with its clauses, before anything has judged it."""
    clauses = snapshot.clauses[row.path]
    places = found.carrying.get(row.path, (None, None))
    best, worst = (None if place is None else clauses[place] for place in places)
    carried: Field = best.field if best else "description"
    return Candidate(
        name=row.name,
        score=0.0,
        rerank_score=None,
        hybrid=row.hybrid,
        cosine=row.cosine,
        clause=row.clause,
        negative=row.negative,
        lexical=row.lexical,
        words=tuple(term for term, _ in found.words.get(row.path, ())),
        best_clause=best.text if best else "",
        negative_clause=worst.text if worst else "",
        matched_on=carried,
        named=False,
        kept=False,
        reason="",
    )


def _judge(one: Candidate, floor: Floor, cut: float) -> Candidate:
    """Return the candidate kept or dropped by the floor, and why.

    What an explanation reranked below the cut is not kept: no answer would hold it.
    """
    if one.hybrid < cut and not one.named:
        return replace(
            one, reason=f"hybrid {one.hybrid:.4f} is below the recall cut {cut:.4f} of this floor"
        )
    if one.score >= floor.value:
        return replace(one, kept=True, reason=f"score {one.score} reaches the floor {floor.value}")
    reason = f"score {one.score} is below the floor {floor.value}"
    if one.negative_clause and one.negative > max(one.cosine, one.clause):
        reason += "; the task fits what the skill sends away better than what it is for"
    return replace(one, reason=reason)


class _Clock:
    def __init__(self) -> None:
        self.laps: dict[str, float] = {}
        self._last = time.perf_counter()

    def lap(self, stage: str) -> None:
        now = time.perf_counter()
        self.laps[stage] = now - self._last
        self._last = now
