"""How good notes search is: ways to rank, each fitted on train and valid and told on final.

`notes_vault.py` keeps what `compare` returns in the shipped fit's report, and the table that
`page` makes of it in `mem help query`.
"""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from memskill.config import Settings
    from memskill.match.cases import Case
    from memskill.match.measures import Estimate
    from memskill.match.notefit import Evidence
    from memskill.pipeline.notefloor import Gathering

TARGET = "false_fire<=0.1"
LIMIT = 5
# Of each question in the comparison: a reranker is slow.
CANDIDATES = 8
COSINES = ("whole", "title", "passage")
SHIPPED_WAY = "all, as shipped"
RERANKED_WAY = "all and the skills' reranker"
_TOLD = ("recall@1", "recall@3", "recall", "precision", "false_fire", "auroc")
_HEADS = ("one in first place", "in first 3", "kept", "precision", "false fires", "AUROC")
_SECTION = "## How good it is"


def compare(settings: Settings, queries: Path) -> dict[str, dict[str, Estimate]]:
    """Return way -> measure -> estimate on the final part, and two rows of pasted errors.

    `recall` is the share of answered questions that get a right note or lesson above the floor,
    `false_fire` that of the others that get anything; the floor is each way's own, fitted for
    the same target.
    """
    from memskill.match.notepolicy import FEATURES
    from memskill.pipeline.notefloor import Gathering

    gathering = Gathering(settings)
    tasks = gathering.read([queries], ("train", "valid", "final")).tasks
    examples = gathering.evidence(tasks)
    # The same candidates for all.
    plain = [_head(one) for one in examples]
    reranked = [_reranked(settings, gathering, one) for one in examples]
    ways: dict[str, tuple[list[Evidence], tuple[str, ...]]] = {
        "cosine of the whole text": (plain, ("whole",)),
        "words alone": (plain, ("lexical",)),
        "three cosines": (plain, COSINES),
        "cosines and words": (plain, (*COSINES, "lexical")),
        SHIPPED_WAY: (plain, FEATURES),
        RERANKED_WAY: (reranked, (*FEATURES, "rerank")),
        "the skills' reranker alone": (reranked, ("rerank",)),
    }
    found = {name: _final(gathering, *way) for name, way in ways.items()}
    # What a label's `note` says is no part of a task.
    lines = queries.read_text(encoding="utf-8").splitlines()
    pasted = {row["task"] for row in map(json.loads, lines) if row["note"] == "pasted"}
    for name, (examples, features) in (
        ("pasted errors: all", ways[SHIPPED_WAY]),
        ("pasted errors: cosines and words", ways["cosines and words"]),
    ):
        found[name] = _pasted(gathering, pasted, examples, features)
    found["reranker minus shipped"] = _difference(gathering, ways[RERANKED_WAY], ways[SHIPPED_WAY])
    return found


def _head(one: Evidence) -> Evidence:
    return dataclasses.replace(
        one, names=one.names[:CANDIDATES], features=one.features[:CANDIDATES]
    )


def _reranked(settings: Settings, gathering: Gathering, one: Evidence) -> Evidence:
    """Return a question's evidence with the logit of the skills' reranker as a column."""
    from memskill.models.registry import load_reranker

    reranker = load_reranker(settings)
    candidates = gathering.candidates(one.task)[0][:CANDIDATES]
    texts = [f"{c.hit.title}\n{c.hit.excerpt}" for c in candidates]
    known = {"cosine": "whole", "clause": "cosine", "lexical": "lexical"}
    rows = [
        [getattr(c, known[n]) if n in known else 0.0 for n in reranker.evidence_names]
        for c in candidates
    ]
    evidence = np.array(rows, dtype=np.float32).reshape(len(texts), len(reranker.evidence_names))
    logits = reranker.rerank(one.task.text, texts, evidence)
    head = _head(one)
    return dataclasses.replace(
        head,
        features=np.column_stack([head.features, logits]),
        columns=(*one.columns, "rerank"),
    )


def _judged(
    gathering: Gathering,
    fitted: Sequence[Evidence],
    told: Sequence[Evidence],
    features: tuple[str, ...],
) -> tuple[list[Case], float]:
    """Return cases scored by a fit on other questions, and its floor."""
    from memskill.match.cases import recalibrated
    from memskill.match.floortune import fit
    from memskill.match.notefit import as_case, fit_weights
    from memskill.match.target import parse_target

    weights = fit_weights(fitted, features)
    known, cases = (
        [as_case(e, weights, gathering.policy.encoder_fingerprint) for e in part]
        for part in (fitted, told)
    )
    calibration, floor = fit(known, parse_target(TARGET), LIMIT)
    return list(recalibrated(cases, calibration)), floor


