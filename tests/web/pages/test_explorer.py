"""The match explorer shows what the service would answer, and why."""

from __future__ import annotations

import re

import pytest
from helpers.pages import Page
from helpers.serving import ask, explained, fake_client

TASK = "the pod keeps restarting and never becomes ready"


@pytest.fixture
def client(shared_client):
    return shared_client


def _rows(client, **query):
    text = client.get("/match", query_string={"task": TASK, **query}).text
    return [row for row in Page(text).all("li") if "data-score" in row]


def test_every_candidate_is_shown_with_the_score_of_the_service(client):
    told = explained(client, TASK)["candidates"]
    rows = _rows(client)
    assert [row["data-name"] for row in rows] == [one["name"] for one in told]
    assert [float(row["data-score"]) for row in rows] == [one["score"] for one in told]


def test_the_answer_is_what_the_service_returns(client):
    returned = [match["name"] for match in ask(client, TASK)]
    kept = [row["data-name"] for row in _rows(client) if row.get("class") != "dropped"]
    assert kept == returned != []


@pytest.mark.parametrize("floor", ["0", "0.5", "1", "0.12345678", ".5"])
def test_another_floor_changes_what_is_dropped_and_nothing_in_force(client, floor):
    rows = _rows(client, floor=floor)
    kept = [row for row in rows if row.get("class") != "dropped"]
    reach = [row for row in rows if float(row["data-score"]) >= round(float(floor), 4)]
    assert kept == reach[:3]
    text = client.get("/match", query_string={"task": TASK, "floor": floor}).text
    assert "In force is 0.3000" in Page(text).text


def test_what_reaches_the_floor_beyond_the_limit_is_told_apart(client):
    text = Page(client.get("/match", query_string={"task": TASK, "floor": "0"}).text).text
    assert text.count("beyond 3") == 5


def test_each_number_of_a_bar_stands_beside_it(client):
    best = explained(client, TASK)["candidates"][0]
    text = Page(client.get("/match", query_string={"task": TASK}).text).text
    shown = [float(n) for n in re.findall(r"-?\d+\.\d{3}\b", text.replace("\u2212", "-"))]
    for name in ("cosine", "clause", "lexical", "negative"):
        assert any(abs(one - best[name]) < 0.0006 for one in shown), name
    assert best["best_clause"] in text


def test_bars_stay_on_their_scale(client):
    text = client.get("/match", query_string={"task": TASK}).text
    for row in Page(text).all("rect"):
        start, width = float(row.get("x", 0)), float(row["width"])
        assert 0 <= start <= start + width <= 100.01


def test_the_floor_line_stands_where_the_floor_is(client):
    text = client.get("/match", query_string={"task": TASK, "floor": "0.42"}).text
    lines = [line for line in Page(text).all("line") if line["class"] == "floor"]
    assert {float(line["x1"]) for line in lines} == {42.0}
    assert re.search(r'type="range"[^>]*value="0.42"', text)


def test_nothing_is_an_answer(client):
    text = Page(client.get("/match?task=zzz").text).text
    assert "Nothing is returned" in text


def test_what_was_not_reranked_can_be_returned_by_no_floor(vault):
    client = fake_client(vault, 0.3, hybrid=_cut_all())
    rows = _rows(client, floor="0")
    assert rows
    assert {row["data-judged"] for row in rows} == {"0"}
    assert {row["class"] for row in rows} == {"dropped"}


def test_without_a_reranker_there_is_no_bar_for_one(vault):
    client = fake_client(vault, 0.3, reranker=None)
    text = Page(client.get("/match", query_string={"task": TASK}).text).text
    assert "Reranker" not in text
    assert "Shortlist" in text


def test_a_project_hides_what_it_may_not_see(client):
    names = {row["data-name"] for row in _rows(client, project="docs-site")}
    assert "postgres-migration-locks" not in names


def _cut_all():
    import dataclasses

    from memskill.match.policy import shipped_hybrid

    return dataclasses.replace(shipped_hybrid(), recall_cut=1e9)


def test_a_task_that_is_explored_is_counted(client):
    def counted():
        told = re.search(r"^memskill_tasks_total (\S+)", client.get("/metrics").text, re.M)
        return float(told[1])

    before = counted()
    client.get("/match", query_string={"task": TASK})
    assert counted() == before + 1
