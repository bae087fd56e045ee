"""An answer with everything it rests on, as plain values for JSON."""

from __future__ import annotations

import dataclasses
import math

from memskill.pipeline.matching import Matching, MatchResult

_PLACES = 4


def explain(
    matching: Matching, result: MatchResult, task: str, project: str | None
) -> dict[str, object]:
    """Return the matches, the floor, the fingerprints, every candidate and the stage timings.

    Timings are the one part that differs between two equal questions. Numbers are rounded once,
    here, to 4 places; `ms` to 2.
    """
    floor, cut = result.floor, result.answer.cut
    return {
        "task": task,
        "project": project,
        "matches": [dataclasses.asdict(match) for match in result.matches],
        "floor": {
            "value": floor.value,
            "origin": floor.origin,
            "data_fingerprint": floor.data_fingerprint,
        },
        "models": {
            "encoder": matching.matcher.encoder.fingerprint,
            "reranker": matching.matcher.reranker_fingerprint,
            "policy": matching.matcher.hybrid.policy.fingerprint,
            "recall_cut": round(cut, _PLACES) if math.isfinite(cut) else None,
        },
        "snapshot": {
            "fingerprint": result.answer.snapshot.fingerprint,
            "skills": len(result.answer.snapshot.skills),
        },
        "candidates": [
            {
                name: round(value, _PLACES) if isinstance(value, float) else value
                for name, value in dataclasses.asdict(candidate).items()
            }
            for candidate in result.answer.candidates
        ],
        "ms": {stage: round(s * 1e3, 2) for stage, s in result.answer.seconds.items()},
    }
