"""What `/memory/skills` answers, byte by byte."""

from __future__ import annotations

import dataclasses
import hashlib
import json

import pytest
from helpers.serving import ask, explained, fake_client, fake_matching
from helpers.vaults import write_skill

from memskill.match.matcher import Matcher
from memskill.web import create_app

TASK = "roll back the bad release"


@pytest.fixture
def client(team):
    return fake_client(team)


def test_an_answer_is_compact_json_with_its_sha_as_strong_tag(client):
    reply = client.get("/memory/skills", query_string={"task": TASK})
    assert reply.mimetype == "application/json"
    assert reply.headers["ETag"] == f'"{hashlib.sha256(reply.data).hexdigest()}"'
    again = json.dumps(reply.get_json(), ensure_ascii=False, separators=(",", ":"))
    assert reply.data == again.encode()
    assert list(reply.get_json()[0]) == ["name", "score", "matched_on", "when_to_use"]


@pytest.mark.parametrize("query", ["", "?task=roll+back+the+bad+release", "?project=infra"])
def test_a_client_that_has_the_bytes_gets_304(client, query):
    first = client.get(f"/memory/skills{query}")
    for known in (first.headers["ETag"], f'"other", {first.headers["ETag"]}', "*"):
        again = client.get(f"/memory/skills{query}", headers={"If-None-Match": known})
        assert (again.status_code, again.data) == (304, b"")
        assert again.headers["ETag"] == first.headers["ETag"]
    other = client.get(f"/memory/skills{query}", headers={"If-None-Match": '"other"'})
    assert (other.status_code, other.data) == (200, first.data)


def test_head_says_what_get_says_without_the_body(client):
    for url in ("/memory/skills", "/memory/skills?task=roll+back", "/healthz"):
        got, head = client.get(url), client.head(url)
        assert (head.status_code, head.data) == (200, b"")
        assert head.headers["Content-Length"] == str(len(got.data))


def test_a_repeated_question_runs_no_model(team, monkeypatch):
    client = fake_client(team)
    first = client.get("/memory/skills", query_string={"task": TASK})
    monkeypatch.setattr(Matcher, "answer", None)
    assert client.get("/memory/skills", query_string={"task": TASK}).data == first.data
    # The limit cuts what is known; it is not another question.
    assert len(ask(client, TASK, limit=1)) == 1


def test_an_edit_makes_it_another_question(team):
    matching = fake_matching(team)
    client = create_app(team, matching).test_client()
    assert len(ask(client, TASK)) == 1
    write_skill(team, "rollback-release", "Draws maps.")
    assert ask(client, TASK) == []


def test_a_change_of_the_catalogue_encodes_no_known_task_anew(team, monkeypatch):
    matching = fake_matching(team)
    client = create_app(team, matching).test_client()
    assert len(ask(client, TASK)) == 1
    asked: list[str] = []
    encode = type(matching.matcher.encoder).encode

    def noting(self, texts):
        asked.extend(texts)
        return encode(self, texts)

    monkeypatch.setattr(type(matching.matcher.encoder), "encode", noting)
    write_skill(team, "draw-maps", "Draws maps.")
    assert len(ask(client, TASK)) == 1
    assert "Draws maps." in asked
    assert TASK not in asked


def test_post_answers_as_get_does(client):
    got = client.get("/memory/skills", query_string={"task": TASK, "limit": 2})
    posted = client.post("/memory/skills/match", json={"task": TASK, "limit": 2})
    assert (posted.status_code, posted.data) == (200, got.data)
    assert posted.headers["ETag"] == got.headers["ETag"]


def test_a_batch_is_the_single_answers_in_order(client):
    tasks = [TASK, "paint the fence", "rotate the leaked api key", TASK] * 64
    reply = client.post("/memory/skills/match", json={"tasks": tasks})
    assert reply.get_json() == [ask(client, task) for task in tasks]


def test_a_batch_of_more_than_256_is_refused(client):
    reply = client.post("/memory/skills/match", json={"tasks": ["x"] * 257})
    assert (reply.status_code, "1 to 256" in reply.get_json()["detail"]) == (400, True)


def test_a_blank_task_of_a_batch_is_named_by_its_place(client):
    reply = client.post("/memory/skills/match", json={"tasks": ["x", " "]})
    assert "place 1" in reply.get_json()["detail"]


