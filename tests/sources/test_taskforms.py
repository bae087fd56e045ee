from __future__ import annotations

import json

import pytest

from memskill.errors import TasksInvalid
from memskill.records import Task
from memskill.sources.taskforms import folder_name
from memskill.sources.tasks import read_tasks


def converted(folder, *rows, ending=".jsonl", **options):
    path = folder / f"t{ending}"
    text = json.dumps(rows) if ending == ".json" else "\n".join(map(json.dumps, rows))
    path.write_text(text)
    return read_tasks(path, **options)


@pytest.mark.parametrize(
    ("skill_id", "name"),
    [
        ("owner/repo:skills/pod-debug", "pod-debug"),
        ("owner/repo:pod-debug", "pod-debug"),
        ("owner/repo:.", "repo"),
        ("owner/repo:skills/pod-debug/", "pod-debug"),
        ("pod-debug", "pod-debug"),
    ],
)
def test_the_name_is_the_folder(skill_id, name):
    assert folder_name(skill_id) == name


@pytest.mark.parametrize("ending", [".json", ".jsonl"])
def test_a_trigger_set_forbids_its_skill_where_it_should_not_fire(tmp_path, ending):
    rows = [{"query": "yes", "should_trigger": True}, {"query": "no", "should_trigger": False}]
    found = converted(tmp_path, *rows, ending=ending, skill="own")
    assert found.form == "trigger"
    assert found.tasks == (
        Task(text="yes", expected=("own",), group="own"),
        Task(text="no", expected=(), forbidden=("own",), group="own", kind="near_miss"),
    )


