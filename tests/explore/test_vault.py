"""The vault as notebooks see it, on the fixture and real files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from helpers.vaults import run_mem

import memskill
from memskill.errors import NotFound
from memskill.explore import Vault, labels
from memskill.explore.judging import Judging
from memskill.models.fakes import HashEncoder
from memskill.pipeline import ingest as ingesting
from memskill.records import Task
from memskill.store import open_store


@pytest.fixture
def mem(monkeypatch):
    monkeypatch.setattr(ingesting, "load_encoder", lambda settings: HashEncoder())
    return memskill.open_example()


def test_importing_the_package_loads_nothing_else():
    code = "import memskill, sys; print([m for m in sys.modules if m.startswith('memskill.')])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.strip() == "[]"


def test_an_unknown_name_of_the_package_is_an_attribute_error():
    with pytest.raises(AttributeError, match="open_valt"):
        memskill.open_valt  # noqa: B018


def test_the_example_is_a_fresh_copy_each_time(mem):
    other = memskill.open_example()
    assert mem.settings.vault != other.settings.vault
    assert not mem.settings.state_dir.exists()
    assert sorted(p.name for p in mem.settings.vault.iterdir()) == [
        "README.md", "memskill.toml", "notes", "replies", "skills", "tasks",
    ]  # fmt: skip


def test_the_example_goes_when_python_ends():
    code = "import memskill; print(memskill.open_example().settings.vault.parent)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60
    )
    folder = Path(done.stdout.strip())
    assert folder.name.startswith("memskill-example-")
    assert not folder.exists()


def test_a_vault_names_no_path_of_the_machine(mem):
    assert repr(mem) == "vault 'vault'"


def test_looking_around_is_never_logged(tmp_path):
    (tmp_path / "memskill.toml").write_text("feedback_log = true\n", encoding="utf-8")
    assert memskill.open_vault(tmp_path).settings.feedback_log is False


def test_ingest_says_the_same_whenever_it_changes_nothing(mem):
    first = mem.ingest()
    assert repr(first).startswith("ingested: 14 notes (14 new")
    assert repr(mem.ingest()) == repr(mem.ingest())
    assert " s" not in repr(first).split("warnings")[-1]


def test_notes_are_ordered_by_address_and_filtered(mem):
    mem.ingest()
    notes = mem.notes()
    assert [n.address for n in notes] == sorted(n.address for n in notes)
    assert {n.level for n in mem.notes(level="L2")} == {"L2"}
    assert {n.project for n in mem.notes(project="infra")} == {"infra"}


def test_skills_and_drafts_need_no_database(mem):
    assert len(mem.skills()) == 8
    assert mem.drafts().title == "2 drafts"


def test_before_an_ingest_notes_say_what_to_do(mem):
    with pytest.raises(NotFound) as caught:
        mem.notes()
    assert "mem ingest" in caught.value.hint


def test_sql_sees_what_is_there_and_never_keeps_a_writer_waiting(mem):
    mem.ingest()
    relation = mem.sql("select count(*) as n from memory_node")
    assert relation.fetchall() == [(14,)]
    (mem.settings.vault / "notes" / "infra" / "new.md").write_text("Something new.\n", "utf-8")
    done = run_mem("ingest", "--vault", mem.settings.vault, cwd=mem.settings.vault)
    assert done.returncode == 0, done.stderr
    assert relation.fetchall() == [(14,)]
    assert mem.sql("select count(*) from memory_node").fetchall() == [(15,)]


def test_sql_takes_parameters(mem):
    mem.ingest()
    found = mem.sql("select count(*) from memory_node where project = $project", project="x' or 1")
    assert found.fetchall() == [(0,)]


def test_sql_cannot_change_the_vault(mem):
    mem.ingest()
    with pytest.raises(Exception, match="read-only"):
        mem.sql("delete from memory_node")
    with open_store(mem.settings) as store:
        assert len(store.all_nodes()) == 14


def test_tasks_come_from_the_vault_a_file_or_the_caller(mem):
    own = mem.tasks()
    assert len(own) == 60
    file = labels.task_files(mem.settings)[0]
    assert mem.tasks(file).records == mem.tasks(str(file)).records == own.records
    assert mem.tasks(own[:2]).records == own.records[:2]
    assert mem.tasks([Task(text="t", expected=())]).title == "1 labelled task"


def test_a_vault_without_tasks_says_how_to_get_some(tmp_path):
    with pytest.raises(NotFound) as caught:
        memskill.open_vault(tmp_path).tasks()
    assert "--from-log" in caught.value.hint


def test_a_scripted_reply_is_used_where_there_is_one(mem):
    assert mem.model_for("infra/q12").startswith("scripted:")
    assert mem.model_for("infra/none") == "extractive"
    assert mem.model_for("../../etc/passwd") == "extractive"


def test_lint_names_files_by_their_place_in_the_vault(mem):
    reports = mem.lint("skills/_drafts")
    assert reports[0].path.startswith("skills/_drafts/")
    assert len(mem.lint()) == 10


def test_a_draft_names_no_path_of_the_machine(mem):
    mem.ingest()
    made = mem.draft("infra/q12", model=mem.model_for("infra/q12"), dry_run=True)
    assert made.action == "dry-run"
    assert str(mem.settings.vault) not in repr(made) + made._repr_html_()


def test_each_task_is_matched_once_a_setting(mem):
    opened = []

    class Counting(Judging):
        def _open(self, settings):
            opened.append(settings.reranker)
            return super()._open(settings)

    judging = Counting(mem.settings)
    tasks = mem.tasks()[:3]
    first, again = (judging.cases(tasks, reranker="none") for _ in range(2))
    assert all(a.decision is b.decision for a, b in zip(first, again, strict=True))
    assert opened == ["none", "none"]
    judging._deciding.clear()
    anew = judging.cases(tasks, reranker="none")
    assert anew[0].decision is not first[0].decision
    assert anew[0].decision.candidates == first[0].decision.candidates


def test_a_vault_is_what_open_vault_returns(tmp_path):
    assert isinstance(memskill.open_vault(tmp_path), Vault)
