from __future__ import annotations

import pytest

from memskill.records import Floor, Task
from memskill.store import FloorRow, floor_time, memory_store

TASKS = [
    Task(text="fix the pod", expected=("a", "b"), project="p", group="g", split="valid"),
    Task(text="lunch?", expected=(), kind="none"),
    Task(text="no", expected=(), forbidden=("a",), kind="near_miss", matched_on="when_to_use"),
]


def floor(value, fitted_at, **values):
    return Floor(
        value=value,
        **{
            "encoder_fingerprint": "e",
            "reranker_fingerprint": "r",
            "origin": "floor.toml",
            "data_fingerprint": "d",
            "fitted_at": fitted_at,
            "calibration": {"kind": "platt", "a": 0.1 + 0.2, "b": -1e-17, "c": 0.0},
            "seed": 2**40,
        }
        | values,
    )


@pytest.fixture
def store():
    return memory_store()


def test_floors_come_back_newest_first(store):
    rows = [
        FloorRow(floor=floor(0.1, "2026-01-01T00:00:00.000001Z"), report='{"target":"x"}'),
        FloorRow(floor=floor(0.2, "2026-01-01T00:00:00.000002Z", reranker_fingerprint="none")),
        FloorRow(floor=floor(0.3, "2025-01-01T00:00:00.000000Z")),
    ]
    with store.transaction():
        for row in rows:
            store.add_floor(row)
    assert store.floors() == [rows[1], rows[0], rows[2]]


def test_a_floor_set_by_hand_is_told_from_a_fitted_one(store):
    row = FloorRow(
        floor=floor(0.5, floor_time(), data_fingerprint="", origin="set by hand", calibration={})
    )
    with store.transaction():
        store.add_floor(row)
    assert store.floors() == [row]


def test_times_of_floors_rise():
    times = [floor_time() for _ in range(50)]
    assert times == sorted(times)
    assert all(len(time) == len("2026-01-01T00:00:00.000001Z") for time in times)


def test_a_task_set_comes_back_in_order(store):
    with store.transaction():
        store.save_task_set("a.jsonl", "f" * 64, TASKS)
    assert store.task_set("a.jsonl") == TASKS
    assert store.task_sets() == {"a.jsonl": ("f" * 64, 3)}
    assert store.task_set("b.jsonl") == []


def test_a_task_set_that_is_loaded_again_replaces_the_old_one(store):
    for sha, tasks in (("1", TASKS), ("2", TASKS[1:]), ("3", [])):
        with store.transaction():
            store.save_task_set("a", sha, tasks)
            store.save_task_set("b", sha, TASKS)
        assert store.task_set("a") == list(tasks)
    assert store.task_sets() == {"a": ("3", 0), "b": ("3", 3)}
    assert store.failed_checks() == {}
