"""The shortlist's shipped policy and background lexicon, as the training left them."""

from __future__ import annotations

import csv
import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from memskill.errors import ModelError
from memskill.models.calibration import Calibration
from memskill.models.registry import WEIGHTS
from memskill.store import ShortlistPolicy

WEIGHTS_OF = ("cosine", "clause", "lexical", "negative", "opposed")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """How high a reranker lifts: its logit never exceeded `slope * hybrid + bias + lift`.

    Measured over pairs of tasks and skills, with room above the highest; of one reranker only.
    """

    reranker: str
    slope: float
    bias: float
    lift: float

    def least_hybrid(self, logit: float) -> float:
        """Return the hybrid below which no pair reaches `logit`."""
        return (logit - self.bias - self.lift) / self.slope


@dataclass(frozen=True, slots=True, kw_only=True)
class Hybrid:
    """The shortlist as a decision of its own, and where reranking is not worth its time."""

    policy: ShortlistPolicy
    # hybrid (a logit) -> probability, where no reranker runs.
    calibration: Calibration
    # Below this hybrid nothing is reranked: no right skill of the training's valid part lay there.
    recall_cut: float
    # None: not measured, so that only the recall cut counts.
    reach: Reach | None = None

    def cut(self, reranker: str, logit: float) -> float:
        """Return the hybrid below which nothing is worth reranking.

        Args:
            reranker: Its fingerprint.
            logit: The floor's, of that reranker; -inf for none.
        """
        if self.reach is None or self.reach.reranker != reranker:
            return self.recall_cut
        return max(self.recall_cut, self.reach.least_hybrid(logit))


@functools.cache
def shipped_hybrid(folder: Path = WEIGHTS) -> Hybrid:
    """Return the policy of `folder`: hybrid.json and lexicon/lexicon.csv (term,df).

    Raises:
        ModelError: A file is missing or damaged.
    """
    try:
        said = (folder / "hybrid.json").read_bytes()
        words = (folder / "lexicon" / "lexicon.csv").read_bytes()
        config = json.loads(said)
        counts = {
            row["term"]: int(row["df"]) for row in csv.DictReader(words.decode().splitlines())
        }
        return Hybrid(
            policy=ShortlistPolicy(
                weights={name: float(config["weights"][name]) for name in WEIGHTS_OF},
                k1=float(config["lexical"]["k1"]),
                b=float(config["lexical"]["b"]),
                mean_length=float(config["lexical"]["mean_length"]),
                # The empty term carries the number of texts that were counted.
                background_documents=counts.pop(""),
                background=counts,
                fingerprint=hashlib.sha256(said + words).hexdigest(),
            ),
            calibration=Calibration.from_mapping(config["calibration"]),
            recall_cut=float(config["recall_cut"]),
            reach=_reach(config.get("reach")),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"{folder}: no usable shortlist policy: {error!r}", hint="Reinstall memskill."
        ) from error


def _reach(said: Mapping[str, object] | None) -> Reach | None:
    if said is None:
        return None
    numbers = {name: float(str(said[name])) for name in ("slope", "bias", "lift")}
    if numbers["slope"] <= 0:
        raise ValueError("reach: slope must be above 0")
    return Reach(reranker=str(said["reranker"]), **numbers)
