import json
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from memskill.sources.frontmatter import MAX_BLOCK_CHARS, split_frontmatter

KEY = st.from_regex(r"[a-z][a-z_]{0,12}", fullmatch=True)
# What a renderer may write into one line: no control characters, no line or paragraph separators.
LINE = st.text(
    st.characters(
        exclude_categories=["Cc", "Cs", "Zl", "Zp"], exclude_characters="\ufeff\ufffe\uffff"
    ),
    max_size=60,
)
PLAIN = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9 .,()/_+-]{0,40}", fullmatch=True).map(str.strip)
NOISE = st.text(alphabet="ab:- \n#&*[]{}|>'\"!%@?,\t\\~.\r\ufeff\x85\u2028é\0", max_size=80)


@given(st.text(st.characters(), max_size=200) | NOISE.map(lambda t: "---\n" + t))
@example("---")
@example("---\n")
@example("---\n---")
@example("---\n...\n")
@example("\ufeff\n\n---\na: 1")
def test_no_text_is_too_odd(text: str) -> None:
    parts = split_frontmatter(text)
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert parts.body == "\n".join(lines[parts.body_line - 1 :])
    assert all(p.line is None or 1 <= p.line <= len(lines) + 1 for p in parts.problems)


@given(NOISE.map(lambda t: "---\nname: x\n" + t + "\n---\nbody"))
def test_a_sound_first_key_survives_what_follows(text: str) -> None:
    parts = split_frontmatter(text)
    assert "name" in parts.data


@given(st.dictionaries(KEY, LINE, min_size=1, max_size=6), LINE)
def test_a_quoted_map_comes_back_as_it_was(data: dict[str, str], body: str) -> None:
    rows = [f"{key}: {json.dumps(value, ensure_ascii=False)}" for key, value in data.items()]
    parts = split_frontmatter("\n".join(["---", *rows, "---", body]))
    assert parts.data == data
    assert parts.body == body
    assert (parts.problems, parts.repaired, parts.body_line) == ((), False, len(rows) + 3)


@given(st.dictionaries(KEY, PLAIN, min_size=1, max_size=6))
def test_a_plain_map_comes_back_as_it_was(data: dict[str, str]) -> None:
    rows = [f"{key}: {value}" for key, value in data.items()]
    assert split_frontmatter("\n".join(["---", *rows, "---"])).data == data


@given(st.dictionaries(KEY, st.lists(PLAIN, min_size=1, max_size=4), min_size=1, max_size=4))
def test_lists_come_back_as_they_were(data: dict[str, list[str]]) -> None:
    rows = [line for k, items in data.items() for line in (f"{k}:", *(f"  - {i}" for i in items))]
    assert split_frontmatter("\n".join(["---", *rows, "---"])).data == data


def test_a_file_without_frontmatter_is_all_body() -> None:
    parts = split_frontmatter("# Title\n---\nnot: this\n---\n")
    assert (parts.data, parts.body, parts.body_line) == ({}, "# Title\n---\nnot: this\n---\n", 1)
    assert parts.problems == ()


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_marks_and_newlines_of_every_editor(mark: str, newline: str) -> None:
    parts = split_frontmatter(mark + newline.join(["---", "a: 1", "---", "one", "two"]))
    assert (parts.data, parts.body, parts.body_line) == ({"a": "1"}, "one\ntwo", 4)
    assert parts.problems == ()


def test_blank_lines_before_the_fence_are_told() -> None:
    parts = split_frontmatter("\n\n---\na: 1\n---\nbody")
    assert parts.data == {"a": "1"}
    assert parts.problems[0].reason == "blank lines before the opening ---"
    assert parts.body_line == 6


def test_a_missing_closing_fence_ends_at_the_first_line_of_prose() -> None:
    parts = split_frontmatter("---\na: 1\nb:\n  - x\n\n# Title\nc: no key of ours\n")
    assert parts.data == {"a": "1", "b": ["x"]}
    assert parts.body.startswith("\n# Title")
    assert "no closing ---" in parts.problems[0].reason


def test_a_thematic_break_at_the_start_is_body() -> None:
    text = "---\nOnce upon a time.\n\nThe end.\n"
    assert split_frontmatter(text).body == text
    text = "---\nOnce upon a time.\n---\nThe end.\n"
    assert split_frontmatter(text).body == text


def test_empty_frontmatter_is_no_problem() -> None:
    parts = split_frontmatter("---\n---\nbody")
    assert (parts.data, parts.body, parts.problems) == ({}, "body", ())


def test_a_broken_block_is_read_line_by_line_and_told() -> None:
    parts = split_frontmatter("---\nname: x\ndescription: Use when: it rains\n---\nbody")
    assert parts.data == {"name": "x", "description": "Use when: it rains"}
    assert parts.repaired
    assert [p.line for p in parts.problems] == [3, 3]
    assert parts.key_lines == {"name": 2, "description": 3}


def test_a_fence_in_a_value_does_not_end_the_block() -> None:
    assert split_frontmatter('---\na: "x --- y"\n---\nbody').data == {"a": "x --- y"}


def test_a_huge_block_is_cut_at_a_line_and_told() -> None:
    rows = [f"k{n}: {'x' * 1000}" for n in range(200)]
    parts = split_frontmatter("\n".join(["---", *rows, "---", "body"]))
    assert parts.data["k0"] == "x" * 1000
    assert len(parts.data) <= MAX_BLOCK_CHARS // 1000
    assert any("the rest is unread" in p.reason for p in parts.problems)
    assert parts.body == "body"


@pytest.mark.parametrize(
    "block",
    [
        *("a: " + "[" * 60_000, "[" * 60_000, "&a " * 20_000, "a: " + "'" * 60_000),
        *("- " * 30_000, "? " * 30_000, "a:\n" * 20_000, "x\n" * 30_000, "{a: " * 15_000),
        "a: |\n" + "  x\n" * 15_000,
    ],
)
def test_hostile_blocks_take_no_time(block: str) -> None:
    started = time.perf_counter()
    split_frontmatter(f"---\n{block}\n---\nbody")
    split_frontmatter(f"---\n{block}")
    assert time.perf_counter() - started < 5
