"""The owner's acceptance tests of `mem skill draft`."""

from __future__ import annotations

import ast
import dataclasses
import json
import shutil
from datetime import UTC, datetime

import pytest
from helpers import write_guard
from helpers.drafting import make_node, make_text, team_vault, tree_hash
from helpers.tree import PACKAGE, ROOT, python_files
from helpers.writes import OFFENDERS, writing_calls
from skills_ref.validator import validate

from memskill.draft.lint import lint_text, told
from memskill.errors import DraftRejected, PathRefused
from memskill.pipeline.draft import DraftRequest, draft_skill
from memskill.pipeline.lint import show_skill
from memskill.sources.frontmatter import split_frontmatter
from memskill.store import open_store

REPLIES = ROOT / "data" / "replies"
# Every module that may write, and what.
WRITERS = {
    "cli/boundary.py": "opens /dev/null when the reader of a pipe went away",
    "draft/publish.py": "the one door to _drafts",
    "draft/secret.py": "the vault's secret",
    "explore/example.py": "an example in a folder that it makes",
    "explore/labels.py": "labels exported to a file that a person names",
    "match/floorfile.py": "floor.toml and its history",
    "match/notepolicy.py": "the fit of notes search, notes.json in .memskill",
    "pipeline/database.py": "backups of the database",
    "pipeline/demo.py": "the demo's vault, in a folder that it makes",
    "pipeline/draft.py": "a rejected reply, in .memskill/rejected",
    "pipeline/evalpage.py": "a report at a path that a person names",
    "pipeline/feedback.py": "removes a spool file of .memskill that was folded in",
    "pipeline/fromlog.py": "tasks from the log, at a path that a person names",
    "pipeline/materialize.py": "the digest in MEMORY.md of the vault",
    "pipeline/modelchoice.py": "memskill.toml and the choices in .memskill/models",
    "pipeline/modeleval.py": "tables at a path or in a card that a person names",
    "pipeline/modelfit.py": "the config and the export of a trained model",
    "pipeline/notebook.py": "a copy of a shipped notebook, at a path that a person names",
    "pipeline/spool.py": "the feedback spool in .memskill",
    "pipeline/vault.py": "the skeleton of a new vault",
    "sources/atomic.py": "whole files, aside and renamed",
    "sources/nodefiles.py": "node files in .memskill/nodes",
    "store/connection.py": "what a killed writer left of the database",
    "store/lock.py": "the lock and who holds it",
    "store/private.py": "a private copy of the database",
}


@pytest.fixture
def team(tmp_path):
    return team_vault(tmp_path)


@pytest.mark.parametrize("profile", ["flat", "spec"])
def test_a1_valid_frontmatter(team, profile):
    report = draft_skill(team, "infra/q31", DraftRequest(profile=profile))
    values = split_frontmatter(report.text)
    assert values.problems == ()
    assert values.data["name"] == report.name == "infra-q31"
    findings = lint_text(report.text, profile=profile, is_draft=True, folder=report.name)
    assert [told(f) for f in findings if f.severity == "error"] == []
    if profile == "spec":
        assert validate((team.vault / report.path).parent) == []


def test_a2_generated_from_resolves(team):
    draft_skill(team, "infra/q31")
    skill, _ = show_skill(team, "infra-q31")
    with open_store(team) as store:
        node = store.node(skill.generated_from)
    assert node is not None
    assert node.address == "infra/q31"


def test_a3_writes_only_to_drafts(team):
    before = tree_hash(team.vault)
    report = draft_skill(team, "infra/q31")
    after = tree_hash(team.vault)
    changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    assert {path for path in changed if not path.startswith(".memskill/")} == {report.path}
    assert report.path == "skills/_drafts/infra-q31/SKILL.md"


@pytest.mark.parametrize(
    "out", ["/tmp/x", "../x", "skills/infra-q31", "skills/_drafts/../x/SKILL.md"]
)
def test_a3_a_path_outside_is_refused(team, out):
    before = tree_hash(team.vault)
    with pytest.raises(PathRefused):
        draft_skill(team, "infra/q31", DraftRequest(out=str(team.vault / out)))
    assert tree_hash(team.vault) == before


def test_a4_no_promotion_path():
    """Every writing call of the package sits in a module that is listed with its reason."""
    found = {
        str(path.relative_to(PACKAGE)): calls
        for path in python_files()
        if (calls := writing_calls(ast.parse(path.read_text(encoding="utf-8"))))
    }
    unlisted = {name: found[name] for name in found if name not in WRITERS}
    # Training writes weights and reports where a person says; it never runs on a server.
    assert {n: c for n, c in unlisted.items() if not n.startswith("train/")} == {}
    assert sorted(set(WRITERS) - set(found)) == []


def test_a4_the_whole_suite_is_watched(request):
    """The plugin fails any test, of the command line and the server too, that promotes."""
    assert request.config.pluginmanager.has_plugin("helpers.write_guard")


