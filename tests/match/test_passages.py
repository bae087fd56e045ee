"""Passages: spans that give back the text, cut where it reads well."""

from __future__ import annotations

from helpers.drafting import make_node
from helpers.lessons import lesson
from hypothesis import given
from hypothesis import strategies as st

from memskill.match.passages import (
    MAX_CHARS,
    MAX_PASSAGES,
    lesson_passages,
    note_passages,
    note_texts,
    split_passages,
)
from memskill.sources.identity import text_sha

PIECES = st.sampled_from(
    (
        *("# Head", "## Sub", "```", "~~~", "word ", "x" * 400, ". ", "\n", "\n\n", " "),
        *("- item", "é👩‍🔧"),
    )
)
TEXTS = st.one_of(st.text(max_size=3_000), st.lists(PIECES, max_size=60).map("".join))


@given(TEXTS)
def test_spans_give_back_everything_but_white_space(text):
    spans = split_passages(text)
    kept = "".join(text[start:stop] for start, stop in spans)
    assert "".join(kept.split()) == "".join(text.split())


@given(TEXTS)
def test_spans_are_in_order_bounded_and_trimmed(text):
    last = 0
    for start, stop in split_passages(text):
        assert last <= start < stop <= len(text)
        assert stop - start <= MAX_CHARS
        assert text[start:stop] == text[start:stop].strip()
        last = stop


def test_a_heading_opens_a_passage_and_stays_with_what_follows():
    text = f"# One\n\n{'a ' * 150}\n\n## Two\n\n{'b ' * 150}"
    first, second = [text[start:stop] for start, stop in split_passages(text)]
    assert first.startswith("# One")
    assert second.startswith("## Two")
    assert "b b" in second


def test_fenced_code_stays_whole_with_blank_lines_and_headings_inside():
    code = "```bash\n# no heading\n\nmake flash\n```"
    text = f"{'a ' * 300}\n\n{code}\n\n{'b ' * 300}"
    assert any(code in text[start:stop] for start, stop in split_passages(text))


def test_a_long_paragraph_is_cut_behind_a_sentence():
    text = "One sentence of some length stands here. " * 60
    assert all(text[stop - 1] == "." for _, stop in split_passages(text))


def test_the_parts_of_a_note_are_whole_title_and_passages():
    node = make_node()
    rows = note_passages(node)
    assert [row.part for row in rows[:3]] == ["whole", "title", "passage"]
    assert [row.ordinal for row in rows] == list(range(len(rows)))
    assert {row.text_sha for row in rows} == set(note_texts(node))
    passage = node.body[rows[2].starts : rows[2].stops]
    assert rows[2].text_sha == text_sha(passage)


def test_a_passage_holds_the_terms_of_the_title_too():
    (passage,) = note_passages(make_node("Restart it.", "Why does the export queue hang?"))[2:]
    assert {"export", "queu", "restart"} <= set(passage.terms)


def test_an_endless_note_has_a_bounded_number_of_passages():
    node = make_node("\n\n".join("word " * 130 for _ in range(MAX_PASSAGES + 50)))
    assert len(note_passages(node)) == MAX_PASSAGES + 2


def test_a_lesson_is_found_by_its_symptom_and_by_what_mended_it():
    rows, texts = lesson_passages(lesson())
    assert [row.part for row in rows] == ["whole", "title", "passage"]
    assert texts[rows[1].text_sha].startswith("git push: fatal: The current branch")
    assert "git push -u origin" in texts[rows[2].text_sha]
