"""Lessons, notes search and contexts as notebooks see them."""

from __future__ import annotations

import json

import pytest
from helpers.knowing import TRANSCRIPTS, learned_vault, set_note_floor
from helpers.serving import fake_matching

import memskill
from memskill.errors import FloorMissing, NotFound
from memskill.match.notepolicy import own_path
from memskill.models.fakes import HashEncoder
from memskill.pipeline import querying
from memskill.store import open_store

ERROR = "fatal: The current branch berth has no upstream branch."


@pytest.fixture
def mem(tmp_path, monkeypatch):
    """A vault that has read notes and transcripts, with models that load nothing."""
    settings = learned_vault(tmp_path / "vault")
    set_note_floor(settings)
    monkeypatch.setattr(querying, "load_encoder", lambda settings: HashEncoder())
    opened = memskill.open_vault(settings.vault)
    opened.__dict__["matching"] = fake_matching(opened.settings)
    return opened


def test_lessons_are_rows_the_surest_first(mem):
    found = mem.lessons()
    sure = [one.confidence for one in found]
    assert len(sure) == 5
    assert sure == sorted(sure, reverse=True)
    assert found.frame().columns == [
        "state", "confidence", "seen", "sessions", "tool", "scope", "symptom",
    ]  # fmt: skip
    assert {one.tool for one in mem.lessons(tool="git")} == {"git"}
    assert [one.state for one in mem.lessons(state="confirmed")] == ["confirmed"]


def test_a_lesson_shows_each_moment_and_no_path_of_the_machine(mem):
    (git,) = mem.lessons(tool="git")
    view = mem.lesson(git)
    assert [one.kind for one in view.moments] == ["failure", "fix"]
    page = view._repr_html_()
    assert "git push -u origin" in page
    assert str(TRANSCRIPTS) not in page
    assert mem.lesson(git.id[:8]).lesson == git.record


def test_what_transcripts_held_is_counted_by_file_name(mem, tmp_path):
    told = mem.learn(TRANSCRIPTS)
    assert repr(told).startswith("4 transcripts: ")
    assert {one.path for one in told.files} >= {"keel-session-0001.jsonl"}
    assert str(TRANSCRIPTS) not in told._repr_html_()
    assert "failures that taught nothing" in told._repr_html_() or not told.changed


def test_transcripts_of_the_vault_are_read_where_none_are_named(mem):
    with pytest.raises(NotFound, match="no transcripts in"):
        mem.learn()
    folder = mem.settings.vault / "transcripts"
    folder.mkdir()
    line = {"type": "user", "message": {"role": "user", "content": "hello"}, "uuid": "u1",
            "sessionId": "s1", "timestamp": "2026-04-01T08:00:00Z", "cwd": "/w/x"}  # fmt: skip
    (folder / "s1.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert [one.path for one in mem.learn().files] == ["s1.jsonl"]


def test_a_pasted_error_finds_its_lesson_and_a_question_its_note(mem):
    (hit,) = mem.query(ERROR)
    assert (hit.kind, hit.id) == ("lesson", mem.lessons(tool="git")[0].id)
    assert mem.query(ERROR).frame()["id"].to_list() == [hit.id[:12]]
    asked = "Why do lookups of outside hosts from the booking pods take five seconds"
    assert mem.query(asked)[0].id == "infra/q12"
    assert len(mem.query(asked, level="lesson")) == 0
    assert len(mem.query("paint the garden fence")) == 0


def test_an_explanation_lists_what_was_not_kept_too(mem):
    found = mem.explain_query(ERROR)
    assert [one.kept for one in found][:2] == [True, False]
    assert found.title.startswith("1 of ")
    assert found.frame()["signature"][0] > 0.5


def test_a_context_shows_its_parts_and_its_text(mem):
    found = mem.context("roll back the bad release")
    assert [one.id for one in found.skills] == ["rollback-release"]
    assert repr(found).startswith("1 skills, 0 lessons, 0 notes; ")
    page = found._repr_html_()
    assert "&lt;memskill-observation" in page
    assert "<memskill-observation" not in page


def test_the_last_day_of_the_history_says_what_the_lessons_say(mem):
    with open_store(mem.settings) as store:
        days = store.lesson_history()
    last = {lesson: sure for lesson, _, sure in days}
    assert last == {one.id: one.confidence for one in mem.lessons()}
    assert days == sorted(days, key=lambda row: (row[1], row[0]))


def test_a_persons_word_counts_from_the_day_it_was_said(mem):
    from memskill.pipeline.lessons import judge_lesson

    (git,) = mem.lessons(tool="git")
    judge_lesson(mem.settings, git.id, "confirmed")
    with open_store(mem.settings) as store:
        days = [sure for lesson, _, sure in store.lesson_history() if lesson == git.id]
    # It was said today; what was met was met before.
    assert max(days) <= 0.6667
    assert mem.lessons(tool="git")[0].confidence > max(days)


def test_the_chart_of_confidence_has_a_line_a_lesson(mem):
    chosen = mem.lessons()[:2]
    spec = mem.confidence(chosen).spec
    rows = spec["data"]["values"]
    assert len({row["lesson"] for row in rows}) == 2
    assert all(0 <= row["confidence"] <= 1 for row in rows)
    assert mem.confidence().rows > mem.confidence(chosen).rows


def test_labelled_questions_lie_in_a_folder_of_their_own(mem):
    with pytest.raises(NotFound, match="no labelled questions"):
        mem.questions()
    folder = mem.settings.vault / "questions"
    folder.mkdir()
    row = {"task": "why so slow", "expected": ["infra/q12"], "kind": "match"}
    (folder / "ours.jsonl").write_text(json.dumps(row) + "\n", encoding="utf-8")
    assert [one.text for one in mem.questions()] == ["why so slow"]


def test_without_a_fit_a_question_says_what_to_do(mem):
    own_path(mem.settings).unlink()
    with pytest.raises(FloorMissing, match="no floor of notes search"):
        mem.query("why so slow")


def test_the_larger_example_has_transcripts_and_questions_that_name_its_notes():
    mem = memskill.open_example(larger=True)
    notes = mem.settings.vault / "notes"
    named = {name for one in mem.questions() for name in one.expected if " " not in name}
    found = {f"{file.parent.name}/{file.stem}" for file in notes.rglob("*.md")}
    assert len(named & found) > 50
    assert len(list((mem.settings.vault / "transcripts").rglob("*.jsonl"))) == 9
