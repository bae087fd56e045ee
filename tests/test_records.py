from __future__ import annotations

import dataclasses

import pytest

from memskill.records import Clause, Floor, Node, Skill


def test_an_address_is_project_and_query_id():
    node = Node(sha="s", level="L1", project="p", query_id="q", query="", body="")
    assert node.address == "p/q"


def test_records_cannot_be_changed():
    clause = Clause(field="description", polarity="positive", ordinal=0, text="x")
    with pytest.raises(dataclasses.FrozenInstanceError):
        clause.text = "y"


def test_records_of_equal_content_are_equal_and_hashable():
    def skill():
        return Skill(path="skills/a/SKILL.md", name="a", description="d")

    assert skill() == skill()
    assert len({skill(), skill()}) == 1


def test_positional_arguments_are_refused():
    with pytest.raises(TypeError):
        Skill("skills/a/SKILL.md", "a", "d")


def test_defaults_are_not_shared():
    def floor():
        return Floor(value=0.5, encoder_fingerprint="e", reranker_fingerprint="r", origin="shipped")

    floor().calibration["kind"] = "platt"
    assert floor().calibration == {}
