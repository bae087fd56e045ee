"""Tables and text for notebooks: nothing hostile gets through."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.explore.markup import block, counted, escaped, html_table, plain_table, shown


class _Tags(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = set()

    def handle_starttag(self, tag, attrs):
        self.found.add(tag)


def tags(page):
    parser = _Tags()
    parser.feed(page)
    return parser.found


@given(st.text())
def test_no_text_becomes_a_tag(text):
    page = html_table([text], [[text]]) + block(text) + f"<p>{escaped(text)}</p>"
    assert tags(page) == {"table", "thead", "tbody", "tr", "th", "td", "pre", "p"}


@given(st.text())
def test_no_text_ends_an_attribute_or_forges_an_entity(text):
    assert '"' not in escaped(text)
    assert "<" not in escaped(text)


@pytest.mark.parametrize("text", ["\x1b[31mred", "a\u202eb", "a\x00b", "tab\tline\nend"])
def test_control_and_bidi_characters_do_not_reach_the_page(text):
    for made in (escaped(text), block(text), plain_table(["head"], [[text]])):
        assert not {"\x1b", "\u202e", "\x00", "\t"} & set(made)


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.12345, "0.12"), (-0.001, "0.00"), (None, "-"), (True, "yes"), (False, ""), (3, "3")],
)
def test_cells_are_rounded_to_what_every_processor_agrees_on(value, text):
    assert shown(value) == text


def test_a_plain_table_has_aligned_columns():
    assert plain_table(["a", "name"], [[1, "x"], [22, "yy"]]) == "a   name\n1   x\n22  yy"


def test_numbers_stand_on_the_right_and_texts_on_the_left():
    page = html_table(["n", "t"], [[1, "x"]])
    assert "<td>1</td>" in page
    assert '<td style="text-align:left">x</td>' in page


@pytest.mark.parametrize(("number", "text"), [(0, "0 notes"), (1, "1 note"), (2, "2 notes")])
def test_nouns_follow_their_number(number, text):
    assert counted(number, "note") == text
