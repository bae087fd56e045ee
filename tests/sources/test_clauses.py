"""Clauses: what a skill is for, what it sends away, and that nothing is lost or slow."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memskill.sources.clauses import MAX_CLAUSES, positive_text, split_clauses

WHAT = "Counts sheep on a pasture and writes the number down. Use when a flock comes home."

SENT_AWAY = [
    "Not for goats, use count-goats.",
    "Do not use for horses.",
    "Don't trigger this when the barn is empty.",
    "Skip when the shepherd has counted already.",
    "Avoid if the flock is on the move; reach for track-flocks.",
    "For goats use count-goats instead.",
    "For cows, see cattle.",
    "Goats are counted by count-goats.",
    "Selling wool is out of scope.",
    "Shearing lies outside.",
    "Anything about wolves is refused.",
    "Bills of the vet do not belong here but in pay-vets.",
    "Naming lambs is a task for name-lambs.",
    "Feeding plans → plan-feeding.",
    "Looking for the dog? Go to find-dogs.",
    "Its part ends at the gate: from there lead-flocks takes over.",
    "It only counts, and never drives.",
    "Must not be used at night.",
    "Milking is left to other tools.",
    "Excludes rams.",
    "Please do not call it for pigs.",
    "This skill is not the place for poems about sheep.",
    "Goats are count-goats territory.",
    "When the flock is lost, find-flocks is the better choice.",
    "Wrong tool for weighing animals.",
    "Catering for shepherds: out.",
    "Fences are another trade.",
    "不适用于山羊。",
]

KEPT = [
    "Use when tests do not pass.",
    "Use when the user does not know which number is right.",
    "Use this skill even if nobody says 'count'.",
    "Trigger with phrases like 'sheep not found'.",
    "Builds end-to-end reports with real-time numbers.",
    "Use when a fence should be replaced instead of mended.",
    "Supports multi-tenant pastures.",
    "Use for flocks that cannot be seen from the road.",
]


@pytest.mark.parametrize("sentence", SENT_AWAY)
def test_what_a_skill_sends_away_leaves_the_positive_text(sentence: str) -> None:
    text = f"{WHAT} {sentence}"
    assert positive_text(text, "") == WHAT
    negative = [c.text for c in split_clauses(text, "") if c.polarity == "negative"]
    assert negative
    assert all(part in sentence for part in negative)


@pytest.mark.parametrize("sentence", KEPT)
def test_a_trigger_with_a_negation_in_it_stays(sentence: str) -> None:
    assert positive_text(f"{WHAT} {sentence}", "") == f"{WHAT} {sentence}"


def test_an_exclusion_inside_a_sentence_is_cut_off_there() -> None:
    text = "Counts sheep, but not for goats."
    assert positive_text(text, "") == "Counts sheep"
    assert positive_text("Counts sheep (not for goats) on a pasture.", "").startswith(
        "Counts sheep on a pasture"
    )


def test_an_exclusion_goes_on_after_a_semicolon() -> None:
    text = f"{WHAT} Not for goats; reach for count-goats. Writes a table."
    assert positive_text(text, "") == f"{WHAT} Writes a table."


def test_a_skill_of_exclusions_alone_keeps_its_whole_text() -> None:
    assert positive_text("Do not use for goats.", "") == "Do not use for goats."


def test_quoted_phrases_and_when_parts_become_clauses_of_their_field() -> None:
    clauses = split_clauses(
        "Counts sheep.", "Use when the user says 'how many sheep', or when a flock comes home."
    )
    texts = {c.text for c in clauses if c.field == "when_to_use"}
    assert "how many sheep" in texts
    assert "a flock comes home" in texts
    assert [c.text for c in clauses if c.field == "description"] == ["Counts sheep."]


def test_enumerated_situations_become_clauses() -> None:
    texts = [c.text for c in split_clauses("", "Use when a flock is lost at night, two flocks "
             "have been mixed, or a lamb has no mark.")]  # fmt: skip
    assert "two flocks have been mixed" in texts
    assert "a lamb has no mark" in texts


def test_both_fields_are_told_apart_and_counted_through() -> None:
    clauses = split_clauses("Counts sheep. Not for goats.", "Use when a flock comes home.")
    assert [c.ordinal for c in clauses] == list(range(len(clauses)))
    assert [c.field for c in clauses] == sorted(c.field for c in clauses)


def test_an_abbreviation_ends_no_sentence() -> None:
    assert positive_text("Counts animals, e.g. Sheep and the like.", "") == (
        "Counts animals, e.g. Sheep and the like."
    )
    assert len(split_clauses("Counts animals, e.g. Sheep and the like.", "")) == 1


@pytest.mark.parametrize(
    "hostile",
    ["a" * 1_000_000, "not for " * 120_000, "'" * 1_000_000, "(" * 1_000_000, "; - " * 250_000,
     "for x use y-z " * 70_000, "use when " * 110_000, ", " * 500_000, "a-" * 500_000],
)  # fmt: skip
def test_a_megabyte_of_anything_is_read_in_a_moment(hostile: str) -> None:
    started = time.perf_counter()
    clauses = split_clauses(hostile, hostile)
    positive_text(hostile, hostile)
    assert time.perf_counter() - started < 5
    assert len(clauses) <= MAX_CLAUSES


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=400), st.text(max_size=200))
def test_any_text_yields_clauses_that_say_something_and_the_same_ones_again(
    description: str, when: str
) -> None:
    clauses = split_clauses(description, when)
    assert clauses == split_clauses(description, when)
    assert all(clause.text == clause.text.strip() and clause.text for clause in clauses)
    words = set(positive_text(description, when).split())
    assert words <= set(f"{description} {when}".split()) | words
    if description.strip() or when.strip():
        assert positive_text(description, when)
