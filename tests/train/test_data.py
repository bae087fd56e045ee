"""Labelled files: every shape is read, splits are kept apart, faults name their line."""

from __future__ import annotations

from pathlib import Path

import pytest

from memskill.errors import TasksInvalid
from memskill.train.data import read_data
from memskill.train.pairs import make_pairs

Files = tuple[list[Path], list[Path]]


def test_only_the_named_splits_come_through_the_door(labelled: Files) -> None:
    data = read_data(*labelled, splits=["train"])
    assert {task.split for task in data.tasks} == {"train"}
    assert len(read_data(*labelled, splits=["final"]).tasks) == 10
    assert read_data(*labelled, splits=["valid"]).tasks == []


def test_every_shape_says_what_is_right(labelled: Files) -> None:
    tasks = {task.text: task for task in read_data(*labelled, splits=["train"]).tasks}
    assert tasks["move the cows"].grades == {"farm:cows": 2, "farm:pigs": 0}
    assert tasks["wash the horses"].right == ()
    assert tasks["wash the horses"].closed
    assert tasks["feed the bees"].right == ("farm:bees",)
    assert tasks["wash hens"].grades == {"farm:hens": 0}
    assert tasks["ducks move"].right == ("farm:ducks#when",)


def test_pairs_carry_the_near_miss_of_their_skill(labelled: Files) -> None:
    pairs = make_pairs(read_data(*labelled, splits=["train"]))
    by_task = {pair.task: pair for pair in pairs}
    assert by_task["count the hens"].near_miss == "wash hens"
    assert by_task["move the cows"].wrong == ("farm:pigs",)


def test_skills_of_equal_text_are_one(labelled: Files, tmp_path: Path) -> None:
    more = tmp_path / "more.jsonl"
    more.write_text('{"id": "copy", "description": "use to count, and feed SHEEP"}\n')
    task = tmp_path / "task.jsonl"
    task.write_text('{"skill_id": "copy", "kind": "terse", "query": "q", "split": "train"}\n')
    data = read_data([*labelled[0], more], [task], splits=["train"])
    assert [pair.skill for pair in make_pairs(data)] == ["farm:sheep"]


@pytest.mark.parametrize(
    "line", ["{", "[1]", '{"split": "train"}', '{"split":"train","query":"q"}']
)
def test_a_broken_line_is_named(line: str, tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text(line)
    with pytest.raises(TasksInvalid, match=r"tasks\.jsonl:1"):
        read_data([], [path], splits=["train"])
