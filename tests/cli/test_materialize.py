"""`mem materialize`, as it is typed."""

import json

import pytest
from click.testing import CliRunner
from helpers.tree import ROOT

from memskill.cli import main


@pytest.fixture
def mem(settings):
    """Run `mem` on a vault that has read the fixture's transcripts."""

    def run(*words):
        return CliRunner().invoke(main, ["--vault", str(settings.vault), *words])

    assert run("ingest", "--transcripts", str(ROOT / "data" / "transcripts")).exit_code == 0
    return run


def test_confirmed_lessons_become_drafts_and_a_digest(mem, settings):
    lines = mem("materialize").stdout.splitlines()
    assert lines[1].split() == [
        "terraform",
        "1",
        "written",
        "skills/_drafts/terraform-failures/SKILL.md",
    ]
    assert lines[2].split() == ["-", "1", "written", "MEMORY.md"]
    draft = settings.drafts_dir / "terraform-failures" / "SKILL.md"
    assert "Error: Inconsistent dependency lock file" in draft.read_text(encoding="utf-8")


def test_candidates_come_when_they_are_asked_for_and_pass_the_lint(mem, settings):
    report = json.loads(mem("materialize", "--candidates", "--json").stdout)
    assert [one["tool"] for one in report["tools"]] == [
        "Edit",
        "git",
        "kubectl",
        "npm",
        "terraform",
    ]
    assert report["skipped"] == []
    linted = mem("skill", "lint", *(str(settings.vault / one["path"]) for one in report["tools"]))
    assert linted.exit_code == 0


def test_dry_run_writes_nothing(mem, settings):
    assert "dry-run" in mem("materialize", "--dry-run").stdout
    assert list(settings.drafts_dir.glob("*")) == []
    assert not (settings.vault / "MEMORY.md").exists()


def test_nothing_confirmed_and_nothing_promoted_is_said(settings):
    def mem(*words):
        return CliRunner().invoke(main, ["--vault", str(settings.vault), *words])

    part = ROOT / "data" / "transcripts" / "pi"
    assert mem("ingest", "--transcripts", str(part)).exit_code == 0
    assert "No lesson is confirmed yet: --candidates takes" in mem("materialize").stdout
    out = mem("materialize", "--candidates").stdout
    assert "No lesson is confirmed" not in out
    assert "No skill is promoted yet" in out
