from __future__ import annotations

import dataclasses
import json
import logging

import pytest
from helpers.decisions import world
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from memskill.config import Settings
from memskill.errors import ConfigError, FloorMissing, ModelError
from memskill.match import floorfile
from memskill.match.floorfile import (
    floor_in_force,
    floor_path,
    read_floor,
    remove_floor,
    shipped_floors,
    write_floor,
    write_shipped,
)
from memskill.match.floortune import tune
from memskill.match.target import parse_target
from memskill.models.calibration import Calibration
from memskill.records import Floor

MODELS = ("e" * 64, "r" * 64)
FLOOR = Floor(
    value=0.6234,
    encoder_fingerprint=MODELS[0],
    reranker_fingerprint=MODELS[1],
    origin="floor.toml",
    data_fingerprint="d" * 64,
    fitted_at="2026-01-02T03:04:05.000006Z",
    calibration={"kind": "platt", "a": 0.1 + 0.2, "b": -1e-17, "c": 0.0},
    seed=3,
)


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """Where the shipped floors lie for one test; none at first."""
    path = tmp_path / "floor.json"
    monkeypatch.setattr(floorfile, "SHIPPED", path)
    floorfile._shipped.cache_clear()
    return path


@pytest.fixture
def fit():
    return tune(world(60), parse_target("false_fire<=0.1"), rounds=20, fitted_at="2026Z")


def test_a_floor_comes_back_as_it_was_written(settings):
    write_floor(settings, FLOOR, ["a remark\nvalue = 1"])
    assert read_floor(settings) == FLOOR
    assert [path.name for path in settings.state_dir.iterdir()] == ["floor.toml"]


floors = st.builds(
    Floor,
    value=st.floats(0, 1),
    encoder_fingerprint=st.text(min_size=1, alphabet=st.characters(codec="utf-8")),
    reranker_fingerprint=st.text(min_size=1, alphabet=st.characters(codec="utf-8")),
    origin=st.just("floor.toml"),
    data_fingerprint=st.just("d"),
    fitted_at=st.text(alphabet=st.characters(codec="utf-8")),
    calibration=st.builds(
        lambda kind, a, b, c: Calibration(kind=kind, a=a, b=b, c=c).as_mapping(),
        st.sampled_from(["sigmoid", "platt", "beta"]),
        *[st.floats(1e-300, 1e300)] * 3,
    ),
    seed=st.integers(-(2**60), 2**60),
)


@examples(max_examples=40)  # each one waits for the disk
@given(floors)
def test_every_floor_survives_its_file(tmp_path_factory, floor):
    vault = Settings(vault=tmp_path_factory.mktemp("vault"))
    write_floor(vault, floor)
    assert read_floor(vault) == floor


def test_a_floor_set_by_hand_says_so(settings):
    write_floor(settings, dataclasses.replace(FLOOR, data_fingerprint="", calibration={}))
    found = read_floor(settings)
    assert (found.origin, found.calibration) == ("set by hand", {})


def test_without_a_file_there_is_no_own_floor(settings):
    assert read_floor(settings) is None
    remove_floor(settings)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("value = 1.5", "'value' must be a number from 0 to 1"),
        ("value = nan", "'value' must be"),
        ("value = true", "'value' must be"),
        ('value = "0.5"', "'value' must be"),
        ("value =", "floor.toml: "),
        ("value = 0.5\nseed = 1.5", "'seed' must be"),
        ("value = 0.5\nencoder_fingerprint = 3", "'encoder_fingerprint' must be a text"),
        ("value = 0.5", "'encoder_fingerprint' must be the fingerprint of a model"),
        ('value = 0.5\nencoder_fingerprint = "e"', "'reranker_fingerprint' must be"),
        ('value = 0.5\nencoder_fingerprint = "e"\nreranker_fingerprint = "r"\ncalibration = 3',
         "'calibration' must be a table"),
        ('value = 0.5\nencoder_fingerprint = "e"\nreranker_fingerprint = "r"\n'
         '[calibration]\nkind = "platt"\na = -1.0', "not strictly increasing"),
        ('value = 0.5\nencoder_fingerprint = "e"\nreranker_fingerprint = "r"\n'
         '[calibration]\nkind = []', "unknown kind"),
    ],
)  # fmt: skip
def test_a_damaged_file_is_named_with_its_field(settings, line, says):
    settings.state_dir.mkdir(parents=True)
    floor_path(settings).write_text(line + "\n")
    with pytest.raises(ConfigError) as caught:
        read_floor(settings)
    assert says in caught.value.message
    assert "floor.toml" in caught.value.message
    assert "mem floor" in caught.value.hint


