"""The match explorer: each candidate's way through the evidence, as bars with numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from memskill.pipeline.matching import MatchResult
from memskill.records import Candidate, Floor
from memskill.web.pages.html import number

Tone = Literal["for", "against", "sum"]
# Logits beyond this fill the bar: the probability is then below 0.0004 or above 0.9996.
_LOGIT_SPAN = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """One piece of evidence."""

    label: str
    # The number as text.
    value: str
    # Where the bar starts and how long it is, in percent of the scale.
    start: float
    width: float
    # The scale, such as "0 to 1".
    scale: str
    # The clause or the words behind it.
    said: str
    tone: Tone


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A candidate and its bars, in the order in which matching looks at them."""

    candidate: Candidate
    bars: Sequence[Bar]
    # Whether the floor could return it at all: what was not reranked never is.
    judged: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchView:
    """An answer, and what another floor would change."""

    ways: Sequence[Way]
    floor: Floor
    # The floor that is tried; that in force where none is.
    trial: float
    limit: int
    # Names that each of the two returns, best first.
    returned: Sequence[str]
    trial_returned: Sequence[str]
    # Stage -> milliseconds as text.
    stages: dict[str, str]


def match_view(result: MatchResult, trial: float | None, limit: int) -> MatchView:
    """Return the view of an explained result; `trial` is a floor to try, None for none."""
    candidates = result.answer.candidates
    ways = [_way(one) for one in candidates]
    tried = result.floor.value if trial is None else trial
    reach = [way.candidate.name for way in ways if way.judged and way.candidate.score >= tried]
    return MatchView(
        ways=ways,
        floor=result.floor,
        trial=tried,
        limit=limit,
        returned=[match.name for match in result.matches],
        trial_returned=reach[:limit],
        stages={stage: f"{s * 1e3:.1f}" for stage, s in result.answer.seconds.items()},
    )


def _way(one: Candidate) -> Way:
    reranked = one.rerank_score is not None
    judged = reranked or not one.reason.startswith("not reranked")
    where = one.matched_on.replace("_", " ")
    bars = [
        _share("Whole text, cosine", one.cosine, "", "for"),
        _share(f"Best clause, cosine (in {where})", one.clause, one.best_clause, "for"),
        _share("Words of the task covered", one.lexical, ", ".join(one.words), "for"),
        _share("Negative clause, cosine", one.negative, one.negative_clause, "against"),
        _logit("Shortlist, weighed sum", one.hybrid),
    ]
    if one.rerank_score is not None:
        bars.append(_logit("Reranker", one.rerank_score))
    return Way(candidate=one, bars=bars, judged=judged)


def _share(label: str, value: float, said: str, tone: Tone) -> Bar:
    """Return a bar from 0 to 1; a cosine below 0 is an empty one."""
    return Bar(
        label=label,
        value=number(value),
        start=0,
        width=round(100 * min(max(value, 0), 1), 2),
        scale="0 to 1",
        said=said,
        tone=tone,
    )


def _logit(label: str, value: float) -> Bar:
    """Return a bar from the middle: to the right for, to the left against."""
    end = 50 + 50 * min(max(value / _LOGIT_SPAN, -1), 1)
    return Bar(
        label=label,
        value=number(value, 2),
        start=round(min(end, 50), 2),
        width=round(abs(end - 50), 2),
        scale=f"logit, \u2212{_LOGIT_SPAN:.0f} to {_LOGIT_SPAN:.0f}",
        said="",
        tone="sum",
    )
