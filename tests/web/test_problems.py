"""Errors: RFC 9457 bodies, the right status, and no trace of our insides."""

from __future__ import annotations

import logging

import pytest
from helpers.serving import fake_client, fake_matching
from helpers.vaults import make_settings

from memskill.errors import ConfigError, MemskillError, ModelError, StoreBusy
from memskill.match.matcher import Matcher
from memskill.web import create_app


@pytest.fixture
def client(team):
    return fake_client(team)


def check_problem(reply, status, said=""):
    body = reply.get_json()
    assert reply.status_code == body["status"] == status
    assert reply.mimetype == "application/problem+json"
    assert reply.headers["Cache-Control"] == "no-store"
    assert body["type"].startswith("urn:memskill:problem:")
    assert body["title"]
    assert said in body["detail"]
    assert "Traceback" not in reply.text
    return body


@pytest.mark.parametrize(
    ("url", "status", "said"),
    [
        ("/memory/skills?task=", 400, "blank"),
        ("/memory/skills?task=%20%09", 400, "blank"),
        ("/memory/skills?task=x&limit=0", 400, "between 1 and 50, not 0"),
        ("/memory/skills?task=x&limit=51", 400, "between 1 and 50, not 51"),
        ("/memory/skills?task=x&limit=-1", 400, "between 1 and 50, not -1"),
        ("/memory/skills?task=x&limit=many", 400, "whole number"),
        ("/memory/skills?tsak=x", 400, "unknown parameter"),
        ("/memory/skills?task=x&task=y", 400, "more than once"),
        ("/memory/skills/rollback-relaese", 404, "no promoted skill"),
        ("/memory/skills/rollback-release?x=1", 400, "takes no parameters"),
        ("/memory/skills/", 404, "nothing at this URL"),
        ("/memory//skills", 404, "nothing at this URL"),
        ("/nothing", 404, "nothing at this URL"),
    ],
)
def test_a_wrong_get_is_a_problem(client, url, status, said):
    check_problem(client.get(url), status, said)


def test_an_unknown_skill_names_the_nearest(client):
    body = check_problem(client.get("/memory/skills/rollback-relaese"), 404)
    assert body["hint"] == "Did you mean 'rollback-release'?"


def test_an_over_long_task_is_refused_with_the_limit(team):
    client = fake_client(make_settings(team.vault, max_task_chars=50))
    check_problem(client.get("/memory/skills?task=" + "x" * 51), 400, "at most 50")
    reply = client.post("/memory/skills/match", json={"tasks": ["x", "y" * 51]})
    check_problem(reply, 400, "at most 50")


@pytest.mark.parametrize("method", ["put", "patch", "delete", "post"])
def test_a_wrong_method_says_which_are_allowed(client, method):
    reply = getattr(client, method)("/memory/skills")
    check_problem(reply, 405)
    assert reply.headers["Allow"] == "GET, HEAD, OPTIONS"


@pytest.mark.parametrize("kind", [None, "text/plain", "application/x-www-form-urlencoded"])
def test_a_body_of_another_type_is_refused(client, kind):
    reply = client.post("/memory/skills/match", data=b'{"task": "x"}', content_type=kind)
    check_problem(reply, 415, "application/json")


def test_a_body_that_is_too_large_is_refused(team):
    client = fake_client(make_settings(team.vault, max_body_bytes=1024))
    body = b'{"task": "' + b"x" * 2000 + b'"}'
    reply = client.post("/memory/skills/match", data=body, content_type="application/json")
    check_problem(reply, 413, "larger")


@pytest.mark.parametrize(
    ("error", "status", "retry"),
    [
        (StoreBusy("held by process 7", hint="Wait."), 503, "1"),
        (ModelError("the model answered nonsense"), 502, None),
        (ConfigError("no such thing"), 500, None),
    ],
)
def test_what_goes_wrong_inside_keeps_its_words(client, monkeypatch, error, status, retry):
    monkeypatch.setattr(Matcher, "answer", _raising(error))
    reply = client.get("/memory/skills?task=x")
    body = check_problem(reply, status, error.message)
    assert body["type"].endswith(error.code)
    assert body.get("hint", "") == error.hint
    assert reply.headers.get("Retry-After") == retry


def test_every_error_of_the_tree_has_a_status(client, monkeypatch):
    kinds = [MemskillError]
    for kind in kinds:
        # Those of errors.py; what other modules derive from them has the status of its parent.
        kinds += [sub for sub in kind.__subclasses__() if sub.__module__ == "memskill.errors"]
        monkeypatch.setattr(Matcher, "answer", _raising(kind("it broke")))
        reply = client.get("/memory/skills?task=x")
        assert 400 <= reply.status_code < 600
        check_problem(reply, reply.status_code, "it broke")


def test_a_bug_is_told_by_a_number_that_the_log_knows(client, monkeypatch, caplog):
    monkeypatch.setattr(Matcher, "answer", _raising(ZeroDivisionError("secret insides")))
    with caplog.at_level(logging.ERROR, "memskill"):
        reply = client.get("/memory/skills?task=x")
    check_problem(reply, 500, "Unexpected error")
    assert "secret" not in reply.text
    number = reply.get_json()["detail"].split()[-1].rstrip(".")
    assert number in caplog.text
    assert "secret insides" in caplog.text


def test_without_a_floor_matching_says_how_to_fit_one(team):
    matching = fake_matching(team)
    (team.state_dir / "floor.toml").unlink()
    client = create_app(team, matching).test_client()
    body = check_problem(client.get("/memory/skills?task=x"), 503, "no floor")
    assert "mem floor tune" in body["hint"]
    assert client.get("/memory/skills").status_code == 200
    ready = client.get("/readyz")
    assert (ready.status_code, ready.get_json()["ready"]) == (503, False)
    assert "no floor" in ready.get_json()["reason"]


def test_a_damaged_floor_stops_matching_and_is_told(team):
    client = fake_client(team)
    (team.state_dir / "floor.toml").write_text("value = high")
    check_problem(client.get("/memory/skills?task=x"), 500, "floor.toml")
    assert "floor.toml" in client.get("/readyz").get_json()["reason"]


def _raising(error):
    def answer(*_: object, **__: object) -> None:
        raise error

    return answer
