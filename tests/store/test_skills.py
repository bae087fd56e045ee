from __future__ import annotations

import dataclasses

import pytest

from memskill.match.texts import skill_rows
from memskill.records import Skill
from memskill.store import DraftRecord, memory_store


def _rows(name="one", state="promoted", **values):
    folder = "skills" if state == "promoted" else "skills/_drafts"
    values = {"description": "Mend the roof. Not for walls."} | values
    path = f"{folder}/{name}/SKILL.md"
    rows, _ = skill_rows(Skill(path=path, name=name, state=state, **values))
    return rows


def _kept(*rows):
    store = memory_store()
    store.add_skills(rows)
    return store


def test_a_skill_comes_back_as_it_was():
    rows = _rows(
        when_to_use="When it rains.",
        projects=("p", "q"),
        content_sha="c",
        generated_from="a" * 64,
    )
    assert _kept(rows).skills("promoted") == [rows.skill]


def test_states_are_kept_apart_and_ordered_by_name():
    store = _kept(_rows("b"), _rows("a"), _rows("a", "draft"))
    assert [s.name for s in store.skills("promoted")] == ["a", "b"]
    assert [s.path for s in store.skills("draft")] == ["skills/_drafts/a/SKILL.md"]


def test_clauses_and_terms_come_with_the_skill():
    rows = _rows()
    store = _kept(rows)
    assert store.counts()["skill_clause"] == len(rows.clauses) > 1
    assert store.counts()["skill_term"] == len(rows.terms) > 1
    assert store.failed_checks() == {}


def test_removing_a_skill_leaves_nothing_of_it():
    store = _kept(_rows("one"), _rows("two"))
    store.remove_skills(["skills/one/SKILL.md", "skills/unknown/SKILL.md"])
    assert store.skill_records() == {"skills/two/SKILL.md": _rows("two").record_sha}
    assert store.failed_checks() == {}


def test_a_changed_skill_is_removed_and_added_in_one_transaction():
    store = _kept(_rows())
    changed = _rows(description="Mend the fence.")
    with store.transaction():
        store.remove_skills([changed.skill.path])
        store.add_skills([changed])
    assert store.skills("promoted") == [changed.skill]
    assert store.failed_checks() == {}


@pytest.mark.parametrize(
    "change",
    [
        {"description": "Mend the door."},
        {"when_to_use": "When it storms."},
        {"projects": ("p",)},
        {"content_sha": "other"},
        {"generated_from": "b" * 64},
    ],
)
def test_the_record_sha_covers_all_that_is_kept(change):
    assert _rows().record_sha != _rows(**change).record_sha


def test_no_skills_are_no_rows():
    store = _kept()
    store.remove_skills([])
    assert store.skills("promoted") == []


def test_a_draft_record_is_replaced_by_the_next():
    store = memory_store()
    record = DraftRecord(
        path="skills/_drafts/x/SKILL.md",
        content_sha="c",
        node_sha="n",
        model="extractive",
        prompt_version="1",
    )
    assert store.draft_record(record.path) is None
    store.record_draft(record)
    store.record_draft(again := dataclasses.replace(record, content_sha="d"))
    assert store.draft_record(record.path) == again


def test_a_reply_is_kept_by_prompt_and_model():
    store = memory_store()
    store.save_reply("prompt", "one", "first", "{}")
    store.save_reply("prompt", "one", "second", '{"tokens": 3}')
    assert store.reply("prompt", "one") == ("second", '{"tokens": 3}')
    assert store.reply("prompt", "two") is None
