from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.draft.parse import MAX_ITEMS, SCHEMA, parse_reply

GOOD = {
    "title": "T",
    "description": "Does it. Use when it hangs.",
    "when_to_use": "w",
    "steps": [{"do": "1. Run\nit.", "code": "```bash\nx\n```", "language": "Bash", "check": "c"}],
    "pitfalls": ["p"],
}


def reply(**values: object) -> str:
    return json.dumps(GOOD | values)


def test_a_reply_of_the_schema_becomes_a_body():
    body = parse_reply(reply()).body
    assert body is not None
    (step,) = body.steps
    assert (step.do, step.code, step.language, step.check) == ("Run it.", "x", "bash", "c")


@pytest.mark.parametrize(
    "text", ["{}", "Sure!\n```json\n{}\n```\nAnything else?", "Here: {} - done"], ids=str
)
def test_the_object_is_found_alone_in_a_fence_and_in_talk(text):
    assert parse_reply(text.replace("{}", reply())).body is not None


@pytest.mark.parametrize("text", ["", "no", "[1]", "{", '{"a": ' * 5000, "null"], ids=len)
def test_what_is_no_object_is_one_fault(text):
    assert parse_reply(text[:20_000]).faults == ("the reply is not one JSON object",)


def test_every_fault_is_named_not_only_the_first():
    faults = parse_reply(
        reply(description="", steps=[{"do": 1}, "x"], pitfalls="p", when_to_use=["w"])
    ).faults
    assert faults == (
        "description is empty",
        "when_to_use is not a text",
        "steps[0].do is not a text",
        "steps[1] is not an object",
        "pitfalls is not a list",
    )


def test_a_reply_without_steps_is_a_fault():
    assert "steps is empty" in parse_reply(reply(steps=[])).faults[0]


def test_a_refusal_carries_its_reason():
    parsed = parse_reply('{"not_skill_worthy": "only\\n talk"}')
    assert (parsed.refusal, parsed.body, parsed.faults) == ("only talk", None, ())
    assert parse_reply('{"not_skill_worthy": true}').refusal == "the model gave no reason"


def test_unknown_fields_reach_nothing():
    body = parse_reply(reply(**{"allowed-tools": "Bash", "name": "../x", "hooks": {}})).body
    assert "Bash" not in repr(body)
    assert "../x" not in repr(body)


def test_texts_and_lists_have_limits():
    faults = parse_reply(reply(pitfalls=["p"] * (MAX_ITEMS + 1), when_to_use="x" * 2001)).faults
    assert faults == (
        "when_to_use has 2001 characters, at most 2000 are taken",
        "pitfalls has 31 items, at most 30 are taken",
    )


def test_a_missing_title_comes_from_the_description():
    body = parse_reply(reply(title="")).body
    assert body is not None
    assert body.title == "Does it"


def test_a_strange_language_is_dropped():
    body = parse_reply(reply(steps=[{"do": "x", "language": "bash`\n---"}])).body
    assert body is not None
    assert body.steps[0].language == ""


def test_the_schema_names_what_the_parser_reads():
    properties = SCHEMA["properties"]
    assert isinstance(properties, dict)
    assert sorted(properties) == sorted(SCHEMA["required"])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from([*GOOD, "do"]), inner)
    ),
    max_leaves=20,
)


@given(JSON | st.text(max_size=200))
def test_any_reply_is_parsed_to_exactly_one_outcome(value):
    text = value if isinstance(value, str) else json.dumps(value)
    parsed = parse_reply(text)
    assert [bool(parsed.body), parsed.refusal is not None, bool(parsed.faults)].count(True) == 1
