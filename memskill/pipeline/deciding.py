"""The matcher as evaluation and floor see it: every shortlisted skill of a task."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from memskill.config import Settings
from memskill.errors import ConfigError, FloorMissing
from memskill.match.decision import NO_RERANKER, Decider, Decision, Scored
from memskill.models.protocols import Encoder
from memskill.models.registry import load_encoder, load_reranker
from memskill.pipeline.matching import Matching
from memskill.records import Candidate, Floor


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding:
    """A matcher over the vault's catalogue as it lies now, and the names in it."""

    decide: Decider
    names: frozenset[str]
    # Makes the tasks' vectors, where they are to be kept; None: the one that the settings name.
    encoder: Encoder | None = None


# What opens a matcher; tests pass one of their own.
Opener: TypeAlias = Callable[[Settings], Deciding]


def open_deciding(settings: Settings) -> Deciding:
    """Return the matcher that the settings name. It needs no floor: one may be fitted with it.

    Raises:
        ModelError, ExtraMissing, ConfigError: A model cannot load.
    """
    matching = Matching(settings)
    matcher = matching.matcher
    snapshot = matching.catalogue.current()
    models = (matcher.encoder.fingerprint, matcher.reranker_fingerprint)
    try:
        floor = matching.floor()
    except (FloorMissing, ConfigError):
        # None, or a damaged floor.toml: the models' own calibration then makes the scores, and
        # `mem floor tune` can mend it.
        floor = Floor(
            value=0.0,
            encoder_fingerprint=models[0],
            reranker_fingerprint=models[1],
            origin="none",
        )

    def decide(text: str, project: str | None) -> Decision:
        answer = matcher.answer(snapshot, text, project, floor, whole=True)
        reranked = {one.name for one in answer.candidates}
        return Decision(
            candidates=tuple(_scored(one, matcher.reranker is None) for one in answer.candidates),
            # The answer knows every shortlisted name, in the shortlist's order.
            passed_over=tuple(name for name in answer.when_to_use if name not in reranked),
            encoder_fingerprint=models[0],
            reranker_fingerprint=models[1],
            seconds=answer.seconds,
        )

    return Deciding(decide=decide, names=snapshot.names, encoder=matcher.encoder)


def models_in_use(settings: Settings) -> tuple[str, str]:
    """Return the fingerprints of encoder and reranker that the settings name.

    Raises:
        ModelError, ExtraMissing, ConfigError: A model cannot load.
    """
    reranker = load_reranker(settings)
    return load_encoder(settings).fingerprint, reranker.fingerprint if reranker else NO_RERANKER


def _scored(one: Candidate, shortlist_decides: bool) -> Scored:
    logit = one.hybrid if shortlist_decides else one.rerank_score
    return Scored(
        name=one.name,
        score=one.score,
        rerank_score=one.rerank_score,
        cosine=one.cosine,
        clause=one.clause,
        lexical=one.lexical,
        negative=one.negative,
        matched_on=one.matched_on,
        logit=-math.inf if logit is None else logit,
    )
