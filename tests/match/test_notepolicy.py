"""The fit of notes search: bound to one encoder, kept in a file, refused when it is another's."""

from __future__ import annotations

import dataclasses
import json

import pytest
from helpers.notes import note_policy

from memskill.errors import ConfigError, FloorMissing
from memskill.match.notepolicy import (
    FEATURES,
    SHIPPED,
    note_policy_in_force,
    own_path,
    shipped_policies,
    write_policy,
)
from memskill.models.registry import load_encoder


def test_a_fit_comes_back_as_it_was_written(tmp_path):
    policy = note_policy(report={"target": "false_fire<=0.1"}, seed=3, data_fingerprint="d")
    write_policy(tmp_path / "notes.json", policy)
    (read,) = shipped_policies(tmp_path / "notes.json")
    assert dataclasses.replace(read, origin="") == policy


def test_the_same_fit_gives_the_same_bytes_and_takes_its_own_place(tmp_path):
    file = tmp_path / "notes.json"
    write_policy(file, note_policy(encoder_fingerprint="b" * 64))
    write_policy(file, note_policy(encoder_fingerprint="a" * 64))
    first = file.read_bytes()
    write_policy(file, note_policy(encoder_fingerprint="b" * 64, floor=0.4))
    write_policy(file, note_policy(encoder_fingerprint="b" * 64))
    assert file.read_bytes() == first


def test_a_fit_for_another_encoder_is_refused_with_the_command_that_fits_one(settings):
    write_policy(own_path(settings), note_policy())
    with pytest.raises(FloorMissing, match="bound to another one") as caught:
        note_policy_in_force(settings, "f" * 64)
    assert "mem floor tune --for notes" in caught.value.hint


def test_the_vaults_own_fit_beats_the_shipped_one(settings):
    (shipped, *_) = shipped_policies()
    own = note_policy(encoder_fingerprint=shipped.encoder_fingerprint, floor=0.123)
    write_policy(own_path(settings), own)
    found = note_policy_in_force(settings, shipped.encoder_fingerprint)
    assert (found.floor, found.origin) == (0.123, "notes.json")


@pytest.mark.parametrize(
    "content", ["{", "{}", "[1]", "[{}]", '[{"floor": 2}]', "\xff", "[[]]", "null"]
)
def test_a_damaged_file_is_named(settings, content):
    own_path(settings).parent.mkdir(parents=True, exist_ok=True)
    own_path(settings).write_text(content, encoding="latin-1")
    with pytest.raises(ConfigError, match=r"notes\.json"):
        note_policy_in_force(settings, "f" * 64)


@pytest.mark.parametrize("floor", [-0.1, 1.1, float("nan")])
def test_a_floor_that_is_no_probability_is_refused(settings, floor):
    write_policy(own_path(settings), note_policy(floor=floor))
    with pytest.raises(ConfigError):
        note_policy_in_force(settings, "f" * 64)


def test_the_shipped_fit_is_for_the_shipped_encoder(settings):
    encoder = load_encoder(settings)
    policy = note_policy_in_force(settings, encoder.fingerprint)
    assert policy.origin == "shipped"
    assert policy.report["held_out"]
    assert all(policy.weights[name] >= 0 for name in FEATURES if name != "lesson")


def test_the_shipped_file_is_small_and_holds_no_question():
    text = SHIPPED.read_text(encoding="utf-8")
    assert len(text) < 20_000
    assert all("task" not in entry["report"] for entry in json.loads(text))
