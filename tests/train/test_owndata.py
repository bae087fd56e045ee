"""A vault's labels as training data: splits by group, one right skill a task, nothing leaks."""

from __future__ import annotations

from dataclasses import replace

from memskill.match.grouping import group_key
from memskill.records import Skill, Task
from memskill.train.owndata import own_data, skill_text, with_splits
from memskill.train.pairs import make_pairs

SKILLS = [
    skill_text(Skill(path=f"skills/{n}/SKILL.md", name=n, description=f"Do {n}.")) for n in "ab"
]


def test_a_group_is_in_one_split_and_a_stated_split_stays() -> None:
    tasks = [Task(text=f"{i} {k}", expected=(f"s{i}",)) for i in range(60) for k in range(3)]
    given = [*with_splits(tasks), *with_splits([replace(tasks[0], split="final")])]
    assert given[-1].split == "final"
    by_group: dict[str, set[object]] = {}
    for task in given[:-1]:
        by_group.setdefault(group_key(task), set()).add(task.split)
    assert all(len(found) == 1 for found in by_group.values())
    held_out = sum(found == {"valid"} for found in by_group.values())
    assert 4 <= held_out <= 24


def test_more_labels_move_no_task_to_another_split() -> None:
    tasks = [Task(text=f"t{i}", expected=(f"s{i}",)) for i in range(30)]
    more = [Task(text=f"u{i}", expected=(f"s{i}",)) for i in range(60)]
    before = {task.text: task.split for task in with_splits(tasks)}
    after = {task.text: task.split for task in with_splits([*more, *tasks])}
    assert before.items() <= after.items()


def test_labels_become_what_training_understands() -> None:
    data = own_data(
        SKILLS,
        [
            Task(text="one", expected=("a",), split="train"),
            Task(text="both", expected=("a", "b"), split="train"),
            Task(text="judged", expected=("a",), forbidden=("b",), split="train"),
            Task(text="miss", expected=(), forbidden=("a",), kind="near_miss", split="train"),
            Task(text="nothing", expected=(), kind="none", split="train"),
            Task(text="gone", expected=("c",), split="train"),
        ],
        {"f": "0"},
    )
    told = {(t.text, tuple(sorted(t.grades.items())), t.closed) for t in data.tasks}
    assert told == {
        ("one", (("a", 2),), False),
        ("both", (("a", 2),), False),
        ("both", (("b", 2),), False),
        ("judged", (("a", 2), ("b", 0)), False),
        ("miss", (("a", 0),), False),
        ("nothing", (), True),
    }
    pairs = {(p.task, p.skill, p.near_miss) for p in make_pairs(data)}
    assert ("one", "a", "miss") in pairs
