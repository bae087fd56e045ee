"""The pre-cut says that nothing comes near only where SQL says so too, on random catalogues."""

from __future__ import annotations

import dataclasses
import random

import numpy as np
import pytest

from memskill.match.policy import shipped_hybrid
from memskill.match.snapshot import build_snapshot
from memskill.match.texts import skill_rows
from memskill.models.fakes import HashEncoder
from memskill.records import Skill
from memskill.sources.terms import terms

ENCODER = HashEncoder()
WORDS = ["mow", "cut", "hedge", "lawn", "grass", "paint", "fence", "roof", "7", "é", "high", "log"]


def random_skill(draw: random.Random, number: int) -> Skill:
    """Return a skill of a few clauses, some of them negative, some without any word."""

    def clause() -> str:
        start = draw.choice(["Not for ", "Use when ", "", "Never for "])
        return start + " ".join(draw.choices(WORDS, k=draw.randint(1, 5))) + "."

    return Skill(
        path=f"skills/s{number}/SKILL.md",
        name=f"s{number}",
        description=draw.choice(["!!!", " ".join(clause() for _ in range(draw.randint(1, 4)))]),
        when_to_use=draw.choice(["", clause()]),
        projects=draw.choice([(), ("garden",)]),
    )


def random_snapshot(draw: random.Random, count: int):
    rows = [skill_rows(random_skill(draw, number)) for number in range(count)]
    texts = {sha: text for _, some in rows for sha, text in some.items()}
    vectors = dict(zip(texts, ENCODER.encode(list(texts.values())), strict=True)) if texts else {}
    names = ("cosine", "clause", "lexical", "negative", "opposed")
    policy = dataclasses.replace(
        shipped_hybrid().policy, weights={name: draw.uniform(0, 2) for name in names}
    )
    return build_snapshot(rows, vectors, model=ENCODER.fingerprint, policy=policy, generation=1)


def best(snapshot, vector, asked, project=None) -> float:
    with snapshot.reading() as store:
        rows = store.shortlist(
            vector, asked, model=ENCODER.fingerprint, project=project, named=[], k=1
        )
    return rows[0].hybrid if rows else -np.inf


@pytest.mark.parametrize("seed", range(12))
def test_the_bound_is_the_best_hybrid_of_sql_and_a_margin_above(seed):
    draw = random.Random(seed)
    snapshot = random_snapshot(draw, draw.choice([1, 2, 7, 40]))
    for _ in range(10):
        task = " ".join(draw.choices([*WORDS, "unknownword"], k=draw.randint(0, 6)))
        vector, asked = ENCODER.encode([task])[0], sorted(set(terms(task)))
        bound = snapshot.precut.bound(vector, asked)
        assert 0 < bound - best(snapshot, vector, asked) <= 2 * snapshot.precut.margin
        assert bound > best(snapshot, vector, asked, project="house")


def test_a_catalogue_without_skills_bounds_nothing():
    snapshot = random_snapshot(random.Random(1), 0)
    assert snapshot.precut.bound(ENCODER.encode(["mow"])[0], ["mow"]) == -np.inf


def test_the_margin_covers_float32_sums_in_any_order():
    """Two orders of one sum, at the worst case that unit vectors allow, lie within the margin."""
    draw = np.random.default_rng(3)
    snapshot = random_snapshot(random.Random(1), 3)
    off = 0.0
    for _ in range(200):
        one, other = draw.standard_normal((2, 384)).astype(np.float32)
        one, other = one / np.linalg.norm(one), other / np.linalg.norm(other)
        ways = (np.sort(one * other).cumsum(dtype=np.float32)[-1], np.float32(one @ other))
        off = max(off, abs(float(ways[0]) - float(ways[1])))
    weights = snapshot.precut.weights
    factors = weights["cosine"] + weights["clause"] + weights["negative"] + 2 * weights["opposed"]
    assert 0 < off * factors < snapshot.precut.margin
