"""The view `shortlist` and the macro `shortlist_skills` are one definition in two shapes."""

from __future__ import annotations

import json
from collections import defaultdict

import pytest
from helpers.tree import ROOT

from memskill.match.policy import shipped_hybrid
from memskill.match.texts import skill_rows
from memskill.models.fakes import HashEncoder
from memskill.records import Task
from memskill.sources.identity import text_sha
from memskill.sources.skills import scan_skills
from memskill.sources.terms import terms
from memskill.store import memory_store

ENCODERS = (HashEncoder(), HashEncoder(seed=1))
TASKS = [
    Task(text=row["task"], expected=tuple(row["expected"]), project=row["project"])
    for row in map(json.loads, (ROOT / "data" / "tasks" / "fixture.jsonl").read_text().splitlines())
] + [Task(text="!!!", expected=()), Task(text="roll back", expected=(), project="nobody")]


@pytest.fixture(scope="module")
def store():
    """The fixture's skills and tasks, with the vectors of two encoders side by side."""
    found = memory_store()
    scan = scan_skills(ROOT / "data" / "vault", max_bytes=1_000_000)
    rows = [skill_rows(skill.skill) for skill in scan.skills]
    texts = {sha: text for _, some in rows for sha, text in some.items()}
    texts |= {text_sha(task.text): task.text for task in TASKS}
    with found.transaction():
        found.load_policy(shipped_hybrid().policy)
        found.add_skills([one for one, _ in rows])
        for encoder in ENCODERS:
            vectors = encoder.encode(list(texts.values()))
            found.add_vectors(dict(zip(texts, vectors, strict=True)), encoder.fingerprint)
        found.save_task_set("fixture", "0" * 64, TASKS)
        found.save_task_terms("fixture", [terms(task.text) for task in TASKS])
    return found


def by_macro(store, task, encoder, k=20):
    rows = store.shortlist(
        encoder.encode([task.text])[0],
        sorted(set(terms(task.text))),
        model=encoder.fingerprint,
        project=task.project,
        named=[],
        k=k,
    )
    return [(r.name, r.cosine, r.clause, r.lexical, r.negative, r.hybrid) for r in rows]


@pytest.fixture(scope="module")
def by_view(store):
    """(ordinal, model) -> the rows of the view, in the order of their places."""
    found = defaultdict(list)
    for ordinal, model, place, *row in store._con.execute(
        "select ordinal, model_fingerprint, place, name, cosine, clause, lexical, negative, hybrid"
        " from derived.shortlist where task_set = 'fixture' order by ordinal, place"
    ).fetchall():
        found[ordinal, model].append(tuple(row))
        assert len(found[ordinal, model]) == place
    return found


@pytest.mark.parametrize("encoder", ENCODERS, ids=["one model", "another"])
def test_view_and_macro_say_the_same(store, by_view, encoder):
    for ordinal, task in enumerate(TASKS):
        rows = by_view[ordinal, encoder.fingerprint]
        assert rows == by_macro(store, task, encoder)
        assert len(rows) >= 6


def test_the_first_k_places_are_the_first_k_of_all(store, by_view):
    for ordinal, task in enumerate(TASKS[:10]):
        rows = by_view[ordinal, ENCODERS[0].fingerprint]
        assert rows[:3] == by_macro(store, task, ENCODERS[0], k=3)


def test_frozen_tables_say_what_the_views_say(store):
    some = TASKS[::6]
    before = [by_macro(store, task, encoder) for task in some for encoder in ENCODERS]
    store._con.begin()
    store.freeze()
    after = [by_macro(store, task, encoder) for task in some for encoder in ENCODERS]
    store._con.rollback()
    assert after == before


def test_drafts_are_in_neither(store):
    drafts = {skill.name for skill in store.skills("draft")}
    assert len(drafts) == 2
    names = store._con.execute("select distinct name from derived.shortlist").fetchall()
    assert not drafts & {name for (name,) in names}


def test_near_duplicates_are_ordered_pairs_of_two_skills(store):
    rows = store._con.execute(
        "select name, neighbour, cosine, model_fingerprint from derived.skill_neighbour"
    ).fetchall()
    pairs = {(name, other, model): cosine for name, other, cosine, model in rows}
    assert all(name != other and cosine >= 0.8 for (name, other, _), cosine in pairs.items())
    assert all(
        pairs[other, name, model] == cosine for (name, other, model), cosine in pairs.items()
    )


def test_a_copy_is_a_neighbour_of_its_original(store):
    store._con.begin()
    store._con.execute(
        "insert into skill select 'skills/copy/SKILL.md', 'copy', projects, description,"
        " when_to_use, content_sha, state, generated_from, text_sha, record_sha"
        " from skill where name = 'rollback-release'"
    )
    rows = store._con.execute(
        "select name, neighbour, round(cosine, 4) from derived.skill_neighbour"
        " where model_fingerprint = ? order by all",
        [ENCODERS[0].fingerprint],
    ).fetchall()
    store._con.rollback()
    assert rows == [("copy", "rollback-release", 1.0), ("rollback-release", "copy", 1.0)]


def test_greed_counts_the_tasks_that_a_skill_tops_without_being_meant(store):
    rows = store._con.execute(
        "select name, topped, own, others from derived.skill_greed"
        " where task_set = 'fixture' and model_fingerprint = ? order by name",
        [ENCODERS[0].fingerprint],
    ).fetchall()
    expected = {name: [0, 0] for (name, *_) in rows}
    for task in TASKS:
        (first,) = by_macro(store, task, ENCODERS[0], 1)
        expected[first[0]][first[0] not in task.expected] += 1
    assert len(rows) == 8
    assert {n: [own, others] for n, _, own, others in rows} == expected
    assert all(topped == own + others for _, topped, own, others in rows)
    assert sum(topped for _, topped, _, _ in rows) == len(TASKS)