def _final(
    gathering: Gathering, examples: Sequence[Evidence], features: tuple[str, ...]
) -> dict[str, Estimate]:
    from memskill.match.measures import estimate
    from memskill.match.statistics import statistics

    fitted = [one for one in examples if one.task.split != "final"]
    told = [one for one in examples if one.task.split == "final"]
    cases, floor = _judged(gathering, fitted, told, features)
    found = statistics(cases, floor=floor, limit=LIMIT)
    draws = _draws(cases)
    return {name: estimate(found[name][0], draws, found[name][1]) for name in _TOLD}


def _difference(
    gathering: Gathering,
    one: tuple[Sequence[Evidence], tuple[str, ...]],
    other: tuple[Sequence[Evidence], tuple[str, ...]],
) -> dict[str, Estimate]:
    """Return by how much one way's measures on the final part exceed the other's, paired."""
    from memskill.match.measures import estimate
    from memskill.match.statistics import statistics

    found = []
    for examples, features in (one, other):
        fitted = [e for e in examples if e.task.split != "final"]
        told = [e for e in examples if e.task.split == "final"]
        cases, floor = _judged(gathering, fitted, told, features)
        found.append(statistics(cases, floor=floor, limit=LIMIT))
    draws = _draws(cases)
    return {
        name: estimate(
            lambda w, name=name: found[0][name][0](w) - found[1][name][0](w),
            draws,
            found[0][name][1],
            exact=False,
        )
        for name in _TOLD
    }


def _pasted(
    gathering: Gathering,
    pasted: Collection[str],
    examples: Sequence[Evidence],
    features: tuple[str, ...],
) -> dict[str, Estimate]:
    """Return how pasted errors find their lesson, each judged by a fit on the other splits."""
    from memskill.match.cases import facts_of
    from memskill.match.measures import estimate, weighted_mean

    cases: list[Case] = []
    floors: list[float] = []
    for split in ("train", "valid", "final"):
        fitted = [one for one in examples if one.task.split != split]
        told = [
            one
            for one in examples
            if one.task.split == split
            and one.task.text in pasted
            # A note's address has a slash, a lesson's id none.
            and not any("/" in name for name in one.task.expected)
        ]
        judged, floor = _judged(gathering, fitted, told, features)
        cases += judged
        floors += [floor] * len(judged)
    facts = [facts_of(case, lambda one: one.score, LIMIT) for case in cases]
    right = [place for place, one in enumerate(facts) if one.right_task]
    wrong = [place for place, one in enumerate(facts) if one.fire_task]
    shares: dict[str, tuple[list[int], Callable[[int], bool]]] = {
        "recall@1": (right, lambda i: facts[i].rank == 0),
        "recall@3": (right, lambda i: facts[i].rank is not None and facts[i].rank < 3),
        "recall": (right, lambda i: facts[i].right >= floors[i]),
        "false_fire": (wrong, lambda i: facts[i].wrong >= floors[i]),
    }
    draws = _draws(cases)
    found: dict[str, Estimate] = {}
    for name, (places, holds) in shares.items():
        values = np.array([float(holds(place)) for place in places])
        found[name] = estimate(
            lambda w, values=values, places=places: weighted_mean(values, w[places]),
            draws,
            len(places),
        )
    return found


def _draws(cases: Sequence[Case]) -> np.ndarray:
    from memskill.match.grouping import components
    from memskill.match.measures import group_draws

    return group_draws(components([case.task for case in cases]), seed=0)


def rounded(ways: Mapping[str, Mapping[str, Estimate]]) -> dict[str, dict[str, dict]]:
    """Return estimates as the report keeps them."""
    return {
        way: {
            name: {k: None if v is None else round(v, 3) for k, v in dataclasses.asdict(e).items()}
            for name, e in measures.items()
        }
        for way, measures in ways.items()
    }


def page(text: str, compared: Mapping[str, Mapping[str, Mapping]]) -> str:
    """Return a help page with its table of figures made anew from a report."""
    rows = ["| Way | " + " | ".join(_HEADS) + " |", "|---" * (len(_HEADS) + 1) + "|"]
    for way, measures in compared.items():
        cells = [_cell(measures.get(name)) for name in _TOLD]
        rows.append(f"| {way} | " + " | ".join(cells) + " |")
    table = "\n".join(rows)
    first = text.index("| Way |", text.index(_SECTION))
    last = re.search(r"\n(?!\|)", text[first:])
    return text[:first] + table + text[first + last.start() :]


def _cell(one: Mapping | None) -> str:
    if one is None:
        return "-"
    # Adding 0.0 takes the sign of a zero away.
    shown = (f"{round(one[key], 2) + 0.0:.2f}" for key in ("value", "low", "high"))
    value, low, high = (number.replace("0.", ".", 1) for number in shown)
    return f"{value} ({low} to {high})"
