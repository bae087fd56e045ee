"""Evidence: the formulas of the docstring, counted by hand."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from memskill.train.data import SkillText
from memskill.train.evidence import K1, MEAN_LENGTH, B, Catalogue, Hybrid, Lexicon

TEXTS = {"sheep": 0, "goats": 1, "cows": 2}


def _encode(texts: Sequence[str]) -> np.ndarray:
    """One axis per animal that is named, unit length; the fourth axis for none."""
    out = np.zeros((len(texts), 4), dtype=np.float32)
    for row, text in enumerate(texts):
        for word, axis in TEXTS.items():
            out[row, axis] = word in text
        out[row, 3] = not out[row].any()
    return out / np.linalg.norm(out, axis=1, keepdims=True)


@pytest.fixture
def catalogue() -> Catalogue:
    skills = [
        SkillText(id="a", description="Count sheep. Not for goats, use count-goats."),
        SkillText(
            id="b",
            description="Count goats. Use when goats roam the hills or when cows stray at night.",
        ),
    ]
    return Catalogue(skills, _encode, Lexicon(documents=10, frequency={"count": 5}))


def test_cosine_clause_and_negative_are_the_best_of_their_kind(catalogue: Catalogue) -> None:
    evidence = catalogue.evidence(["cows", "goats"], _encode(["cows", "goats"]))
    assert evidence[0, 0, 3] == 0.0
    assert evidence[1, 0, 3] == pytest.approx(1.0)
    assert evidence[1, 1, 3] == 0.0
    assert evidence[0, 1, 0] == pytest.approx(math.sqrt(0.5))
    assert evidence[0, 1, 1] == pytest.approx(1.0)


def test_the_lexical_share_is_the_formula(catalogue: Catalogue) -> None:
    share = catalogue.lexical("count the sheep")

    def idf(df: int) -> float:
        return math.log(1 + (12 - df + 0.5) / (df + 0.5))

    def cover(tf: int, length: int) -> float:
        return min(1.0, tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / MEAN_LENGTH)))

    mass = idf(7) + idf(1)
    assert share[0] == pytest.approx((idf(7) + idf(1)) * cover(1, 2) / mass, rel=1e-5)
    assert share[1] == pytest.approx(idf(7) * cover(1, 8) / mass, rel=1e-5)


def test_a_task_without_terms_shares_nothing(catalogue: Catalogue) -> None:
    assert not catalogue.lexical("what is it?").any()


def test_a_skill_that_sends_the_task_away_loses(catalogue: Catalogue) -> None:
    evidence = catalogue.evidence(["goats"], _encode(["goats"]))
    plain, opposed = Hybrid().score(evidence), Hybrid(opposed=1.0).score(evidence)
    assert opposed[0, 0] == pytest.approx(plain[0, 0] - 1.0)
    assert opposed[0, 1] == plain[0, 1]


def test_evidence_of_a_skill_depends_on_no_other_but_for_idf(catalogue: Catalogue) -> None:
    alone = Catalogue(catalogue.skills[1:], _encode, Lexicon(documents=10, frequency={}))
    task, vector = ["goats"], _encode(["goats"])
    both = catalogue.evidence(task, vector)[:, 1]
    assert np.allclose(alone.evidence(task, vector)[:, 0], both, atol=1e-6)


def test_a_lexicon_survives_its_file(tmp_path: Path) -> None:
    lexicon = Lexicon.count(["count sheep", "count goats", "wash goats"])
    assert lexicon.frequency == {"count": 2, "goat": 2}
    lexicon.write(tmp_path / "terms.csv")
    assert Lexicon.read(tmp_path / "terms.csv") == lexicon
