"""When the index of notes and lessons is made anew, and when it is kept."""

from __future__ import annotations

from datetime import datetime

import pytest
from helpers.lessons import lesson
from helpers.notes import keep_lessons, note_policy
from helpers.vaults import write_note

from memskill.match.noteindex import NoteIndexes
from memskill.match.policy import shipped_hybrid
from memskill.models.fakes import HashEncoder
from memskill.pipeline.ingest import ingest
from memskill.pipeline.lessons import judge_lesson
from memskill.store import open_store
from memskill.store.feedback import Asked

NOTE_WEIGHTS = note_policy().shortlist
LESSON = lesson(tool="make", subcommand="flash", scope="herd")


@pytest.fixture
def kept(settings):
    write_note(settings, "p/roof", "The roof leaks when it rains hard.")
    ingest(settings, encoder=HashEncoder())
    keep_lessons(settings, LESSON)
    return settings


@pytest.fixture
def indexes(kept):
    return NoteIndexes(kept, HashEncoder(), shipped_hybrid().policy)


def test_the_lessons_whose_vectors_it_adds_itself_make_it_no_second_time(indexes):
    first = indexes.current(NOTE_WEIGHTS)
    assert indexes.current(NOTE_WEIGHTS) is first


def test_what_was_asked_and_said_changes_nothing(kept, indexes):
    first = indexes.current(NOTE_WEIGHTS)
    row = Asked(
        id="0" * 32, at=datetime(2026, 12, 1), task="t", project=None, floor=0.5, snapshot="s",
        answer="[]",
    )  # fmt: skip
    before = kept.database.stat().st_mtime_ns
    with open_store(kept, write=True) as store, store.transaction():
        store.add_asked([row])
    assert kept.database.stat().st_mtime_ns != before
    assert indexes.current(NOTE_WEIGHTS) is first


def _edit(settings):
    write_note(settings, "p/roof", "The roof was mended in May.")
    ingest(settings, encoder=HashEncoder())


def _move(settings):
    # The same note, but its text starts lower.
    write_note(settings, "p/roof", "The roof leaks when it rains hard.", author="Ada")
    ingest(settings, encoder=HashEncoder())


def _remove(settings):
    (settings.vault / "notes" / "p" / "roof.md").unlink()
    ingest(settings, encoder=HashEncoder())


def _add(settings):
    write_note(settings, "p/wall", "The wall is damp.")
    ingest(settings, encoder=HashEncoder())


def _retire(settings):
    judge_lesson(settings, LESSON.id, "retired")


def _learn(settings):
    keep_lessons(settings, LESSON, lesson(tool="make", subcommand="erase", scope="herd"))


@pytest.mark.parametrize("change", [_edit, _move, _remove, _add, _retire, _learn])
def test_any_change_of_notes_or_lessons_is_seen_by_the_next_question(kept, indexes, change):
    first = indexes.current(NOTE_WEIGHTS)
    change(kept)
    second = indexes.current(NOTE_WEIGHTS)
    assert second is not first
    assert second.found != first.found
    assert indexes.current(NOTE_WEIGHTS) is second


def test_other_weights_make_another_index(indexes):
    first = indexes.current(NOTE_WEIGHTS)
    other = note_policy(k1=0.9).shortlist
    assert indexes.current(other).generation == first.generation + 1
