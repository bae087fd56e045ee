"""`POST /memory/feedback`."""

from __future__ import annotations

import dataclasses
import json

import pytest
from helpers.serving import fake_client

from memskill.pipeline.feedback import list_feedback

GIVEN = {"verdict": "wrong", "skill": "rollback-release", "task": "paint the fence"}


@pytest.fixture
def keeping(team):
    return dataclasses.replace(team, feedback_log=True)


@pytest.fixture
def client(keeping):
    return fake_client(keeping)


def test_feedback_is_on_the_disk_when_it_is_answered(client, keeping):
    reply = client.post("/memory/feedback", json=GIVEN | {"note": "no release at all"})
    assert reply.status_code == 201
    (said,) = list_feedback(keeping)
    assert reply.get_json() == {"id": said.id, "verdict": "wrong", "skill": "rollback-release"}
    assert said.note == "no release at all"


def test_a_match_is_named_by_the_header_of_its_answer(client, keeping):
    reply = client.get("/memory/skills", query_string={"task": "roll back the bad release"})
    given = {"verdict": "useful", "skill": "rollback-release"}
    named = given | {"match_id": reply.headers["Memskill-Match"]}
    assert client.post("/memory/feedback", json=named).status_code == 201
    assert list_feedback(keeping)[0].match_id == named["match_id"]


def test_each_task_of_a_batch_has_its_name(client):
    reply = client.post("/memory/skills/match", json={"tasks": ["a task", "another"]})
    assert len(set(reply.headers["Memskill-Match"].split(","))) == 2


def test_keeping_a_log_changes_no_body(client, team):
    url = "/memory/skills?task=roll+back+the+bad+release"
    kept, plain = client.get(url), fake_client(team).get(url)
    assert (kept.data, kept.headers["ETag"]) == (plain.data, plain.headers["ETag"])
    assert "Memskill-Match" not in plain.headers


def test_switched_off_it_is_refused_and_nothing_is_kept(team):
    reply = fake_client(team).post("/memory/feedback", json=GIVEN)
    assert reply.status_code == 400
    assert "feedback_log" in reply.get_json()["hint"]
    assert not (team.state_dir / "log").exists()


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({}, 400),
        (GIVEN | {"skill": "no-such-skill"}, 404),
        (GIVEN | {"skill": 3}, 400),
        (GIVEN | {"skil": "x"}, 400),
        (GIVEN | {"verdict": "splendid"}, 400),
        ([], 400),
        ("wrong", 400),
    ],
)
def test_what_says_nothing_usable_is_refused(client, keeping, body, status):
    assert client.post("/memory/feedback", json=body).status_code == status
    assert list_feedback(keeping) == []


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_form_of_another_site_cannot_give_feedback(client, keeping, kind):
    reply = client.post("/memory/feedback", data=json.dumps(GIVEN), content_type=kind)
    assert reply.status_code == 415
    assert list_feedback(keeping) == []


def test_reading_it_is_not_offered(client):
    assert client.get("/memory/feedback").status_code == 405