@pytest.mark.parametrize("name", sorted(OFFENDERS))
def test_a4_a_planted_offender_is_caught_by_its_text(name):
    assert writing_calls(ast.parse(OFFENDERS[name])) != []


@pytest.mark.parametrize("name", sorted(OFFENDERS))
def test_a4_a_planted_offender_is_caught_in_the_act(tmp_path, name):
    draft = tmp_path / "skills" / "_drafts" / "a"
    draft.mkdir(parents=True)
    (draft / "SKILL.md").write_text("x")
    code = compile(OFFENDERS[name], str(PACKAGE / "pipeline" / "planted.py"), "exec")
    exec(code, {"vault": str(tmp_path)})
    caught, write_guard.offences[:] = write_guard.offences.copy(), []
    assert caught != []


def test_a4_the_door_itself_is_no_offender(tmp_path, team):
    draft_skill(team, "infra/q31")
    assert write_guard.offences == []


def test_a5_description_is_trigger_shaped(team):
    for address in ("infra/q31", "infra/q12", "payments/q7", "data-platform/q55"):
        text = draft_skill(team, address, DraftRequest(dry_run=True)).text
        description = split_frontmatter(text).data["description"]
        assert "Use when" in description


def test_a5_a_title_restated_is_refused(team):
    request = DraftRequest(model=f"scripted:{REPLIES / 'bad-title.json'}")
    with pytest.raises(DraftRejected) as caught:
        draft_skill(team, "docs-site/007", request)
    rules = {reason.split(": ")[1] for reason in caught.value.reasons}
    assert {"title-restated", "trigger-missing"} <= rules


def test_a6_dry_run_writes_nothing(team):
    before = tree_hash(team.vault)
    for model in (None, f"scripted:{REPLIES / 'infra-q31.json'}"):
        report = draft_skill(team, "infra/q31", DraftRequest(dry_run=True, model=model))
        assert report.action == "dry-run"
        assert report.text.startswith("---\n")
    with pytest.raises(DraftRejected):
        draft_skill(
            team,
            "docs-site/007",
            DraftRequest(dry_run=True, model=f"scripted:{REPLIES / 'bad-command.json'}"),
        )
    assert tree_hash(team.vault) == before


def test_a7_idempotent(team):
    def at(day: int):
        return lambda: datetime(2026, 1, day, tzinfo=UTC)

    first = draft_skill(team, "infra/q31", clock=at(1))
    before = tree_hash(team.vault / "skills")
    again = draft_skill(team, "infra/q31", clock=at(2))
    assert (first.action, again.action) == ("written", "unchanged")
    assert tree_hash(team.vault / "skills") == before
    assert again.text == first.text.replace("2026-01-01", "2026-01-02")


def test_a7_a_persons_edit_is_never_overwritten(team):
    path = team.vault / draft_skill(team, "infra/q31").path
    path.write_text(path.read_text(encoding="utf-8") + "\nMine.\n", encoding="utf-8")
    edited = path.read_text(encoding="utf-8")
    reply = f"scripted:{REPLIES / 'infra-q31.json'}"
    proposed = draft_skill(team, "infra/q31", DraftRequest(model=reply))
    assert (proposed.action, path.read_text(encoding="utf-8")) == ("proposed", edited)
    assert "-Mine." in proposed.diff
    forced = draft_skill(team, "infra/q31", DraftRequest(model=reply, force=True))
    assert forced.action == "replaced"
    assert (team.vault / forced.backup).read_text(encoding="utf-8") == edited
    assert draft_skill(team, "infra/q31", DraftRequest(model=reply)).action == "unchanged"


def test_a7_a_newer_prompt_version_or_model_replaces_what_nobody_edited(team):
    draft_skill(team, "infra/q31")
    reply = f"scripted:{REPLIES / 'infra-q31.json'}"
    assert draft_skill(team, "infra/q31", DraftRequest(model=reply)).action == "replaced"
    backups = [p.name for p in (team.drafts_dir / "infra-q31").iterdir()]
    assert backups == ["SKILL.md"]


def test_reports_are_plain_data(team):
    report = draft_skill(team, "infra/q31")
    assert json.dumps(dataclasses.asdict(report), default=str)
    assert report.promote.endswith("mv skills/_drafts/infra-q31 skills/infra-q31")


def test_a_promoted_draft_stays_grounded_in_its_note(team):
    """A person's move, played here by the test, keeps generated_from and so the note."""
    draft_skill(team, "infra/q31")
    shutil.move(team.drafts_dir / "infra-q31", team.skills_dir / "infra-q31")
    skill, _ = show_skill(team, "infra-q31")
    assert skill.state == "promoted"
    assert skill.generated_from


def test_the_gate_needs_every_command_in_the_note():
    text = make_text(pitfalls=("Run `rm -rf /srv`.",))
    errors = [f.rule for f in lint_text(text, is_draft=True, note=make_node())]
    assert "ungrounded-command" in errors
