"""What hides or turns text is made visible."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.sources.safety import is_hostile
from memskill.web.pages.shown import visible


@pytest.mark.parametrize(
    "char", ["\u202e", "\u2066", "\u200b", "\x1b", "\x00", "\ud800", "\U000e0041"]
)
def test_a_hidden_character_is_named_by_its_code(char):
    assert visible(f"a{char}b") == f"a⟦U+{ord(char):04X}⟧b"


@pytest.mark.parametrize("text", ["", "plain", "tab\tand\nline", "שלום", "नमस्ते", "👩‍🚀"])
def test_what_people_write_stays_as_it_is(text):
    assert visible(text) == text


@given(st.text(st.characters(codec=None)))
def test_nothing_hidden_is_left(text):
    shown = visible(text)
    assert not is_hostile(shown.replace("\n", "").replace("\t", "").replace("\r", ""))
