"""After `mem eval` and `mem floor tune` the views of SQL know the tasks."""

from __future__ import annotations

import dataclasses

import pytest
from helpers.tree import ROOT

from memskill.errors import StoreBusy
from memskill.models.registry import load_encoder
from memskill.pipeline import tasks as module
from memskill.pipeline.evaluate import evaluate_tasks
from memskill.pipeline.floor import tune_floor
from memskill.pipeline.ingest import ingest
from memskill.store import open_store

TASKS = ROOT / "data" / "tasks" / "fixture.jsonl"


@pytest.fixture
def ingested(team):
    settings = dataclasses.replace(team, reranker="none")
    ingest(settings, encoder=load_encoder(settings))
    return settings


def seen(settings):
    with open_store(settings) as store:
        return [
            store._con.execute(query).fetchone()[0]
            for query in (
                "select count(distinct ordinal) from derived.shortlist"
                " where task_set = 'fixture.jsonl'",
                "select sum(topped)::int from derived.skill_greed where task_set = 'fixture.jsonl'",
            )
        ]


def test_analysts_see_filled_views_after_an_evaluation(ingested):
    assert seen(ingested) == [0, None]
    found = evaluate_tasks(ingested, [TASKS], floor=0.5)
    assert seen(ingested) == [60, 60]
    assert found.remarks == ()


def test_analysts_see_filled_views_after_a_floor_was_tuned(ingested):
    assert tune_floor(ingested, [TASKS], "false_fire<=0.1").written
    assert seen(ingested) == [60, 60]


def test_a_dry_run_leaves_the_views_as_they_were(ingested):
    tune_floor(ingested, [TASKS], "false_fire<=0.1", dry_run=True)
    assert seen(ingested) == [0, None]


def test_a_vault_without_a_database_gets_none(team):
    settings = dataclasses.replace(team, reranker="none")
    evaluate_tasks(settings, [TASKS], floor=0.5)
    assert not settings.database.exists()


def test_a_busy_database_costs_the_views_and_not_the_evaluation(ingested, monkeypatch):
    def busy(*_):
        raise StoreBusy("held by process 1")

    monkeypatch.setattr(module, "load_tasks", busy)
    found = evaluate_tasks(ingested, [TASKS], floor=0.5)
    assert found.report.measures["recall@1"].count == 32
    assert "held by process 1" in found.remarks[0]