def test_a_trigger_set_may_be_csv(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("query,should_trigger\nyes,TRUE\nno,false\n")
    assert [t.kind for t in read_tasks(path, skill="own").tasks] == ["match", "near_miss"]


def test_a_trigger_set_needs_its_skill(tmp_path):
    with pytest.raises(TasksInvalid) as caught:
        converted(tmp_path, {"query": "q", "should_trigger": True})
    assert "--skill" in caught.value.reasons[0]


def labelled(**values):
    empty = dict.fromkeys(("better_skill", "also_ok", "all_expected", "negative_for", "source"))
    return empty | {"query": "q", "skill_id": "o/r:own", "split": "valid"} | values


def test_published_labels_name_all_right_skills(tmp_path):
    row = labelled(should_trigger=True, all_expected=["o/r:own", "o/r:two"], also_ok=["o/r:three"])
    [task] = converted(tmp_path, row).tasks
    assert (task.expected, task.kind, task.split) == (("own", "two", "three"), "match", "valid")


def test_published_labels_say_which_skill_is_better(tmp_path):
    [task] = converted(
        tmp_path, labelled(should_trigger=False, better_skill=["o/r:two", "o/r:own"])
    ).tasks
    assert (task.expected, task.forbidden, task.kind) == (("two",), ("own",), "near_miss")


def test_without_a_skill_only_the_named_ones_are_wrong(tmp_path):
    row = labelled(skill_id=None, should_trigger=False, negative_for=["o/r:a", "x/y:a", "o/r:b"])
    [task] = converted(tmp_path, row).tasks
    assert (task.expected, task.forbidden, task.kind) == ((), ("a", "b"), "none")


def test_queries_written_for_a_skill(tmp_path):
    kinds = ("terse", "natural", "indirect", "near_miss")
    found = converted(
        tmp_path,
        *({"skill_id": "o/r:own", "kind": k, "query": k, "split": "final"} for k in kinds),
    )
    assert [t.kind for t in found.tasks] == ["match", "match", "indirect", "near_miss"]
    assert {t.group for t in found.tasks} == {"own"}
    assert found.tasks[3].forbidden == ("own",)


def judged(*grades, kind="terse"):
    candidates = [{"skill_id": f"o/r:{name}", "grade": grade} for name, grade in grades]
    row = {"query": "q", "kind": kind, "written_for": "o/r:own", "split": "final"}
    return row | {"candidates": candidates}


def test_grades_say_right_unjudged_and_wrong(tmp_path):
    [task] = converted(tmp_path, judged(("own", 2), ("b", 1), ("c", 0), ("d", 2))).tasks
    assert (task.expected, task.forbidden, task.kind) == (("own", "d"), ("c",), "match")
    assert task.group == "own"


def test_the_better_grade_counts_for_skills_of_one_name(tmp_path):
    [task] = converted(tmp_path, judged(("a", 0), ("a", 2), ("b", 1), ("b", 0), ("c", 0))).tasks
    assert (task.expected, task.forbidden) == (("a",), ("c",))


def test_graded_near_misses_keep_what_is_right_and_wrong(tmp_path):
    rows = [judged(("own", 0), ("b", g), kind="near_miss") for g in (2, 0)]
    first, second = converted(tmp_path, *rows).tasks
    assert (first.expected, first.forbidden, first.kind) == (("b",), ("own",), "near_miss")
    assert (second.expected, second.forbidden) == ((), ("own", "b"))


def test_grades_that_say_nothing_are_left_out_and_told(tmp_path):
    found = converted(tmp_path, judged(("a", 2)), judged(("a", 1), ("b", 0)))
    assert len(found.tasks) == 1
    [left] = found.left_out
    assert left.line == 2
    assert "no candidate was graded 2" in left.reason


def test_a_borderline_task_belongs_to_the_skill_beside_it(tmp_path):
    rows = [
        {"query": k, "kind": k, "nearest": ["o/r:a", "o/r:b"], "why": "…", "split": "train"}
        for k in ("borderline", "none")
    ]
    tasks = converted(tmp_path, *rows).tasks
    assert [(t.kind, t.group, t.expected) for t in tasks] == [
        ("borderline", "a", ()),
        ("none", "", ()),
    ]


def test_authored_and_routing_tasks(tmp_path):
    authored = {"id": "1", "query": "q", "expected": ["o/r:a"], "kind": "match", "trap_word": None}
    [task] = converted(tmp_path, authored).tasks
    assert (task.expected, task.group) == (("a",), "a")
    routing = {"query": "q", "kind": "routed", "expected": ["b"], "family": "f", "split": "final"}
    [task] = converted(tmp_path, routing).tasks
    assert (task.expected, task.group, task.kind) == (("b",), "f", "routed")


def test_when_to_use_rows_are_two_tasks(tmp_path):
    row = {"id": "o/r:a", "when_to_use": "…", "d": "one", "w": "two", "split": "valid"}
    found = converted(tmp_path, row).tasks
    assert [(t.text, t.matched_on) for t in found] == [
        ("one", "description"),
        ("two", "when_to_use"),
    ]
    assert {t.expected for t in found} == {("a",)}


@pytest.mark.parametrize(
    ("first", "broken", "field"),
    [
        (judged(("a", 2)), judged(("a", 3)), "candidates"),
        (judged(("a", 2)), judged(("a", 2)) | {"candidates": [3]}, "candidates"),
        (judged(("a", 2)), judged(("a", 2)) | {"written_for": None}, "written_for"),
        (labelled(should_trigger=True), labelled(should_trigger=1), "should_trigger"),
        (labelled(should_trigger=True), {"query": "q", "should_trigger": True}, "skill_id"),
        (labelled(should_trigger=True), labelled(should_trigger=True, also_ok=[1]), "also_ok"),
        (labelled(should_trigger=True), labelled(should_trigger=True, query=None), "task"),
    ],
)
def test_a_broken_row_of_another_shape_is_named(tmp_path, first, broken, field):
    with pytest.raises(TasksInvalid) as caught:
        converted(tmp_path, first, broken)
    [reason] = caught.value.reasons
    assert reason.startswith(f"line 2, field {field!r}")
