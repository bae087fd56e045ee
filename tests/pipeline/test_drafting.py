from __future__ import annotations

import json

import pytest
from helpers.drafting import NOTE, QUERY, make_skill, team_vault
from helpers.tree import ROOT
from helpers.vaults import make_settings, write_note

from memskill.draft.duplicates import lexical_similarity
from memskill.errors import NotFound, UsageError
from memskill.models.chat import ChatReply, Usage
from memskill.pipeline import drafting
from memskill.pipeline import lint as verbs
from memskill.pipeline.draft import DraftRequest, draft_skill
from memskill.pipeline.ingest import ingest

REPLY = json.loads((ROOT / "data" / "replies" / "infra-q31.json").read_text(encoding="utf-8"))


@pytest.fixture
def team(tmp_path):
    return team_vault(tmp_path)


class Counting:
    """A model that always gives one reply, and counts how often it was asked."""

    name, cacheable = "counting", True
    asked = 0

    def complete(self, system, prompt, schema):
        self.asked += 1
        return ChatReply(text=json.dumps(REPLY), usage=Usage(input_tokens=9, cost=0.25))


@pytest.fixture
def counting(monkeypatch):
    model = Counting()
    monkeypatch.setattr("memskill.pipeline.draft.chat_model", lambda spec, **_: model)
    return model


def test_a_rerun_takes_its_reply_from_the_cache(team, counting):
    first = draft_skill(team, "infra/q31", DraftRequest(model="counting"))
    again = draft_skill(team, "infra/q31", DraftRequest(model="counting"))
    assert counting.asked == 1
    assert (first.cached, first.usage.cost) == (0, 0.25)
    assert (again.cached, again.usage.cost, again.action) == (1, None, "unchanged")


def test_a_dry_run_reads_the_cache_and_keeps_nothing_in_it(team, counting):
    for _ in range(2):
        draft_skill(team, "infra/q31", DraftRequest(model="counting", dry_run=True))
    assert counting.asked == 2


def test_the_newest_l2_goes_before_an_l1(team):
    chosen = drafting.choose_node(team, "infra/q12", None)
    assert (chosen.node.level, drafting.choose_node(team, "infra/q12", "L1").node.level) == (
        "L2",
        "L1",
    )
    assert "infra/q31" in chosen.addresses


def test_a_level_that_is_not_there_is_told(team):
    with pytest.raises(NotFound) as caught:
        drafting.choose_node(team, "infra/q31", "L2")
    assert caught.value.hint == "It has L1."
    with pytest.raises(UsageError, match="evidence"):
        drafting.choose_node(team, "infra/q31", "L0")


def test_two_addresses_with_one_slug_get_two_folders_and_a_notice(tmp_path):
    settings = make_settings(tmp_path / "vault")
    for project, query_id in (("a", "b c"), ("a", "b-c")):
        front = {"project": project, "query_id": query_id, "query": QUERY}
        write_note(settings, f"{project}/{query_id.replace(' ', '_')}x", NOTE, **front)
    ingest(settings)
    one, two = (draft_skill(settings, address) for address in ("a/b c", "a/b-c"))
    assert one.name != two.name
    assert "shared with a/b-c" in one.notices[0]


def test_a_twin_is_reported_with_its_likeness(team):
    draft_skill(team, "infra/q31")
    twin = team.skills_dir / "twin" / "SKILL.md"
    twin.parent.mkdir()
    text = (team.drafts_dir / "infra-q31" / "SKILL.md").read_text(encoding="utf-8")
    twin.write_text(text.replace("infra-q31", "twin"), encoding="utf-8")
    report = draft_skill(team, "infra/q31")
    assert [(d.name, d.similarity) for d in report.duplicates] == [("twin", 1.0)]


def test_without_an_encoder_likeness_is_by_words_and_the_report_says_so(team, tmp_path):
    lost = make_settings(team.vault, encoder=f"hf:{tmp_path / 'gone'}")
    similarity, notice = drafting.encoder_similarity(lost)
    assert similarity is lexical_similarity
    assert notice.startswith("likeness by shared words only")


def test_doctor_tells_a_promoted_skill_whose_note_has_a_newer_version(team, tmp_path):
    draft_skill(team, "infra/q31")
    (team.drafts_dir / "infra-q31").rename(team.skills_dir / "infra-q31")
    note = team.vault / "notes" / "infra" / "q31.md"

    def rules():
        found = verbs.doctor(team, home=tmp_path, cwd=tmp_path)
        return {finding.rule for finding in found} & {"source-gone", "source-superseded"}

    assert rules() == set()
    note.write_text(note.read_text(encoding="utf-8") + "\nMore.\n", encoding="utf-8")
    ingest(team)
    assert rules() == {"source-superseded"}
    note.unlink()
    ingest(team)
    assert rules() & {"source-gone", "source-superseded"}


def test_lint_grounds_a_promoted_skill_in_its_note(team):
    draft_skill(team, "infra/q31")
    (team.drafts_dir / "infra-q31").rename(team.skills_dir / "infra-q31")
    file = team.skills_dir / "infra-q31" / "SKILL.md"
    file.write_text(file.read_text(encoding="utf-8") + "\nRun `rm -rf /srv`.\n", encoding="utf-8")
    (report,) = verbs.lint_paths(team, [str(file)])
    found = {(finding.rule, finding.severity) for finding in report.findings}
    assert ("ungrounded-command", "warning") in found


def test_one_file_that_cannot_be_read_does_not_stop_the_others(team, tmp_path):
    (tmp_path / "SKILL.md").write_bytes(b"\0\0")
    reports = verbs.lint_paths(team, [str(tmp_path / "SKILL.md"), str(team.drafts_dir)])
    assert [len(report.rubric) for report in reports] == [0, 4, 4]
    assert reports[0].findings[0].rule == "unreadable"


def test_neighbours_of_the_prompt_are_promoted_skills_only():
    skills = [make_skill("a", "Same."), make_skill("b", "Same.", "skills/_drafts")]
    assert {skill.state for skill in skills} == {"promoted", "draft"}
