"""What is told of notes search is what was measured for the fit that is shipped."""

from __future__ import annotations

import pytest
from helpers.notes_figures import RERANKED_WAY, SHIPPED_WAY, page
from helpers.notes_vault import PAGE, QUERIES

from memskill.match.notepolicy import shipped_policies
from memskill.models.registry import load_encoder
from memskill.sources.tasks import read_tasks


@pytest.fixture(scope="module")
def policy(tmp_path_factory):
    from helpers.vaults import make_settings

    encoder = load_encoder(make_settings(tmp_path_factory.mktemp("vault")))
    (found,) = [p for p in shipped_policies() if p.encoder_fingerprint == encoder.fingerprint]
    return found


def test_the_table_of_the_page_is_that_of_the_shipped_fit(policy):
    text = PAGE.read_text(encoding="utf-8")
    assert page(text, policy.report["compared"]) == text


def test_what_is_shipped_was_measured_on_enough_questions_that_were_not_fitted_on(policy):
    held = policy.report["held_out"]
    assert held["right"] >= 50
    assert held["wrong"] >= 40
    fitted = policy.report["fitted"]
    assert held["tasks"] + fitted["tasks"] >= 150


def test_words_help_beyond_the_cosine_and_the_reranker_does_not(policy):
    ways = policy.report["compared"]
    shipped, cosine = ways[SHIPPED_WAY], ways["cosine of the whole text"]
    assert shipped["recall@1"]["value"] > cosine["recall@1"]["value"]
    assert shipped["false_fire"]["value"] < cosine["false_fire"]["value"]
    assert RERANKED_WAY in ways
    for name in ("recall@1", "recall"):
        assert ways["reranker minus shipped"][name]["low"] <= 0


def test_a_group_of_questions_lies_in_one_part():
    parts = {}
    for task in read_tasks(QUERIES).tasks:
        parts.setdefault(task.group, set()).add(task.split)
    assert [group for group, splits in parts.items() if len(splits) > 1] == []
