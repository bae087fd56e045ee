"""Task sets in the database: the shortlist of each, in SQL."""

from __future__ import annotations

import pytest

from memskill.models.fakes import HashEncoder
from memskill.pipeline import tasks as module
from memskill.pipeline.ingest import ingest
from memskill.pipeline.tasks import load_tasks
from memskill.records import Task
from memskill.store import open_store

TASKS = [
    Task(text="roll back the bad release", expected=("rollback-release",)),
    Task(text="repairs terraform state", expected=(), project="payments"),
]


@pytest.fixture
def loaded(team, monkeypatch):
    monkeypatch.setattr(module, "load_encoder", lambda settings: HashEncoder())
    ingest(team, encoder=HashEncoder())
    load_tasks(team, "mine", "0" * 64, TASKS)
    return team


def rows(settings, query):
    with open_store(settings) as store:
        return store._con.execute(query).fetchall()


def test_a_loaded_set_has_its_shortlist_in_sql(loaded):
    firsts = rows(loaded, "select task, name from derived.shortlist where place = 1 order by all")
    assert firsts[1] == ("roll back the bad release", "rollback-release")
    seen = rows(loaded, "select count(*) from derived.shortlist group by ordinal order by ordinal")
    assert seen == [(8,), (7,)]


def test_loading_again_takes_the_place_of_what_was_there(loaded):
    load_tasks(loaded, "mine", "1" * 64, TASKS[:1])
    assert rows(loaded, "select count(distinct ordinal) from task_term") == [(1,)]
    assert rows(
        loaded, "select task_set, sum(topped)::int from derived.skill_greed group by 1"
    ) == [("mine", 1)]
