import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.sources.yamltext import MAX_DEPTH, Problem, YamlFault, load_text


@pytest.mark.parametrize(
    "text",
    [
        *("007", "1e10", "on", "null", "~", "12:30:45", "2024-01-02", "0x1F", "1_000", "true"),
        *("2024-01-02T10:00:00Z", "0o17", "-0", "NaN", "=", ".inf"),
    ],
)
def test_a_scalar_is_the_text_that_was_written(text: str) -> None:
    assert load_text(f"key: {text}\nlist: [{text}]\n")[0] == {"key": text, "list": [text]}


def test_keys_are_text_too() -> None:
    assert load_text("1: a\non: b\nnull: c\n")[0] == {"1": "a", "on": "b", "null": "c"}


def test_nothing_written_is_empty_text() -> None:
    assert load_text("a:\nb: ''\nc:\n-\n- x\n")[0] == {"a": "", "b": "", "c": ["", "x"]}


@pytest.mark.parametrize("text", ["", "\n\n", "# only a comment\n"])
def test_an_empty_document_is_an_empty_map_or_text(text: str) -> None:
    assert load_text(text)[0] in ({}, "")


def test_block_scalars_fold_as_yaml_says() -> None:
    value, _ = load_text("a: >-\n  one\n  two\n\n  three\nb: |\n  one\n  two\n")
    assert value == {"a": "one two\nthree", "b": "one\ntwo\n"}


def test_the_last_of_two_equal_keys_wins_and_is_told() -> None:
    value, problems = load_text("a: 1\nb: 2\na: 3\n")
    assert value == {"a": "3", "b": "2"}
    assert problems == [Problem(reason="duplicate key 'a'; the last one counts", line=3)]


def test_tags_make_no_objects() -> None:
    value, _ = load_text('a: !!python/object/apply:os.system ["true"]\nb: !!int "7"\nc: !x 1\n')
    assert value == {"a": ["true"], "b": "7", "c": "1"}


def test_an_alias_is_its_anchors_value() -> None:
    assert load_text("a: &x [1, 2]\nb: *x\n")[0] == {"a": ["1", "2"], "b": ["1", "2"]}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("a: &x [*x]\n", "alias of nothing"),
        ("a: *gone\n", "alias"),
        ("a: 1\n---\nb: 2\n", "second document"),
        ("? [a]\n: b\n", "key that is not text"),
        ("a: " + "[" * (MAX_DEPTH + 5), "nested deeper|expected"),
        ("a: b: c\n", "mapping values"),
        ('a: "\\U0011ffff"\n', "not readable as YAML"),
        ("a: \x01\n", "not allowed"),
        ("a: 'open\n", "unexpected end"),
        ("\tb: 1\n", "cannot start any token"),
    ],
)
def test_what_is_not_read_says_why(text: str, reason: str) -> None:
    with pytest.raises(YamlFault, match=reason):
        load_text(text)


def test_a_bomb_of_aliases_is_refused_at_once() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 10)]
    started = time.perf_counter()
    with pytest.raises(YamlFault, match="more than 5000 values"):
        load_text("\n".join(lines))
    assert time.perf_counter() - started < 1


def test_a_lone_surrogate_from_an_escape_is_replaced() -> None:
    assert load_text('a: "x\\ud800y"\n')[0] == {"a": "x\ufffdy"}


@given(st.text(alphabet="ab:- \n#&*[]{}|>'\"!%@?,\t\\~.\x85\u2028é\0", max_size=60))
def test_any_text_is_a_value_or_a_fault(text: str) -> None:
    try:
        value, problems = load_text(text)
    except YamlFault as fault:
        value, problems = fault.reason, []
    assert value == "" or isinstance(value, str | list | dict)
    assert all(p.line for p in problems)
