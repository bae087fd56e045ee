"""`mem ingest --transcripts` and `mem lessons`, as they are typed."""

import json

import pytest
from click.testing import CliRunner
from helpers.tree import ROOT

from memskill.cli import main

FIXTURE = str(ROOT / "data" / "transcripts")


@pytest.fixture
def mem(settings):
    """Run `mem` on an empty vault."""

    def run(*words):
        return CliRunner().invoke(main, ["--vault", str(settings.vault), *words])

    return run


@pytest.fixture
def learned(mem):
    """Run `mem` on a vault that has read the fixture."""
    assert mem("ingest", "--transcripts", FIXTURE).exit_code == 0
    return mem


def test_ingest_takes_several_paths_and_says_what_it_found(mem):
    result = mem("ingest", "--transcripts", f"{FIXTURE}/claude", f"{FIXTURE}/pi")
    assert result.exit_code == 0
    assert result.stdout.startswith("ingested: 3 transcripts (3 with new rows)")
    assert "dropped: 1 x compaction-summary" in result.stderr
    assert "no lesson: 1 x refused" in result.stderr


def test_second_ingest_says_that_nothing_changed(learned):
    result = learned("ingest", "--transcripts", FIXTURE)
    assert result.stdout.startswith("no change: 4 transcripts (0 with new rows)")


def test_paths_without_the_option_are_refused(mem):
    result = mem("ingest", FIXTURE)
    assert result.exit_code == 2
    assert "--transcripts" in result.stderr


def test_json_holds_the_counts_of_every_file(mem):
    report = json.loads(mem("ingest", "--transcripts", FIXTURE, "--json").stdout)
    assert {one["format"] for one in report["files"]} == {"claude-code", "codex", "pi"}
    assert report["changed"] is True


def test_list_puts_the_surest_first(learned):
    lines = learned("lessons", "list").stdout.splitlines()
    assert lines[0].split()[:3] == ["id", "state", "confidence"]
    assert "terraform plan" in lines[1]
    assert len(lines) == 6


def test_list_takes_a_tool_and_a_state(learned):
    found = json.loads(learned("lessons", "list", "--tool", "git", "--json").stdout)
    assert [one["subcommand"] for one in found] == ["push"]
    assert json.loads(learned("lessons", "list", "--state", "pinned", "--json").stdout) == []


def test_show_says_what_failed_what_passed_and_where(learned):
    (lesson,) = json.loads(learned("lessons", "list", "--tool", "kubectl", "--json").stdout)
    shown = learned("lessons", "show", lesson["id"][:8]).stdout
    assert 'symptom     Error from server (NotFound): namespaces "bookings" not found' in shown
    assert "kubectl apply -f alerts/berth.yaml -n quay-bookings" in shown
    assert "keel-session-0001.jsonl:" in shown


@pytest.mark.parametrize(
    ("verb", "state"), [("confirm", "confirmed"), ("retire", "retired"), ("pin", "pinned")]
)
def test_a_person_judges_a_lesson(learned, verb, state):
    (lesson,) = json.loads(learned("lessons", "list", "--tool", "kubectl", "--json").stdout)
    assert f"is {state}: " in learned("lessons", verb, lesson["id"][:8]).stdout
    (again,) = json.loads(learned("lessons", "list", "--tool", "kubectl", "--json").stdout)
    assert again["state"] == state


def test_an_unknown_lesson_exits_66(learned):
    result = learned("lessons", "show", "ffffffff")
    assert result.exit_code == 66
    assert "mem lessons list" in result.stderr


def test_a_list_without_a_lesson_says_so(mem, learned):
    assert mem("lessons", "list", "--state", "pinned").stdout == "No such lesson.\n"
    assert json.loads(mem("lessons", "list", "--state", "pinned", "--json").stdout) == []
