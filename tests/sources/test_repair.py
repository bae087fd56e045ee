import time

import pytest

from memskill.sources.repair import MAX_ENTRIES, repair_lines


def reasons(block: list[str]) -> str:
    return "; ".join(problem.reason for problem in repair_lines(block)[1])


# Each is one way in which frontmatter is broken in the wild, in our own words.
@pytest.mark.parametrize(
    ("block", "data"),
    [
        (["a: Use when: it rains"], {"a": "Use when: it rains"}),
        (["a: TL;DR: short", "b: 1"], {"a": "TL;DR: short", "b": "1"}),
        (["a: [x] [y]"], {"a": "[x] [y]"}),
        (["a: {x: [1], [2]}"], {"a": "{x: [1], [2]}"}),
        (['a: {"x": {"y": 1}', "b: 2"], {"a": '{"x": {"y": 1}', "b": "2"}),
        (["a: part", "and rest", "b: 2"], {"a": "part and rest", "b": "2"}),
        (["a: one: two", "  and three", "b: 2"], {"a": "one: two and three", "b": "2"}),
        (['a: "never closed', "b: 2"], {"a": "never closed", "b": "2"}),
        (["a: 'it's here'"], {"a": "it's here"}),
        (["a: @mention and `code`"], {"a": "@mention and `code`"}),
        (["a: %done"], {"a": "%done"}),
        (["a: >", "  one: two", "  three", "b: x: y"], {"a": "one: two three\n", "b": "x: y"}),
        (["a:", "- one: x: y", "- two"], {"a": ["one: x: y", "two"]}),
        (["a:", "  - [x", "  - two"], {"a": ["[x", "two"]}),
        (["\ta: 1", "\tb: x: y"], {"a": "1", "b": "x: y"}),
        (["  a: 1", "  b: x: y"], {"a": "1", "b": "x: y"}),
        (["a: b\x00c", "b: \x08"], {"a": "bc", "b": ""}),
        (["## name: x", "b: y", "# A title", "", "Prose."], {"name": "x", "b": "y"}),
        (["a: Rain.license: MIT"], {"a": "Rain."}),
        (["a: 雨の時。origin: here"], {"a": "雨の時。"}),
        (['"a": x: y'], {"a": "x: y"}),
        (["## name: x", "b: y", "# A title", "", "Text."], {"name": "x", "b": "y"}),
        (["m:", "  owner: me", "  when: x: y"], {"m": {"owner": "me", "when": "x: y"}}),
    ],
)  # fmt: skip
def test_what_a_person_could_read_is_read(block: list[str], data: dict[str, object]) -> None:
    assert repair_lines(block)[0] == data
    assert repair_lines(block)[1] or data == {}


def test_merge_conflict_marks_are_passed_over_and_told() -> None:
    block = ["a: 1", "<<<<<<< ours", "b: 2", "=======", "b: 3", ">>>>>>> theirs"]
    data, problems = repair_lines(block)
    assert data == {"a": "1", "b": "3"}
    assert [p.line for p in problems if "stray" in p.reason] == [2, 4, 6]
    assert any("duplicate key 'b'" in p.reason for p in problems)


def test_a_blank_line_ends_what_stray_text_can_join() -> None:
    assert repair_lines(["a: one", "", "two"])[0] == {"a": "one"}


def test_each_repair_names_its_line() -> None:
    _, problems = repair_lines(["ok: 1", "bad: x: y"])
    assert [(p.line, "bad" in p.reason) for p in problems] == [(2, True)]


def test_a_block_of_thousands_of_keys_is_cut_and_told() -> None:
    block = [f"k{n}: x: y" for n in range(MAX_ENTRIES + 50)]
    assert len(repair_lines(block)[0]) == MAX_ENTRIES
    assert "the rest is unread" in reasons([f"k{n}: 1" for n in range(MAX_ENTRIES + 1)])


@pytest.mark.parametrize(
    "line", ["a: " + "x: " * 20_000, "- " * 20_000, "[" * 60_000, "#" * 60_000]
)
def test_hostile_lines_take_no_time(line: str) -> None:
    started = time.perf_counter()
    repair_lines([line])
    repair_lines(["a: b: c", *[line[:100]] * 600])
    assert time.perf_counter() - started < 3


def test_a_staircase_of_maps_takes_no_time() -> None:
    started = time.perf_counter()
    repair_lines([" " * n + "k:" for n in range(350)] + [" " * 351 + "k: x: y"])
    assert time.perf_counter() - started < 3
