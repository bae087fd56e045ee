"""`mem floor` on the fixture's vault, with the shipped encoder and the shortlist deciding."""

from __future__ import annotations

import json
import tomllib

import pytest
from click.testing import CliRunner
from helpers.tree import ROOT

from memskill.cli import main
from memskill.match import floorfile
from memskill.match.floorfile import floor_in_force, floor_path, read_floor
from memskill.pipeline.deciding import models_in_use
from memskill.pipeline.floor import floor_history
from memskill.sources.tasks import read_tasks, tasks_fingerprint
from memskill.store import open_store

TASKS = ROOT / "data" / "tasks" / "fixture.jsonl"
LOOSE = "false_fire<=0.1"


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """Where the shipped floors lie for one test; none at first."""
    path = tmp_path / "floor.json"
    monkeypatch.setattr(floorfile, "SHIPPED", path)
    floorfile._shipped.cache_clear()
    yield path
    floorfile._shipped.cache_clear()


@pytest.fixture
def run(team, shipped, monkeypatch):
    monkeypatch.setenv("MEMSKILL_RERANKER", "none")
    monkeypatch.setenv("MEMSKILL_VAULT", str(team.vault))
    return lambda *arguments: CliRunner().invoke(main, ["floor", *map(str, arguments)])


def tuned(run, *arguments):
    done = run("tune", "--tasks", TASKS, "--target", LOOSE, *arguments)
    assert done.exit_code == 0, done.stderr
    return done


def test_a_tuned_floor_is_in_force_and_shown_with_its_report(run, team):
    done = tuned(run)
    assert "held-out part: 30 tasks" in done.stdout
    floor = read_floor(team)
    assert f"floor {floor.value:.4f} for {LOOSE} is in force" in done.stdout
    assert floor.data_fingerprint == tasks_fingerprint(read_tasks(TASKS).tasks)
    shown = json.loads(run("show", "--json").stdout)
    assert shown["floor"]["value"] == floor.value
    assert shown["report"]["target"] == LOOSE
    assert "recall" in shown["report"]["held_out"]["measures"]
    assert run("show").stdout.startswith(f"floor {floor.value:.4f} (floor.toml)")


def test_the_floor_holds_in_evaluation(run):
    tuned(run)
    said = json.loads(CliRunner().invoke(main, ["eval", "--tasks", str(TASKS), "--json"]).stdout)
    assert said["report"]["floor_origin"] == "floor.toml"
    assert said["report"]["measures"]["false_fire"]["value"] <= 0.15


def test_tuning_again_gives_the_same_floor_and_a_longer_history(run, team):
    tuned(run)
    before = read_floor(team)
    tuned(run)
    after = read_floor(team)
    assert (after.value, after.calibration) == (before.value, before.calibration)
    history = floor_history(team)
    assert [one.in_force for one in history] == [True, False]
    assert len({one.floor.fitted_at for one in history}) == 2


def test_a_dry_run_writes_nothing(run, team):
    done = tuned(run, "--dry-run")
    assert "was not written" in done.stdout
    assert not team.state_dir.exists()


def test_the_tasks_of_a_fit_are_kept_for_sql(run, team):
    tuned(run)
    with open_store(team) as store:
        assert list(store.task_sets()) == ["fixture.jsonl"]
        assert store.task_set("fixture.jsonl") == list(read_tasks(TASKS).tasks)


def test_too_few_tasks_are_refused_with_what_is_needed(run, team):
    done = run("tune", "--tasks", TASKS, "--target", "false_fire<=0.01")
    assert done.exit_code == 65
    assert "it needs 99" in done.stderr
    assert not floor_path(team).exists()


def test_the_files_own_splits_are_too_small_and_say_so(run):
    done = run("tune", "--tasks", TASKS, "--target", LOOSE, "--fit-on", "train",
               "--report-on", "final")  # fmt: skip
    assert done.exit_code == 65
    assert "it needs 10" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--target", "recall>=0.9"], "target"),
        (["--target", LOOSE, "--share", "0.9"], "share"),
        (["--target", LOOSE, "--limit", "0"], "limit"),
    ],
)
def test_a_request_that_cannot_be_is_refused_before_any_model_runs(run, arguments, says):
    done = run("tune", "--tasks", TASKS, *arguments)
    assert done.exit_code == 64
    assert says in done.stderr


