"""The floor: in force, history, shipped, and evaluation pages of the vault."""

from __future__ import annotations

import json

import pytest
from helpers.pages import Page, dangers, put
from helpers.serving import fake_matcher

from memskill.match import floorfile
from memskill.records import Floor
from memskill.store import FloorRow, open_store

REPORT = {
    "target": "false_fire<=0.05",
    "limit": 3,
    "fitted": {
        "tasks": 120,
        "groups": 30,
        "right": 80,
        "wrong": 40,
        "measures": {"false_fire": {"value": 0.031, "low": 0.01, "high": 0.07, "count": 40}},
    },
    "held_out": {"tasks": 60, "measures": {"recall": {"value": None, "low": None, "high": None}}},
    "warnings": ["few <b>tasks</b>"],
}


@pytest.fixture
def fitted(vault):
    """Put a fitted floor into the history and in force."""
    matcher = fake_matcher()
    floor = Floor(
        value=0.4137,
        encoder_fingerprint=matcher.encoder.fingerprint,
        reranker_fingerprint=matcher.reranker_fingerprint,
        origin="floor.toml",
        data_fingerprint="d" * 64,
        fitted_at="2026-01-02T03:04:05.000006Z",
    )

    def put_in_force(report):
        with open_store(vault, write=True) as store, store.transaction():
            store.add_floor(FloorRow(floor=floor, report=json.dumps(report)))
        floorfile.write_floor(vault, floor)

    return put_in_force


def test_a_floor_set_by_hand_is_shown_without_a_report(client):
    text = Page(client.get("/floor").text).text
    assert "In force: 0.3000" in text
    assert "set by hand" in text


def test_a_fitted_floor_shows_its_target_measures_and_warnings(client, fitted):
    fitted(REPORT)
    reply = client.get("/floor")
    text = Page(reply.text).text
    for part in ("0.4137", "false_fire<=0.05", "0.031", "0.010 to 0.070", "few <b>tasks</b>"):
        assert part in text
    assert "\u2013" in text  # what was not measured
    assert dangers(reply.text) == []


@pytest.mark.parametrize(
    "report",
    [{}, {"fitted": 3}, {"fitted": {"measures": []}}, {"held_out": {"measures": {"a": 1}}},
     {"warnings": "x"}, {"target": ["<script>"], "fitted": {"measures": {"<i>": {"value": "x"}}}}],
)  # fmt: skip
def test_a_report_of_another_form_shows_what_is_understood(client, fitted, report):
    fitted(report)
    reply = client.get("/floor")
    assert reply.status_code == 200
    assert dangers(reply.text) == []


def test_the_history_is_listed(client, fitted):
    fitted(REPORT)
    text = Page(client.get("/floor").text).text
    assert "2026-01-02 03:04:05" in text
    assert "in floor.toml" in text


def test_without_a_database_the_rest_is_shown(client):
    assert "In force" in client.get("/floor").text


def test_a_missing_floor_is_told_with_the_command(client, vault):
    (vault.state_dir / "floor.toml").unlink()
    reply = client.get("/floor")
    assert reply.status_code == 200
    assert "No floor is in force" in reply.text
    assert "mem floor tune" in reply.text


def test_a_damaged_floor_file_is_told(client, vault):
    put(vault, ".memskill/floor.toml", "value = nonsense")
    reply = client.get("/floor")
    assert reply.status_code == 200
    assert "No floor is in force" in reply.text


def test_a_shipped_floor_is_shown_with_its_report(client, monkeypatch, tmp_path):
    matcher = fake_matcher()
    entry = {
        "value": 0.61,
        "encoder_fingerprint": matcher.encoder.fingerprint,
        "reranker_fingerprint": "r" * 64,
        "report": REPORT,
    }
    file = tmp_path / "floor.json"
    file.write_text(json.dumps([entry]))
    monkeypatch.setattr(floorfile, "SHIPPED", file)
    text = Page(client.get("/floor").text).text
    assert "0.6100" in text
    assert "120 tasks" in text


def test_an_evaluation_page_is_listed_and_shut_off(client, vault):
    put(vault, ".memskill/reports/may.html", "<h1>May</h1><script>alert(1)</script>")
    assert "/floor/reports/may.html" in client.get("/floor").text
    reply = client.get("/floor/reports/may.html")
    assert "<h1>May</h1>" in reply.text
    policy = reply.headers["Content-Security-Policy"]
    assert "sandbox" in policy
    assert "script-src" not in policy
    assert "default-src 'none'" in policy


def test_a_report_that_is_a_link_out_of_the_vault_is_refused(client, vault, tmp_path):
    secret = tmp_path / "secret.html"
    secret.write_text("TOPSECRET")
    folder = vault.state_dir / "reports"
    folder.mkdir(parents=True)
    (folder / "leak.html").symlink_to(secret)
    reply = client.get("/floor/reports/leak.html")
    assert reply.status_code == 403
    assert "TOPSECRET" not in reply.text
