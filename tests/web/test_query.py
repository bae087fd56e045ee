"""GET /memory/query: hits as JSON, refusals as problems, the same bytes for the same question."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from helpers.notes import note_policy
from helpers.serving import fake_client
from helpers.vaults import write_note
from jsonschema import Draft202012Validator

from memskill.match.notepolicy import own_path, write_policy
from memskill.models.fakes import HashEncoder
from memskill.pipeline.ingest import ingest
from memskill.web.health import document

RAIN = "/memory/query?q=the+roof+leaks+when+it+rains"


@pytest.fixture
def client(settings):
    write_note(settings, "p/roof", "The roof leaks when it rains.", query="Why does it drip?")
    write_note(settings, "o/roof", "Straw covers the barn.", query="What covers the barn?")
    ingest(settings, encoder=HashEncoder())
    write_policy(own_path(settings), note_policy())
    return fake_client(settings)


def test_a_hit_has_its_fields_in_a_fixed_order(client):
    (hit, *_) = client.get(RAIN).get_json()
    assert list(hit) == [
        "kind", "id", "project", "level", "score", "title", "excerpt", "path", "lines", "sha",
    ]  # fmt: skip
    assert (hit["kind"], hit["id"], hit["level"]) == ("note", "p/roof", "L1")


def test_nothing_that_answers_is_an_empty_list(client):
    assert client.get("/memory/query?q=quarterly+dividend+shipping").data == b"[]"


def test_filters_and_limit_narrow_the_answer(client):
    straw = "/memory/query?q=straw+covers+the+barn"
    found = client.get(f"{straw}&project=o&level=1&limit=1").get_json()
    assert [hit["id"] for hit in found] == ["o/roof"]
    assert client.get(f"{straw}&project=p").get_json() == []
    assert client.get(f"{RAIN}&level=lesson").get_json() == []
    assert client.get(f"{RAIN}&project=none").get_json() == []


def test_the_same_question_has_the_same_etag_and_needs_no_body_twice(client):
    first = client.get(RAIN)
    again = client.get(RAIN, headers={"If-None-Match": first.headers["ETag"]})
    assert (again.status_code, again.data) == (304, b"")
    assert client.get(RAIN).data == first.data


def test_an_explanation_lists_candidates_and_is_not_kept(client):
    reply = client.get(f"{RAIN}&explain=1")
    told = reply.get_json()
    assert reply.headers["Cache-Control"] == "no-store"
    assert [one["kept"] for one in told["candidates"]]
    assert told["floor"]["value"] == 0.5


@pytest.mark.parametrize(("more", "name"), [("", "Hits"), ("&explain=1", "QueryExplanation")])
def test_an_answer_is_what_the_document_says(client, more, name):
    components = document()["components"]
    whole = {"$ref": f"#/components/schemas/{name}", "components": components}
    told = client.get(RAIN + more).get_json()
    assert told
    Draft202012Validator(whole).validate(told)


@pytest.mark.parametrize(
    "query",
    ["", "?q=", "?q=%20", "?q=a&q=b", "?q=a&nothing=1", "?q=a&limit=0", "?q=a&limit=x",
     "?q=a&level=7", "?q=a&explain=maybe", "?q=a&project=%20", "?task=a"],
)  # fmt: skip
def test_what_cannot_be_answered_is_a_problem(client, query):
    reply = client.get(f"/memory/query{query}")
    assert reply.status_code == 400
    assert reply.mimetype == "application/problem+json"
    assert reply.get_json()["type"].endswith(":usage")


def test_without_a_fit_for_the_encoder_the_answer_is_503(client, settings):
    own_path(settings).unlink()
    reply = client.get(RAIN)
    assert (reply.status_code, reply.get_json()["type"]) == (
        503,
        "urn:memskill:problem:floor-missing",
    )


def test_without_a_database_the_answer_is_404(tmp_path, settings):
    write_policy(own_path(settings), note_policy())
    assert fake_client(settings).get(RAIN).status_code == 404


@pytest.mark.parametrize(
    "text", ["'; drop table passage; --", "<script>alert(1)</script>", "\x00\x1b[2J", "{{7*7}}"]
)
def test_hostile_text_is_only_text(client, text):
    reply = client.get(f"/memory/query?q={quote(text)}")
    assert reply.status_code in (200, 400)
    assert client.get(RAIN).get_json()[0]["id"] == "p/roof"


def test_questions_are_counted(client):
    client.get(RAIN)
    client.get("/memory/query?q=quarterly+dividend+shipping")
    text = client.get("/metrics").get_data(as_text=True)
    assert 'memskill_queries_total{answered="yes"} 1.0' in text
    assert 'memskill_queries_total{answered="no"} 1.0' in text
    assert 'stage="notes"' in text
