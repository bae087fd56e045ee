import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memskill.sources.plainmap import read_plain_map
from memskill.sources.yamltext import YamlFault, load_text

SCALAR = st.one_of(
    st.text(alphabet="ab1:#-'\"\\ ,[]{}&*!|>%@`?.~é=<", max_size=12),
    st.text(max_size=6),
    st.text(alphabet='a\\"n ', max_size=6).map('"{}"'.format),
    st.sampled_from(
        ["007", "on", "null", "~", "- a", "a: b", "a #b", "a#b", "a:b", "'it''s'", "x:"]
    ),
)
KEYED = st.tuples(st.sampled_from(["a", "b", "c-d", "_e", "1", "a b", ""]), SCALAR).map(": ".join)
LINE = st.one_of(
    KEYED,
    KEYED.map(lambda line: line + "  "),
    st.sampled_from(["a:", "b: ", "", "# x", "---", "...", "a:\t1", "a :b"]),
    st.tuples(st.sampled_from(["", " ", "  ", "    "]), SCALAR).map("- ".join),
    st.tuples(st.sampled_from(["  ", " "]), KEYED).map("".join),
    SCALAR,
)


@settings(max_examples=500)
@given(st.lists(LINE, min_size=1, max_size=6))
@example(["a:", "- x", "b: 1"])
@example(["a: x", "- y"])
@example(["a:", "- x", " - y"])
@example(["a:", "  - x", "- y"])
@example(["a: x", "  y"])
@example(["a: 'b' c"])
def test_where_the_short_road_answers_the_long_one_agrees(block: list[str]) -> None:
    plain = read_plain_map(block)
    if plain is None:
        return
    assert load_text("\n".join(block) + "\n") == (plain, [])


@pytest.mark.parametrize(
    "block",
    [
        ["name: x", 'description: "Use when: it rains # hard"', "when_to_use: 'On call'"],
        ["a: 007", "b:", "  - 1e10", "  - on", 'c: ""'],
        ["a:", "- x", "- y", "b: z"],
        ["a: x:y#z, [w] {v}"],
        [r'a: "say \"so\" in C:\\x"'],
    ],
)
def test_everyday_frontmatter_takes_the_short_road(block: list[str]) -> None:
    assert read_plain_map(block) == load_text("\n".join(block) + "\n")[0]


@pytest.mark.parametrize(
    "block",
    [
        ["a: b: c"], ["a: b #c"], ["a: >", "  b"], ["a: [b]"], ["a: 1", "a: 2"], ["a: 'it''s'"],
        ['a: "\\n"'], ["a:\t1"], ["a: *x"], ["a: b", "  c"], ["- a"], ["a:", "  b: c"], ["# a"],
        ["a: b\x85c"], ["a: b\u2028c"], ["a: b:"], ["a: |"], ["? a"], ["a"], ["a:", "- b: c"],
    ],
)  # fmt: skip
def test_anything_else_takes_the_long_road(block: list[str]) -> None:
    assert read_plain_map(block) is None


def test_the_parser_refuses_what_the_long_road_is_there_for() -> None:
    with pytest.raises(YamlFault):
        load_text("a: b: c\n")
