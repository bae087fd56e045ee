"""What a client may ask, and what it is told otherwise."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.errors import UsageError
from memskill.web.params import Question, from_json, from_query

ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ([("tsak", "x")], "unknown parameter 'tsak'"),
        ([("task", "x"), ("task", "y")], "given more than once"),
        ([("task", "x"), ("limit", "three")], "whole number, not 'three'"),
        ([("task", "x"), ("limit", "3.0")], "whole number"),
        ([("task", "x"), ("limit", "")], "whole number"),
        ([("task", "x"), ("limit", "٣")], "whole number"),
        ([("task", "x"), ("explain", "yes")], "1 or 0"),
        ([("task", "x"), ("project", " ")], "project is blank"),
        ([("task", "x"), ("project", "p" * 201)], "more than 200"),
        ([("limit", "3")], "only together with a task"),
        ([("explain", "1")], "only together with a task"),
    ],
)
def test_a_wrong_query_is_refused_with_the_reason(query, said):
    with pytest.raises(UsageError, match=said):
        from_query(query)


@pytest.mark.parametrize(
    ("name", "hint"), [("tasks", "task"), ("projct", "project"), ("limits", "limit")]
)
def test_an_unknown_parameter_names_the_nearest_known_one(name, hint):
    with pytest.raises(UsageError) as caught:
        from_query([(name, "x")])
    assert caught.value.hint == f"Did you mean {hint!r}?"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b"", "not JSON"),
        (b"{", "line 1, column 2"),
        (b"\xff", "not UTF-8, at byte 0"),
        (b"[]", "JSON object"),
        (b"null", "JSON object"),
        (b"{}", "either 'task' or 'tasks'"),
        (b'{"task": "a", "tasks": ["b"]}', "either 'task' or 'tasks'"),
        (b'{"task": 1}', "'task' must be a text"),
        (b'{"tasks": "a"}', "list of 1 to 256"),
        (b'{"tasks": []}', "list of 1 to 256"),
        (b'{"tasks": ["a", 2]}', r"tasks\[1\]"),
        (b'{"task": "a", "limit": "3"}', "'limit' must be"),
        (b'{"task": "a", "limit": true}', "'limit' must be"),
        (b'{"task": "a", "limit": 2.0}', "'limit' must be"),
        (b'{"task": "a", "limit": NaN}', "not JSON: NaN"),
        (b'{"task": "a", "project": 7}', "'project' must be"),
        (b'{"task": "a", "explain": 1}', "'explain' must be"),
        (b'{"tasks": ["a"], "explain": true}', "takes one task"),
        (b'{"task": "a", "task": "b"}', "more than once"),
        (b'{"task": "a", "taks": "b"}', "unknown parameter 'taks'"),
        (b'{"task": "a", "limit": ' + b"9" * 5000 + b"}", "too long"),
        (b'{"task": ' + b"[" * 100_000 + b"}", "nested too deeply"),
    ],
)
def test_a_wrong_body_is_refused_with_the_reason(body, said):
    with pytest.raises(UsageError, match=said):
        from_json(body)


def test_what_is_left_out_has_its_default():
    expected = Question(tasks=("x",), project=None, limit=3, explain=False)
    assert from_query([("task", "x")]) == from_json(b'{"task": "x"}') == expected
    assert from_query([]) == Question(tasks=())
    assert from_json(b'{"task": "x", "project": null}') == expected


def test_everything_that_is_given_arrives():
    query = [("task", "x"), ("project", "infra"), ("limit", "7"), ("explain", "true")]
    body = {"task": "x", "project": "infra", "limit": 7, "explain": True}
    expected = Question(tasks=("x",), project="infra", limit=7, explain=True)
    assert from_query(query) == from_json(json.dumps(body).encode()) == expected


@given(st.binary() | ANY_JSON.map(lambda value: json.dumps(value).encode()))
def test_no_body_is_more_than_a_usage_error(body):
    try:
        question = from_json(body)
    except UsageError as error:
        assert str(error)
    else:
        assert question.tasks


@given(st.dictionaries(st.sampled_from(["task", "project", "limit", "explain", "x"]), st.text()))
def test_no_query_is_more_than_a_usage_error(values):
    try:
        question = from_query(values.items())
    except UsageError as error:
        assert str(error)
    else:
        assert ("task" in values) == bool(question.tasks)