def test_a_project_sees_its_own_and_the_global_skills(client):
    names = {
        project: [s["name"] for s in client.get(f"/memory/skills?project={project}").get_json()]
        for project in ("infra", "payments", "nobody")
    }
    everywhere = set(names["nobody"])
    assert len(everywhere) == 6
    assert set(names["infra"]) == everywhere | {"repair-terraform-state"}
    assert set(names["payments"]) == everywhere | {"postgres-migration-locks"}
    task = "repairs terraform state"
    assert [m["name"] for m in ask(client, task)] == ["repair-terraform-state"]
    assert ask(client, task, project="nobody") == []
    assert [m["name"] for m in ask(client, task, project="infra")] == ["repair-terraform-state"]


def test_explain_shows_every_shortlisted_skill_and_why(client):
    shown = explained(client, TASK)
    assert [m["name"] for m in shown["matches"]] == ["rollback-release"]
    assert len(shown["candidates"]) == shown["snapshot"]["skills"] == 8
    best = shown["candidates"][0]
    assert (best["name"], best["kept"]) == ("rollback-release", True)
    assert "releas" in best["words"]
    assert all(one["reason"] for one in shown["candidates"])
    assert set(shown["ms"]) == {"encode", "shortlist", "rerank"}
    assert shown["floor"]["origin"] == "set by hand"


def test_explain_lists_what_was_not_worth_reranking(team):
    hybrid = fake_matching(team).matcher.hybrid
    client = fake_client(team, hybrid=dataclasses.replace(hybrid, recall_cut=1e9))
    assert ask(client, TASK) == []
    shown = explained(client, TASK)["candidates"]
    assert len(shown) == 8
    assert {one["rerank_score"] for one in shown} == {None}
    assert all("below the recall cut" in one["reason"] for one in shown)


def test_an_explanation_is_the_answer_that_would_be_given(client):
    for task in (TASK, "paint the fence", "rotate the leaked api key"):
        assert explained(client, task)["matches"] == ask(client, task)
        assert "ETag" not in client.get(f"/memory/skills?task={task}&explain=1").headers


def test_a_skill_is_its_file(team, client):
    reply = client.get("/memory/skills/rollback-release")
    assert reply.mimetype == "text/markdown"
    assert reply.data == (team.skills_dir / "rollback-release" / "SKILL.md").read_bytes()
    known = {"If-None-Match": reply.headers["ETag"]}
    assert client.get("/memory/skills/rollback-release", headers=known).status_code == 304


def test_a_skill_in_the_middle_of_a_write_is_asked_for_again(team, client):
    file = team.skills_dir / "rollback-release" / "SKILL.md"
    client.get("/memory/skills")
    file.write_bytes(b"---\nname: x\n")
    reply = client.get("/memory/skills/rollback-release")
    assert (reply.status_code, reply.headers["Retry-After"]) == (503, "1")
    # Matching goes on with the last good version.
    assert [m["name"] for m in ask(client, TASK)] == ["rollback-release"]


@pytest.mark.parametrize(
    "name",
    [
        "..", "%2e%2e", "..%2f..%2fetc%2fpasswd", "docs-site-007", "_drafts",
        "_drafts%2fdocs-site-007",
        "rollback-release%00", "rollback-release%2f..", "ROLLBACK-RELEASE", "x" * 5000,
        "%ff%fe", "'; drop table skill; --",
    ],
)  # fmt: skip
def test_a_hostile_name_finds_nothing(client, name):
    reply = client.get(f"/memory/skills/{name}")
    assert reply.status_code == 404
    assert reply.mimetype == "application/problem+json"
    assert len(reply.data) < 500


def test_a_skill_that_became_a_link_out_of_the_vault_is_refused(team, client, tmp_path):
    secret = tmp_path / "secret.md"
    secret.write_text("---\nname: x\ndescription: Secret things.\n---\n")
    file = team.skills_dir / "rollback-release" / "SKILL.md"
    client.get("/memory/skills")
    file.unlink()
    file.symlink_to(secret)
    reply = client.get("/memory/skills/rollback-release")
    assert reply.status_code in {403, 404}
    assert b"Secret" not in reply.data
    assert b"Secret" not in client.get("/memory/skills").data


def test_half_a_character_in_a_task_breaks_nothing(client):
    body = b'{"task": "roll back \\ud800 the bad release"}'
    reply = client.post("/memory/skills/match", data=body, content_type="application/json")
    assert [m["name"] for m in reply.get_json()] == ["rollback-release"]
