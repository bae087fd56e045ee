"""What the matcher decides about one task, whole: every shortlisted skill, before the floor."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from memskill.records import Field

# Fingerprint of a reranker that is switched off.
NO_RERANKER = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """A shortlisted skill with all that its place rests on. Nothing here is rounded."""

    name: str
    # Calibrated probability in [0, 1]: what is compared with the floor, by `>=`.
    score: float
    # The reranker's logit; None where no reranker ran.
    rerank_score: float | None
    # Of the whole positive text, in [-1, 1].
    cosine: float
    # Of the best positive clause, in [-1, 1].
    clause: float
    # Share of the task's idf mass that the positive text covers, in [0, 1].
    lexical: float
    # Cosine of the best negative clause, in [-1, 1]; 0 where the skill has none.
    negative: float
    matched_on: Field
    # What the calibration maps to `score`, where that is not `rerank_score` itself; -inf (with a
    # score of 0) where a reranker is in force and passed this one over: it cannot be returned.
    logit: float | None = None

    @property
    def decision_logit(self) -> float:
        """The uncalibrated score: `logit`, else `rerank_score`, else the logit of `score`."""
        if self.logit is not None:
            return self.logit
        if self.rerank_score is not None:
            return self.rerank_score
        # A score of 0 or 1 has no finite logit; 36 is where float64 itself gives up.
        inside = min(max(self.score, 2.0**-52), 1.0 - 2.0**-53)
        return math.log(inside) - math.log1p(-inside)


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """All shortlisted skills of one task, best first (score, then name), before the floor."""

    candidates: tuple[Scored, ...]
    # Names that were shortlisted behind them and not worth reranking, best first.
    passed_over: tuple[str, ...] = ()
    encoder_fingerprint: str
    # NO_RERANKER when there is none.
    reranker_fingerprint: str
    # Stage (encode, shortlist, rerank, ...) -> seconds; empty where nobody measured.
    seconds: Mapping[str, float] = field(default_factory=dict[str, float])


# Called with a task's text and the project that it states.
Decider: TypeAlias = Callable[[str, str | None], Decision]
