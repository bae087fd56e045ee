"""The tools without the protocol: what they give, and what they say to a wrong call."""

from __future__ import annotations

import json

import pytest
from helpers.knowing import fake_contexts, learned_vault
from helpers.vaults import write_skill
from jsonschema import Draft202012Validator

from memskill.errors import NotFound
from memskill.mcp.schemas import output_schemas
from memskill.mcp.verbs import TOLD, Verbs

ERROR = "fatal: The current branch berth has no upstream branch."
CALLS = [
    ("match_skills", {"task": "roll back the bad release"}),
    ("match_skills", {"task": "paint the fence"}),
    ("get_skill", {"name": "rollback-release"}),
    ("query_notes", {"question": ERROR}),
    ("query_notes", {"question": "paint the fence", "level": "L2"}),
    ("get_context", {"task": "roll back the bad release", "max_chars": 900}),
    ("get_context", {"task": ERROR}),
]


@pytest.fixture(scope="module")
def vault(tmp_path_factory):
    return learned_vault(tmp_path_factory.mktemp("mcp") / "vault")


@pytest.fixture(scope="module")
def verbs(vault):
    return Verbs(vault, fake_contexts(vault))


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_an_answer_is_what_its_schema_says(verbs, name, arguments):
    answer = verbs.call(name, arguments)
    assert not answer.is_error, answer.text
    Draft202012Validator(output_schemas()[name]).validate(answer.structured)


def test_schemas_are_schemas_and_refer_to_nothing_outside():
    for schema in output_schemas().values():
        Draft202012Validator.check_schema(schema)
        assert "$ref" not in json.dumps(schema)


def test_every_tool_is_told_and_takes_nothing_unknown(verbs):
    assert set(TOLD) == set(verbs.schemas) == set(output_schemas())
    for schema in verbs.schemas.values():
        Draft202012Validator.check_schema(schema)
        assert schema["additionalProperties"] is False


def test_match_gives_what_http_gives(verbs):
    (skill,) = verbs.call("match_skills", {"task": "roll back the bad release"}).structured[
        "skills"
    ]
    assert list(skill) == ["name", "score", "matched_on", "when_to_use"]
    assert skill["name"] == "rollback-release"


def test_a_skill_is_its_file(vault, verbs):
    answer = verbs.call("get_skill", {"name": "rollback-release"})
    file = vault.skills_dir / "rollback-release" / "SKILL.md"
    assert answer.text == answer.structured["text"] == file.read_text(encoding="utf-8")


def test_a_pasted_error_finds_its_lesson(verbs):
    (hit,) = verbs.call("query_notes", {"question": ERROR, "level": "lesson"}).structured["hits"]
    assert "git push -u origin" in hit["excerpt"]


def test_a_context_gives_its_text_for_readers_of_text(verbs):
    answer = verbs.call("get_context", {"task": "roll back the bad release", "max_chars": 950})
    assert answer.text == answer.structured["text"]
    assert 0 < len(answer.text) <= 950


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("match_skills", {}, "'task' is a required property"),
        ("match_skills", {"task": ""}, "task: must have at least 1 characters"),
        ("match_skills", {"task": "  "}, "the task is blank"),
        ("match_skills", {"task": "x" * 30_000}, "task: must have at most 20000 characters"),
        ("match_skills", {"task": "x", "limit": 51}, "limit: must be at most 50"),
        ("match_skills", {"task": "x", "limit": 0}, "limit: must be at least 1"),
        ("match_skills", {"task": "x", "limit": "3"}, "limit: must be of type integer"),
        ("match_skills", {"task": ["x"] * 9000}, "task: must be of type string"),
        ("match_skills", {"task": "x", "projekt": "y"}, "unknown argument 'projekt'"),
        ("get_context", {"task": "x", "max_chars": 199}, "max_chars: must be at least 200"),
        ("get_context", {"task": "x", "max_chars": 50_001}, "max_chars: must be at most 50000"),
        ("query_notes", {"question": "x", "level": "L7"}, "level: must be one of"),
        ("get_skill", {"name": "../../etc/passwd"}, "no promoted skill"),
        ("get_skill", {"name": "docs-site-007"}, "no promoted skill"),
    ],
)
def test_a_wrong_call_is_told_in_a_few_words(verbs, name, arguments, said):
    answer = verbs.call(name, arguments)
    assert answer.is_error
    assert answer.text.startswith(f"error: {said}")
    assert len(answer.text) < 400


def test_an_error_carries_its_hint(verbs):
    answer = verbs.call("get_skill", {"name": "rollback-releas"})
    assert answer.text.endswith("hint: Did you mean 'rollback-release'?")


def test_a_bug_is_told_by_a_number_and_never_by_its_trace(verbs, monkeypatch, caplog):
    monkeypatch.setattr(verbs._matching, "skill_file", lambda name: 1 / 0)
    answer = verbs.call("get_skill", {"name": "x"})
    assert answer.is_error
    assert "Traceback" not in answer.text
    assert "division" not in answer.text
    number = answer.text.rpartition(" ")[2]
    assert any(number in record.getMessage() for record in caplog.records)


def test_an_unknown_tool_is_no_answer(verbs):
    with pytest.raises(NotFound, match="no tool 'rm'"):
        verbs.call("rm", {})


def test_half_a_character_breaks_nothing(verbs):
    assert not verbs.call("match_skills", {"task": "roll back \ud800 the release"}).is_error


def test_null_is_as_good_as_left_out(verbs):
    asked = {"task": "roll back the bad release"}
    more = verbs.call("match_skills", {**asked, "project": None, "limit": None})
    assert more == verbs.call("match_skills", asked)


def test_a_promoted_skill_is_seen_by_the_next_call(vault, verbs):
    assert verbs.call("match_skills", {"task": "grease the crane"}).structured == {"skills": []}
    write_skill(vault, "greasy-crane", "Greases the crane.")
    found = verbs.call("match_skills", {"task": "grease the crane"}).structured["skills"]
    assert [one["name"] for one in found] == ["greasy-crane"]
