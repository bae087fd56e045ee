"""The OpenAPI document is valid, names every route, and is true of the answers."""

from __future__ import annotations

import pytest
from helpers.serving import fake_client
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from memskill.web.health import document

REQUESTS = [
    ("get", "/memory/skills", "/memory/skills", {}),
    ("get", "/memory/skills", "/memory/skills?task=roll+back+the+bad+release", {}),
    ("get", "/memory/skills", "/memory/skills?task=paint+the+fence", {}),
    ("get", "/memory/skills", "/memory/skills?task=roll+back+the+release&explain=1", {}),
    ("get", "/memory/skills", "/memory/skills?task=", {}),
    ("get", "/memory/skills/{name}", "/memory/skills/nothing", {}),
    ("post", "/memory/skills/match", "/memory/skills/match", {"json": {"task": "roll back"}}),
    ("post", "/memory/skills/match", "/memory/skills/match", {"json": {"tasks": ["a", "b"]}}),
    ("post", "/memory/skills/match", "/memory/skills/match", {"json": {"taks": "a"}}),
    ("get", "/memory/query", "/memory/query?q=", {}),
    ("get", "/healthz", "/healthz", {}),
    ("get", "/readyz", "/readyz", {}),
    ("get", "/openapi.json", "/openapi.json", {}),
]


@pytest.fixture
def client(team):
    return fake_client(team)


def test_the_document_is_valid_openapi_3_1():
    OpenAPIV31SpecValidator(document()).validate()


def test_the_served_document_is_this_one(client):
    assert client.get("/openapi.json").get_json() == document()


def test_every_route_is_described_and_none_is_invented(client):
    routes = {
        (method.lower(), rule.rule.replace("<", "{").replace(">", "}"))
        for rule in client.application.url_map.iter_rules()
        # The page is for people: it is no part of the interface.
        if rule.endpoint.partition(".")[0] not in ("pages", "assets")
        for method in rule.methods - {"HEAD", "OPTIONS"}
    }
    described = {(method, path) for path, item in document()["paths"].items() for method in item}
    assert routes == described


@pytest.mark.parametrize(("method", "path", "url", "more"), REQUESTS)
def test_an_answer_is_what_the_document_says(client, method, path, url, more):
    reply = getattr(client, method)(url, **more)
    responses = document()["paths"][path][method]["responses"]
    described = _resolve(responses.get(str(reply.status_code), responses["default"]))
    schema = described["content"][reply.mimetype]["schema"]
    whole = {"$ref": "#/schema", "schema": schema, "components": document()["components"]}
    Draft202012Validator(whole).validate(reply.get_json())


def test_the_schemas_refuse_what_is_not_an_answer():
    schema = {"$ref": "#/components/schemas/Matches", "components": document()["components"]}
    good = {"name": "a", "score": 0.5, "matched_on": "description", "when_to_use": ""}
    validator = Draft202012Validator(schema)
    assert validator.is_valid([good])
    assert not validator.is_valid([good | {"score": 1.5}])
    assert not validator.is_valid([good | {"body": "x"}])


def _resolve(part):
    while "$ref" in part:
        found = document()
        for step in part["$ref"].removeprefix("#/").split("/"):
            found = found[step]
        part = found
    return part
