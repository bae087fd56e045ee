"""Pasted error messages meet the lesson whose symptom they hold."""

from __future__ import annotations

import pytest
from helpers.lessons import lesson
from hypothesis import given
from hypothesis import strategies as st

from memskill.lessons.pasted import LEAST_SHARE, pasted_lessons
from memskill.lessons.signature import signature_of


def known(symptom, **values):
    return lesson(symptom=symptom, signature=signature_of(symptom), **values)


LOCK = known("Error: could not open port '/dev/ttyUSB0': Permission denied", tool="make")
HEADS = known("FAILED: Multiple head revisions are present for given argument 'head'")


def test_the_same_error_with_other_names_and_numbers_is_the_same_symptom():
    text = "Error: could not open port '/dev/ttyUSB7': Permission denied"
    assert pasted_lessons(text, [LOCK, HEADS]) == {LOCK.id: 1.0}


def test_the_error_is_found_among_other_lines():
    text = f"$ make flash\n12 files\nConnecting...\n{LOCK.symptom}\nmake: *** [flash]"
    assert pasted_lessons(text, [HEADS, LOCK]) == {LOCK.id: 1.0}


def test_a_branch_of_another_name_matches_the_lesson_of_branches():
    upstream = lesson()
    text = "fatal: The current branch berth-colours has no upstream branch."
    assert pasted_lessons(text, [upstream])[upstream.id] >= LEAST_SHARE


@pytest.mark.parametrize("text", ["who won the cup", "Error", "permission", "port 80", "\x1b[31m"])
def test_other_texts_meet_nothing(text):
    assert pasted_lessons(text, [LOCK, HEADS]) == {}


@given(st.text(max_size=500))
def test_any_text_has_shares_between_the_least_and_one(text):
    found = pasted_lessons(text, [LOCK, HEADS])
    assert all(LEAST_SHARE <= share <= 1 for share in found.values())
    assert found == pasted_lessons(text, [HEADS, LOCK])
