"""`mem feedback`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from memskill.cli import main


@pytest.fixture
def run(team):
    (team.vault / "memskill.toml").write_text("feedback_log = true\n", encoding="utf-8")

    def invoke(*arguments):
        return CliRunner().invoke(main, ["--vault", str(team.vault), "feedback", *arguments])

    return invoke


def test_feedback_is_given_and_listed(run):
    done = run("useful", "rollback-release", "--task", "undo it", "--note", "just right")
    assert (done.exit_code, done.stderr) == (0, "kept: useful rollback-release\n")
    assert run("missing", "--task", "paint it").stderr == "kept: missing\n"
    listed = json.loads(run("list", "--json").stdout)
    assert [(one["verdict"], one["skill"], one["task"]) for one in listed] == [
        ("useful", "rollback-release", "undo it"),
        ("missing", "", "paint it"),
    ]
    assert run("list").stdout.splitlines()[1].split() == [
        listed[0]["at"][:10], "useful", "rollback-release", "undo", "it", "just", "right",
    ]  # fmt: skip


def test_switched_off_it_says_how_to_switch_it_on(team):
    done = CliRunner().invoke(
        main, ["--vault", str(team.vault), "feedback", "missing", "--task", "t"]
    )
    assert done.exit_code == 64
    assert "feedback_log = true" in done.stderr


def test_an_unknown_skill_ends_with_its_status(run):
    done = run("wrong", "rollback-relase", "--task", "t")
    assert done.exit_code == 66
    assert "rollback-release" in done.stderr


def test_purge_says_what_went(run):
    run("missing", "--task", "t")
    done = run("purge")
    assert (done.exit_code, run("list", "--json").stdout) == (0, "[]\n")
    assert "forgot" in done.stderr


def test_purge_takes_a_day(run):
    run("missing", "--task", "t")
    assert run("purge", "--before", "2020-01-01").exit_code == 0
    assert len(json.loads(run("list", "--json").stdout)) == 1
    assert run("purge", "--before", "yesterday").exit_code == 2


def test_hostile_feedback_reaches_the_terminal_as_text(run):
    run("missing", "--task", "\x1b[31mred\u202e", "--note", "a\nb")
    assert not {"\x1b", "\u202e"} & set(run("list").stdout)


def test_eval_makes_tasks_from_the_log(run, team, tmp_path):
    run("useful", "rollback-release", "--task", "undo it")
    out = tmp_path / "review.jsonl"
    done = CliRunner().invoke(main, ["eval", "--vault", str(team.vault), "--from-log", str(out)])
    assert done.exit_code == 0, done.stderr
    assert "all 1 with feedback" in done.stdout
    assert "favour" in done.stderr
    assert json.loads(out.read_text("utf-8"))["expected"] == ["rollback-release"]


def test_eval_needs_tasks_or_the_log(team):
    done = CliRunner().invoke(main, ["eval", "--vault", str(team.vault)])
    assert done.exit_code == 2
    assert "--tasks" in done.stderr
