from __future__ import annotations

import json

import pytest
from click.testing import CliRunner
from helpers.drafting import team_vault, tree_hash
from helpers.tree import ROOT

from memskill.cli import main

REPLIES = ROOT / "data" / "replies"


@pytest.fixture
def team(tmp_path):
    return team_vault(tmp_path)


def run(team, *args: str):
    return CliRunner().invoke(main, ["--vault", str(team.vault), "skill", *args])


def test_a_draft_prints_its_path_and_the_reviewers_line(team):
    result = run(team, "draft", "--from", "infra/q31")
    assert result.exit_code == 0, result.output
    assert result.stdout == "skills/_drafts/infra-q31/SKILL.md\n"
    assert "drafted by `extractive`, without one" in result.stderr
    assert f"git -C {team.vault} mv skills/_drafts/infra-q31 skills/infra-q31" in result.stderr


def test_the_report_says_which_of_several_notes_was_taken(team):
    assert "L2 of 2 notes at infra/q12" in run(team, "draft", "--from", "infra/q12").stderr
    other = run(team, "draft", "--from", "infra/q12", "--level", "L1", "--dry-run")
    assert "L1 of 2 notes at infra/q12: asked for by --level" in other.stderr


def test_a_dry_run_prints_the_file_and_writes_nothing(team):
    before = tree_hash(team.vault)
    result = run(team, "draft", "--from", "infra/q31", "--dry-run")
    assert result.stdout.startswith('---\nname: "infra-q31"\n')
    assert tree_hash(team.vault) == before


def test_an_unknown_address_names_the_nearest(team):
    result = run(team, "draft", "--from", "infra/q13")
    assert result.exit_code == 66
    assert "Nearest: infra/q31, infra/q12" in result.stderr


@pytest.mark.parametrize("address", ["infra", "a/b/c", "/q", "infra/"])
def test_what_is_no_address_is_a_usage_error(team, address):
    assert run(team, "draft", "--from", address).exit_code == 64


def test_an_l0_is_refused_with_the_reason(team):
    result = run(team, "draft", "--from", "infra/q12", "--level", "L0")
    assert result.exit_code == 64
    assert "distilled from synthesis" in result.stderr


def test_a_note_without_a_procedure_is_refused(team):
    result = run(team, "draft", "--from", "payments/q88")
    assert result.exit_code == 65
    assert "the note holds no procedure" in result.stderr


def test_a_rejected_reply_lists_every_fault_and_is_kept(team):
    model = f"scripted:{REPLIES / 'bad-command.json'}"
    result = run(team, "draft", "--from", "docs-site/007", "--model", model)
    assert result.exit_code == 65
    assert result.stderr.count("ungrounded-command") == 2
    kept = team.state_dir / "rejected" / "docs-site-007.txt"
    assert kept.read_bytes() == (REPLIES / "bad-command.json").read_bytes()


def test_json_carries_the_whole_report(team):
    report = json.loads(run(team, "draft", "--from", "infra/q31", "--json").stdout)
    assert report["action"] == "written"
    assert report["usage"] == {"input_tokens": None, "output_tokens": None, "cost": None}
    assert report["text"].startswith("---\n")


def test_a_path_elsewhere_is_refused(team):
    result = run(team, "draft", "--from", "infra/q31", "--out", "/tmp/x/SKILL.md")
    assert result.exit_code == 73


def test_the_printed_prompt_and_its_reply_make_a_draft(team, tmp_path):
    prompt = run(team, "prompt", "--from", "infra/q31")
    assert prompt.exit_code == 0
    assert "dmesg -T | grep conntrack" in prompt.stdout
    reply = tmp_path / "reply.json"
    reply.write_bytes((REPLIES / "infra-q31.json").read_bytes())
    result = run(team, "draft", "--from", "infra/q31", "--model", f"scripted:{reply}")
    assert result.exit_code == 0, result.output


def test_printing_the_prompt_writes_nothing(team):
    before = tree_hash(team.vault)
    run(team, "prompt", "--from", "infra/q31")
    assert tree_hash(team.vault) == before


def test_lint_of_the_vault_is_clean_and_shows_the_rubric(team):
    result = run(team, "lint")
    assert result.exit_code == 0, result.output
    assert result.stdout.count("rubric (each of 3)") == 10


def test_lint_leaves_with_65_and_names_file_line_rule_and_hint(team, tmp_path):
    file = tmp_path / "x.md"
    file.write_text(
        "---\nname: x\ndescription: Use when <x> hangs for an hour or more.\n---\n# X\n"
    )
    result = run(team, "lint", str(file))
    assert result.exit_code == 65
    assert f"{file}:3: error: angle-brackets: description contains '<'. Upload" in result.stdout
    assert run(team, "lint", str(tmp_path / "gone")).exit_code == 66


def test_lint_as_json_is_one_report_a_file(team):
    reports = json.loads(run(team, "lint", "--json", str(team.drafts_dir)).stdout)
    assert len(reports) == 2
    assert {score["dimension"] for score in reports[0]["rubric"]} >= {"conciseness"}


def test_lint_asks_a_judge_for_advice_only(team, tmp_path):
    zero = {"points": 0, "reason": "r", "fix": "f"}
    names = ("conciseness", "actionability", "workflow clarity", "progressive disclosure")
    verdicts = tmp_path / "judge.json"
    verdicts.write_text(json.dumps([json.dumps(dict.fromkeys(names, zero))] * 3))
    skill = team.skills_dir / "rollback-release"
    result = run(team, "lint", str(skill), "--judge", f"scripted:{verdicts}")
    assert result.exit_code == 0
    assert "judged (each of 3): conciseness 0" in result.stdout


def test_show_prints_the_file_as_it_lies_there(team):
    file = team.skills_dir / "rollback-release" / "SKILL.md"
    assert run(team, "show", "rollback-release").stdout == file.read_text(encoding="utf-8")
    missing = run(team, "show", "roll-back-release")
    assert missing.exit_code == 66
    assert "rollback-release" in missing.stderr


def test_diff_shows_what_a_proposal_would_change(team):
    run(team, "draft", "--from", "infra/q31")
    assert run(team, "diff", "infra-q31").exit_code == 66
    path = team.drafts_dir / "infra-q31" / "SKILL.md"
    path.write_text(path.read_text(encoding="utf-8") + "Mine.\n", encoding="utf-8")
    told = run(team, "draft", "--from", "infra/q31")
    assert "nothing was overwritten" in told.stderr
    assert "-Mine." in run(team, "diff", "infra-q31").stdout


def test_doctor_fails_where_an_agent_would_load_drafts(team, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    clean = run(team, "doctor")
    assert clean.exit_code == 0, clean.output
    link = tmp_path / "home" / ".codex" / "skills"
    link.parent.mkdir(parents=True)
    link.symlink_to(team.skills_dir)
    result = run(team, "doctor")
    assert result.exit_code == 65
    assert "drafts-reachable: Codex loads drafts" in result.stdout