@given(st.binary(max_size=80))
def test_no_bytes_break_the_reader(tmp_path_factory, data):
    vault = Settings(vault=tmp_path_factory.mktemp("vault"))
    vault.state_dir.mkdir()
    floor_path(vault).write_bytes(data)
    with pytest.raises(ConfigError):
        read_floor(vault)


def test_the_vaults_own_floor_comes_first(settings, shipped, fit):
    write_shipped(fit)
    assert floor_in_force(settings, *MODELS).origin == "shipped"
    write_floor(settings, FLOOR)
    assert floor_in_force(settings, *MODELS) == FLOOR


def test_a_floor_of_other_models_never_counts(settings, shipped, fit, caplog):
    write_shipped(fit)
    write_floor(settings, dataclasses.replace(FLOOR, reranker_fingerprint="other"))
    with caplog.at_level(logging.WARNING):
        assert floor_in_force(settings, *MODELS).origin == "shipped"
    assert "for other models" in caplog.text


@pytest.mark.parametrize("models", [("e" * 64, "none"), ("x" * 64, "r" * 64)])
def test_without_a_floor_for_the_models_the_command_is_told(settings, shipped, fit, models):
    write_shipped(fit)
    write_floor(settings, FLOOR)
    with pytest.raises(FloorMissing, match="bound to other models") as caught:
        floor_in_force(settings, *models)
    assert "mem floor tune --tasks FILE --target" in caught.value.hint


def test_a_shipped_floor_carries_its_report(shipped, fit):
    write_shipped(fit)
    [floor] = shipped_floors()
    assert floor == dataclasses.replace(fit.floor, origin="shipped")
    [entry] = json.loads(shipped.read_text())
    assert set(entry) == {
        "value", "encoder_fingerprint", "reranker_fingerprint", "calibration",
        "data_fingerprint", "seed", "fitted_at", "report",
    }  # fmt: skip
    assert entry["report"]["target"] == "false_fire<=0.1"
    assert entry["report"]["held_out"]["measures"]["recall"]["low"] is not None
    assert floorfile.shipped_report(floor) == entry["report"]
    assert floorfile.shipped_report(fit.floor) == {}


def test_no_text_of_a_task_is_shipped(shipped, fit):
    write_shipped(fit)
    assert "right 1" not in shipped.read_text()


def test_shipping_again_replaces_the_floor_of_the_same_models_alone(shipped, fit):
    write_shipped(fit)
    other = dataclasses.replace(
        fit, floor=dataclasses.replace(fit.floor, reranker_fingerprint="none", value=0.25)
    )
    write_shipped(other)
    before = shipped.read_bytes()
    write_shipped(fit)
    assert shipped.read_bytes() == before
    assert {f.reranker_fingerprint: f.value for f in shipped_floors()} == {
        "none": 0.25,
        "r" * 64: fit.floor.value,
    }


def test_one_object_alone_is_a_shipped_floor_too(shipped, fit):
    write_shipped(fit)
    [entry] = json.loads(shipped.read_text())
    shipped.write_text(json.dumps(entry))
    floorfile._shipped.cache_clear()
    assert len(shipped_floors()) == 1


@pytest.mark.parametrize("text", ["{", "[1]", '[{"value": 2}]'])
def test_a_damaged_shipped_file_says_reinstall(shipped, text):
    shipped.write_text(text)
    with pytest.raises(ModelError) as caught:
        shipped_floors()
    assert "Reinstall" in caught.value.hint
