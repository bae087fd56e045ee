"""GET /memory/context: parts and text as JSON, refusals as problems, the same bytes again."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from helpers.knowing import learn, learned_vault, set_note_floor
from helpers.serving import fake_client
from helpers.vaults import write_note
from jsonschema import Draft202012Validator
from prometheus_client.parser import text_string_to_metric_families

from memskill.sources.transcripts.injected import strip_injected
from memskill.web.health import document

ROLL = "/memory/context?task=roll+back+the+bad+release"
ERROR = "/memory/context?task=" + quote("fatal: The current branch berth has no upstream branch.")
NOTHING = "/memory/context?task=paint+the+garden+fence"


@pytest.fixture
def vault(tmp_path):
    settings = learned_vault(tmp_path / "vault")
    set_note_floor(settings)
    return settings


@pytest.fixture
def client(vault):
    return fake_client(vault)


def counted(client, name, **labels):
    families = text_string_to_metric_families(client.get("/metrics").text)
    samples = (s for family in families for s in family.samples)
    return sum(s.value for s in samples if s.name == name and labels.items() <= s.labels.items())


@pytest.mark.parametrize("url", [ROLL, ERROR, NOTHING, f"{ROLL}&project=payments&max_chars=900"])
def test_an_answer_is_what_the_document_says(client, url):
    schema = {"$ref": "#/components/schemas/Context", "components": document()["components"]}
    told = client.get(url).get_json()
    Draft202012Validator(schema).validate(told)
    assert len(told["text"]) <= told["max_chars"]


def test_a_part_is_empty_where_nothing_reaches_its_floor(client):
    rolled, error, nothing = (client.get(url).get_json() for url in (ROLL, ERROR, NOTHING))
    assert [one["id"] for one in rolled["skills"]] == ["rollback-release"]
    assert rolled["lessons"] == []
    assert error["skills"] == error["notes"] == []
    assert len(error["lessons"]) == 1
    assert nothing == {
        "skills": [], "lessons": [], "notes": [], "text": "", "max_chars": 4000,
        "left_out": {"skills": 0, "lessons": 0, "notes": 0}, "warnings": [],
    }  # fmt: skip


def test_the_same_task_has_the_same_etag_and_needs_no_body_twice(client):
    first = client.get(ROLL)
    again = client.get(ROLL, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert again.headers["ETag"] == first.headers["ETag"]
    assert first.headers["Cache-Control"] == "no-cache"
    assert client.get(ROLL).data == first.data
    head = client.head(ROLL)
    assert (head.headers["ETag"], head.data) == (first.headers["ETag"], b"")


def test_a_new_note_gives_another_etag(vault, client):
    crane = "/memory/context?task=grease+the+harbour+crane"
    first = client.get(crane)
    write_note(vault, "yard/q1", "# How is the harbour crane greased?\n\nGrease the crane.\n")
    learn(vault)
    again = client.get(crane, headers={"If-None-Match": first.headers["ETag"]})
    assert again.status_code == 200
    assert [one["id"] for one in again.get_json()["notes"]] == ["yard/q1"]


@pytest.mark.parametrize("path", ["context?task=", "query?q="])
@pytest.mark.parametrize(
    ("query", "told"),
    [
        ("%20", "blank"),
        ("", "blank"),
        ("a&limt=3", "unknown parameter 'limt'"),
        ("a" * 20_001, "20000"),
        ("a&project=%20", "blank"),
        ("a&project=" + "p" * 201, "200"),
        ("a&project=p&project=p", "more than once"),
    ],
)
def test_what_cannot_be_answered_is_a_problem_that_says_why(client, path, query, told):
    reply = client.get(f"/memory/{path}{query}")
    assert (reply.status_code, reply.mimetype) == (400, "application/problem+json")
    found = reply.get_json()
    assert (found["type"], found["title"], found["status"]) == (
        "urn:memskill:problem:usage", "Bad Request", 400,
    )  # fmt: skip
    assert told in found["detail"]


@pytest.mark.parametrize(
    ("query", "detail", "hint"),
    [
        ("", "parameter 'task' is missing", "Add task="),
        ("?tsk=a", "unknown parameter 'tsk'", "Did you mean 'task'?"),
        ("?task=a&max_char=300", "unknown parameter 'max_char'", "Did you mean 'max_chars'?"),
        ("?task=a&max_chars=199", "between 200 and 50000", ""),
        ("?task=a&max_chars=50001", "between 200 and 50000", ""),
        ("?task=a&max_chars=4e3", "a whole number", ""),
    ],
)
def test_a_wrong_parameter_names_the_right_one(client, query, detail, hint):
    found = client.get(f"/memory/context{query}").get_json()
    assert detail in found["detail"]
    assert hint in found.get("hint", "")


@pytest.mark.parametrize(
    ("url", "hint"),
    [
        ("/memory/query?qq=a", "Did you mean 'q'?"),
        ("/memory/query?q=a&levl=1", "Did you mean 'level'?"),
        ("/memory/query?q=a&limt=1", "Did you mean 'limit'?"),
    ],
)
def test_notes_search_names_the_nearest_parameter(client, url, hint):
    assert client.get(url).get_json()["hint"] == hint


@pytest.mark.parametrize(
    "word", ["קרן", "起重机", "кран", "👩\u200d🔬", "e\u0301" * 40, "\u202ecrane"]
)
def test_the_text_keeps_its_budget_in_every_script(vault, word):
    write_note(vault, "yard/q1", f"# {word} {word}?\n\nGrease {word}. {word * 50}\n\n{word} two\n")
    learn(vault)
    client = fake_client(vault)
    for cap in (200, 333, 700, 4000):
        asked = {"task": f"Grease {word} {word}", "max_chars": cap}
        told = client.get("/memory/context", query_string=asked).get_json()
        lines = [line for line in told["text"].splitlines() if line.startswith("- [")]
        items = [one["text"] for part in ("skills", "lessons", "notes") for one in told[part]]
        assert len(told["text"]) <= cap
        assert lines == items
    assert "yard/q1" in told["text"]


def test_ingest_strips_what_was_given(client):
    given = "".join(client.get(url).get_json()["text"] + "\n" for url in (ROLL, ERROR))
    assert "rollback-release" in given
    assert strip_injected(given)[0].strip() == ""


def test_contexts_are_counted_with_their_stages_and_empties(client):
    for url in (ROLL, ERROR, NOTHING):
        client.get(url)
    client.get("/memory/context?task=")
    route = {"route": "/memory/context"}
    assert counted(client, "memskill_requests_total", **route, status="200") == 3
    assert counted(client, "memskill_requests_total", **route, status="400") == 1
    assert counted(client, "memskill_request_seconds_count", **route) == 4
    assert counted(client, "memskill_contexts_total") == 3
    assert counted(client, "memskill_empty_contexts_total") == 1
    assert counted(client, "memskill_context_characters_total") > 500
    for stage in ("encode", "shortlist", "notes"):
        assert counted(client, "memskill_stage_seconds_count", stage=stage) == 3


def test_without_a_database_the_skills_stand_alone(team):
    told = fake_client(team).get(ROLL).get_json()
    assert [one["id"] for one in told["skills"]] == ["rollback-release"]
    assert told["warnings"][0].startswith("lessons and notes are not searched")