def test_set_keeps_the_scale_of_the_floor_in_force(run, team):
    tuned(run)
    before = read_floor(team)
    done = run("set", "0.62")
    assert done.stdout == "floor 0.6200 (set by hand) is in force\n"
    after = read_floor(team)
    assert (after.value, after.calibration) == (0.62, before.calibration)
    assert (after.encoder_fingerprint, after.reranker_fingerprint) == (
        before.encoder_fingerprint,
        "none",
    )
    assert tomllib.loads(floor_path(team).read_text())["value"] == 0.62


def test_a_first_floor_may_be_set_by_hand(run, team):
    assert run("set", "0.5").exit_code == 0
    assert read_floor(team).calibration == {}
    assert [one.floor.origin for one in floor_history(team)] == ["set by hand"]


@pytest.mark.parametrize("value", ["1.5", "nan", "inf"])
def test_a_value_out_of_range_is_refused(run, team, value):
    done = run("set", value)
    assert done.exit_code == 64
    assert not team.state_dir.exists()


def test_rollback_goes_back_one_floor_at_a_time(run, team):
    tuned(run)
    fitted = floor_path(team).read_bytes()
    run("set", "0.62")
    run("set", "0.7")
    assert "0.6200" in run("rollback").stdout
    assert run("rollback").exit_code == 0
    assert floor_path(team).read_bytes() == fitted
    done = run("rollback")
    assert done.exit_code == 66
    assert "no earlier floor" in done.stderr
    assert floor_path(team).read_bytes() == fitted
    assert len(floor_history(team)) == 3


def test_before_the_first_floor_stands_the_shipped_one(run, team, shipped):
    encoder, reranker = models_in_use(team.__class__(vault=team.vault, reranker="none"))
    entry = {"value": 0.25, "encoder_fingerprint": encoder, "reranker_fingerprint": reranker}
    shipped.write_text(json.dumps([entry | {"report": {}}]))
    floorfile._shipped.cache_clear()
    assert run("rollback").exit_code == 66
    run("set", "0.62")
    done = run("rollback")
    assert done.stdout == "floor 0.2500 (shipped) is in force\n"
    assert floor_in_force(team, encoder, reranker).origin == "shipped"
    assert run("show").stdout.startswith("floor 0.2500 (shipped)")


def test_a_damaged_file_is_named_and_rollback_mends_it(run, team):
    tuned(run)
    good = floor_path(team).read_bytes()
    floor_path(team).write_text("value = ")
    done = run("show")
    assert done.exit_code == 78
    assert "floor.toml" in done.stderr
    assert run("history").exit_code == 0
    assert run("rollback").exit_code == 0
    assert floor_path(team).read_bytes() == good
    floor_path(team).write_text("value = ")
    tuned(run)


def test_a_floor_of_another_reranker_is_refused_with_the_command(run, team):
    tuned(run)
    text = floor_path(team).read_text()
    floor_path(team).write_text(text.replace('"none"', f'"{"a" * 64}"'))
    done = run("show")
    assert done.exit_code == 78
    assert "bound to other models" in done.stderr
    assert "mem floor tune --tasks FILE" in done.stderr


def test_history_is_empty_in_a_new_vault(run):
    done = run("history", "--json")
    assert (done.exit_code, json.loads(done.stdout)) == (0, [])


def test_history_marks_what_is_in_force(run):
    tuned(run)
    run("set", "0.62")
    lines = run("history").stdout.splitlines()
    assert lines[1].startswith("*")
    assert "set by hand" in lines[1]
    assert LOOSE in lines[2]
    assert not lines[2].startswith("*")


def test_warnings_are_told_on_stderr(run, tmp_path):
    done = tuned(run, "--json")
    said = json.loads(done.stdout)
    assert all(f"warning: {warning}" in done.stderr for warning in said["fit"]["warnings"])
    assert said["written"] is True
