"""Errors: a page for a browser, a problem body for a program, the same status for both."""

from __future__ import annotations

import pytest
from helpers.pages import Page, dangers

from memskill.errors import StoreBusy

CASES = [
    ("/nowhere", 404),
    ("/skills/debug-kubernetes-pod", 404),
    ("/drafts/docs-site-7", 404),
    ("/floor/reports/x.html", 404),
    ("/assets/nothing.css", 404),
    ("/?x=1", 400),
]


@pytest.mark.parametrize(("url", "status"), CASES)
def test_a_browser_gets_a_page_and_a_program_json(shared_client, url, status):
    client = shared_client
    page = client.get(url)
    assert (page.status_code, page.mimetype) == (status, "text/html")
    assert dangers(page.text) == []
    problem = client.get(url, headers={"Accept": "*/*"})
    assert (problem.status_code, problem.mimetype) == (status, "application/problem+json")
    assert problem.get_json()["detail"] in Page(page.text).text


@pytest.mark.parametrize("url", ["/memory/skills?x=1", "/memory/skills/none", "/healthz?x", "/x"])
def test_who_likes_json_better_gets_json(shared_client, url):
    reply = shared_client.get(url, headers={"Accept": "application/json, text/html;q=0.5"})
    assert reply.mimetype in ("application/problem+json", "application/json")


def test_the_api_answers_in_json_whoever_asks(client):
    assert client.get("/memory/skills/none").mimetype == "application/problem+json"


def test_an_error_page_says_that_it_depends_on_what_is_accepted(client):
    assert "Accept" in client.get("/nowhere").headers["Vary"]


def test_a_near_name_is_offered(client):
    assert "debug-kubernetes-pods" in client.get("/skills/debug-kubernetes-pod").text


def test_a_missing_floor_is_a_page_with_the_command_that_mends_it(client, vault):
    (vault.state_dir / "floor.toml").unlink()
    reply = client.get("/match?task=a+pod")
    assert reply.status_code == 503
    assert "mem floor tune" in reply.text


def test_what_passes_by_itself_still_says_when_to_come_again(client, vault, monkeypatch):
    def busy(*_, **__):
        raise StoreBusy("somebody writes")

    monkeypatch.setattr("memskill.web.pages.routes.draft_rows", busy)
    reply = client.get("/drafts")
    assert (reply.status_code, reply.headers["Retry-After"]) == (503, "1")


def test_an_unexpected_error_shows_its_number_and_nothing_else(client, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("secret /etc/path")

    monkeypatch.setattr("memskill.web.pages.routes.draft_rows", broken)
    reply = client.get("/drafts")
    assert reply.status_code == 500
    assert "secret" not in reply.text
