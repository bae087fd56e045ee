"""Labelled tasks made from the log."""

from __future__ import annotations

import json
from datetime import timedelta

import pytest

from memskill.errors import NotFound, PathRefused, TasksInvalid, UsageError
from memskill.pipeline.fromlog import tasks_from_log
from memskill.sources.tasks import read_tasks
from memskill.store import Asked, Feedback, open_store
from memskill.store.base import utc_now

NOW = utc_now()


def asked(number, task, names=(), project=None):
    answer = json.dumps([[name, 0.9] for name in names])
    return Asked(
        id=f"{number:032x}", at=NOW, task=task, project=project, floor=0.5, snapshot="s",
        answer=answer,
    )  # fmt: skip


def said(number, verdict, skill, task="", **more):
    at = NOW + timedelta(seconds=number)
    key = f"{number:x}".rjust(32, "f")
    return Feedback(id=key, at=at, verdict=verdict, skill=skill, task=task, **more)


@pytest.fixture
def fill(settings):
    def run(asked=(), feedback=()):
        with open_store(settings, write=True) as store, store.transaction():
            store.add_asked(asked)
            store.add_feedback(feedback)

    return run


def test_feedback_makes_labels(settings, fill, tmp_path):
    fill(
        feedback=[
            said(1, "useful", "a", "t1"),
            said(2, "wrong", "b", "t1"),
            said(3, "missing", "c", "t2"),
            said(4, "wrong", "d", "t3", note="not that"),
        ]
    )
    tasks_from_log(settings, tmp_path / "out.jsonl")
    found = read_tasks(tmp_path / "out.jsonl").tasks
    assert [(t.text, t.kind, t.expected, t.forbidden) for t in found] == [
        ("t1", "match", ("a",), ("b",)),
        ("t2", "match", ("c",), ()),
        ("t3", "near_miss", (), ("d",)),
    ]


def test_what_was_said_last_counts(settings, fill, tmp_path):
    fill(feedback=[said(1, "wrong", "a", "t"), said(2, "useful", "a", "t")])
    tasks_from_log(settings, tmp_path / "out.jsonl")
    (task,) = read_tasks(tmp_path / "out.jsonl").tasks
    assert (task.expected, task.forbidden) == (("a",), ())


def test_feedback_of_a_match_is_of_its_task_and_project(settings, fill, tmp_path):
    fill([asked(1, "t", ["a"], "infra")], [said(1, "wrong", "a", match_id=f"{1:032x}")])
    report = tasks_from_log(settings, tmp_path / "out.jsonl")
    (task,) = read_tasks(tmp_path / "out.jsonl").tasks
    assert (task.text, task.project, task.forbidden) == ("t", "infra", ("a",))
    assert (report.logged, report.said, report.answered) == (1, 1, 0)


def test_what_is_missing_without_a_name_waits_for_a_person(settings, fill, tmp_path):
    fill(feedback=[said(1, "missing", "", "t")])
    tasks_from_log(settings, tmp_path / "out.jsonl")
    with pytest.raises(TasksInvalid) as caught:
        read_tasks(tmp_path / "out.jsonl")
    assert "line 1" in caught.value.reasons[0]
    assert "expected" in caught.value.reasons[0]


def test_of_the_rest_a_sample_carries_the_answer_and_says_so(settings, fill, tmp_path):
    fill([asked(1, "t", ["a", "b"]), asked(2, "u")])
    tasks_from_log(settings, tmp_path / "out.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [(row["task"], row["kind"], row["expected"]) for row in rows] == [
        ("t", "match", ["a", "b"]),
        ("u", "none", []),
    ]
    assert {row["note"] for row in rows} == {"not reviewed: the label is the matcher's own answer"}


@pytest.mark.parametrize(
    ("answered", "silent", "sample", "drawn"),
    [(10, 10, 6, (3, 3)), (10, 1, 6, (5, 1)), (1, 10, 6, (1, 5)), (2, 2, 9, (2, 2)),
     (10, 10, 0, (0, 0)), (10, 10, 1, (1, 0))],
)  # fmt: skip
def test_halves_are_drawn_and_fill_up_for_each_other(
    settings, fill, tmp_path, answered, silent, sample, drawn
):
    fill([asked(n, f"a{n}", ["x"]) for n in range(answered)])
    fill([asked(100 + n, f"s{n}") for n in range(silent)])
    report = tasks_from_log(settings, tmp_path / "out.jsonl", sample=sample)
    assert (report.answered_drawn, report.silent_drawn) == drawn
    assert len((tmp_path / "out.jsonl").read_text().splitlines()) == sum(drawn)


def test_the_sampling_is_told(settings, fill, tmp_path):
    fill([asked(1, "t", ["a"]), asked(2, "t", ["a"]), asked(3, "u")], [said(1, "wrong", "a", "v")])
    told = tasks_from_log(settings, tmp_path / "out.jsonl", sample=1, seed=7).told
    assert told == (
        "3 distinct tasks in the log: all 1 with feedback, and of the others 1 of 1 that got an "
        "answer and 0 of 1 that got none (seed 7)"
    )


def test_equal_logs_and_seeds_give_equal_bytes_and_other_seeds_do_not(settings, fill, tmp_path):
    fill([asked(n, f"task {n}", ["x"]) for n in range(40)])
    for name, seed in (("one", 0), ("two", 0), ("three", 1)):
        tasks_from_log(settings, tmp_path / name, sample=8, seed=seed)
    one, two, three = ((tmp_path / name).read_bytes() for name in ("one", "two", "three"))
    assert one == two
    assert one != three


def test_a_growing_log_moves_few_of_the_drawn(settings, fill, tmp_path):
    fill([asked(n, f"task {n}", ["x"]) for n in range(40)])
    tasks_from_log(settings, tmp_path / "before", sample=20)
    fill([asked(40, "one more", ["x"])])
    tasks_from_log(settings, tmp_path / "after", sample=20)
    before, after = (set((tmp_path / n).read_text().splitlines()) for n in ("before", "after"))
    assert len(before - after) <= 1


def test_reviewed_labels_are_never_overwritten(settings, fill, tmp_path):
    fill([asked(1, "t")])
    (tmp_path / "out.jsonl").write_text("reviewed")
    with pytest.raises(PathRefused):
        tasks_from_log(settings, tmp_path / "out.jsonl")
    assert (tmp_path / "out.jsonl").read_text() == "reviewed"


def test_an_empty_log_says_how_to_fill_it(settings, fill, tmp_path):
    fill()
    with pytest.raises(NotFound) as caught:
        tasks_from_log(settings, tmp_path / "out.jsonl")
    assert "feedback_log = true" in caught.value.hint


def test_faults_of_the_caller_are_told(settings, fill, tmp_path):
    fill([asked(1, "t")])
    with pytest.raises(UsageError, match="-1"):
        tasks_from_log(settings, tmp_path / "out.jsonl", sample=-1)
    with pytest.raises(UsageError, match="absent"):
        tasks_from_log(settings, tmp_path / "absent" / "out.jsonl")
