from __future__ import annotations

import time

from hypothesis import given
from hypothesis import strategies as st

from memskill.draft.markdown import parse_blocks


def kinds(text: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in parse_blocks(text)]


def test_a_line_goes_on_with_the_paragraph_or_item_above():
    assert kinds("a\nb\n\n- c\n  d\n") == [("paragraph", "a b"), ("item", "c d")]


def test_the_title_is_no_section_and_later_headings_are():
    blocks = parse_blocks("# Repair\nx\n\n## Check ##\ny\n")
    assert [(b.text, b.section) for b in blocks if b.kind == "paragraph"] == [
        ("x", ""),
        ("y", "Check"),
    ]


def test_code_keeps_its_own_indent_and_loses_that_of_its_fence():
    (_, code) = parse_blocks("1. run\n   ```bash\n   if x; then\n     y\n   fi\n   ```\n")
    assert (code.text, code.language, code.depth) == ("if x; then\n  y\nfi", "bash", 3)


def test_an_unclosed_fence_runs_to_the_end():
    assert kinds("```\na\n# b") == [("code", "a\n# b")]


def test_a_shorter_fence_inside_code_closes_nothing():
    assert kinds("````\n```\nx\n```\n````\ny") == [("code", "```\nx\n```"), ("paragraph", "y")]


def test_a_bar_inside_a_code_span_parts_no_cell():
    assert kinds("| a | `x | y` |\n|---|---|\n") == [("row", "a\t`x | y`")]


def test_items_know_their_number_and_task_boxes_go():
    (one, two) = parse_blocks("3. a\n- [x] b\n")
    assert (one.number, two.number, two.text) == (3, 0, "b")


@given(st.text(max_size=400))
def test_any_text_is_read(text):
    for block in parse_blocks(text):
        assert block.line >= 1


def test_five_megabytes_in_one_paragraph_are_read_in_linear_time():
    started = time.perf_counter()
    (block,) = parse_blocks("word word\n" * 500_000)
    assert len(block.text) == 4_999_999
    assert time.perf_counter() - started < 60
