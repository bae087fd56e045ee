"""Skills and labelled tasks of a vault as training reads them.

Labels without a `split` get one here, by a hash of the group that they belong to: one in five
groups is held out (`valid`), so that a calibration is never fitted on what was trained on.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from memskill.match.grouping import components, group_key
from memskill.records import Skill, Split, Task
from memskill.train.data import GradedTask, SkillText, TrainingData

# One group in this many is held out.
_HELD_OUT = 5


def skill_text(skill: Skill) -> SkillText:
    """Return a skill of the vault as the models see it; its name is its id."""
    return SkillText(
        id=skill.name, description=skill.description, when_to_use=skill.when_to_use, core=True
    )


def with_splits(tasks: Sequence[Task]) -> list[Task]:
    """Return the tasks, each with a split: its own, else one by its group."""
    numbers = components(tasks)
    keys: dict[int, str] = {}
    for number, task in zip(numbers, tasks, strict=True):
        key = group_key(task)
        keys[number] = min(keys.get(number, key), key)

    def split(number: int) -> Split:
        digest = hashlib.sha256(keys[number].encode(errors="replace")).digest()
        return "valid" if digest[0] % _HELD_OUT == 0 else "train"

    return [
        task if task.split else replace(task, split=split(number))
        for number, task in zip(numbers, tasks, strict=True)
    ]


def own_data(
    skills: Iterable[SkillText], tasks: Iterable[Task], files: Mapping[str, str]
) -> TrainingData:
    """Return what training learns from: a graded task for each right skill of a labelled one.

    Args:
        skills: The catalogue.
        tasks: Labelled tasks; skills that are not in the catalogue are left out.
        files: Name -> sha256 of what was read, for the fingerprint.
    """
    known = {skill.id: skill for skill in skills}
    graded = [one for task in tasks for one in _graded(task, known)]
    return TrainingData(skills=known, tasks=graded, files=dict(files))


def _graded(task: Task, known: Mapping[str, SkillText]) -> list[GradedTask]:
    right = [name for name in task.expected if name in known]
    wrong = [name for name in task.forbidden if name in known]
    if task.expected and not right:
        return []
    # Nothing fits it: whatever is nearest is wrong.
    nothing = not task.expected and not task.forbidden
    grades: dict[str, int] = dict.fromkeys(wrong, 0)
    alone = GradedTask(
        text=task.text,
        grades=grades,
        kind=task.kind,
        split=task.split or "train",
        group=group_key(task).strip("\0"),
        closed=nothing,
        pool="core" if nothing else "",
    )
    if wrong or nothing:
        return [replace(alone, grades=grades | dict.fromkeys(right, 2))]
    # One right skill each: only then are its neighbours taken for wrong ones.
    return [replace(alone, grades={name: 2}) for name in right]
