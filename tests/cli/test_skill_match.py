"""`mem skill match`: the server's answers without a server."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from helpers.serving import ask, fake_client, fake_matching

from memskill.cli import main
from memskill.pipeline import matching as module

TASK = "roll back the bad release"


@pytest.fixture
def mem(team, monkeypatch):
    """Run `mem skill match` with models that load nothing."""
    matching = fake_matching(team)
    monkeypatch.setattr(module, "Matching", lambda settings: matching)

    def run(*arguments: str):
        return CliRunner().invoke(main, ["--vault", str(team.vault), "skill", "match", *arguments])

    return run


def test_json_is_what_the_server_says(team, mem):
    served = ask(fake_client(team), TASK)
    assert json.loads(mem(TASK, "--json").stdout) == served


def test_nothing_is_said_where_nothing_fits(mem):
    done = mem("paint the fence", "--json")
    assert (done.exit_code, json.loads(done.stdout)) == (0, [])
    assert "no skill reaches the floor" in mem("paint the fence").stderr


def test_a_table_has_the_best_first(mem):
    lines = mem(TASK).stdout.splitlines()
    assert lines[0].split() == ["score", "name", "matched", "on"]
    assert "rollback-release" in lines[1]


def test_explain_shows_candidates_and_the_floor(mem):
    done = mem(TASK, "--explain")
    assert len(done.stdout.splitlines()) == 9
    assert "floor 0.5 (set by hand)" in done.stderr
    shown = json.loads(mem(TASK, "--explain", "--json").stdout)
    assert [one["name"] for one in shown["matches"]] == ["rollback-release"]


def test_a_project_and_a_limit_are_kept(mem):
    assert mem("repairs terraform state", "--project", "payments", "--json").stdout == "[]\n"
    assert len(json.loads(mem(TASK, "--limit", "1", "--json").stdout)) == 1


@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ((" ",), 64, "the task is blank"),
        ((TASK, "--limit", "0"), 64, "between 1 and 50"),
        ((TASK, "--limit", "many"), 2, "not a valid integer"),
        ((), 2, "Missing argument"),
    ],
)
def test_what_cannot_be_answered_is_told(mem, arguments, status, said):
    done = mem(*arguments)
    assert (done.exit_code, said in done.stderr, done.stdout) == (status, True, "")


def test_a_broken_skill_is_reported_beside_the_answer(team, mem):
    (team.skills_dir / "on-call-handover" / "SKILL.md").write_bytes(b"\x00")
    done = mem(TASK, "--json")
    assert "skipped: skills/on-call-handover/SKILL.md" in done.stderr
    assert [one["name"] for one in json.loads(done.stdout)] == ["rollback-release"]
