"""Labelled tasks read for an evaluation or a fit, and what is odd about them for this vault."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from memskill.config import Settings
from memskill.errors import EvaluationRefused, NotFound
from memskill.records import Split, Task
from memskill.sources.safety import printable
from memskill.sources.tasks import TaskFile, read_tasks

_NAMED = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """The chosen tasks of one file or several, with remarks for whoever reads the figures."""

    files: tuple[TaskFile, ...]
    tasks: tuple[Task, ...]
    remarks: tuple[str, ...]


def read_labelled(
    settings: Settings,
    paths: Sequence[Path],
    *,
    names: Collection[str],
    splits: Collection[Split] = (),
    skill: str = "",
) -> Labelled:
    """Return the tasks of `paths` that are of one of `splits`; all of them where that is empty.

    Args:
        settings: For the longest task that is read.
        paths: Task files.
        names: The skills of the catalogue that the tasks are to be matched against.
        splits: Which parts to keep.
        skill: The skill of a trigger set.

    Raises:
        TasksInvalid: A file breaks the schema.
        NotFound: `skill` is not in the catalogue.
        EvaluationRefused: No task is left, or no right skill is in the catalogue.
    """
    if skill and skill not in names:
        raise NotFound(f"no promoted skill {printable(skill, 60)!r}{_near(skill, names)}")
    files = [read_tasks(path, skill=skill, max_chars=settings.max_task_chars) for path in paths]
    tasks = [t for file in files for t in file.tasks if not splits or t.split in splits]
    if not tasks:
        raise EvaluationRefused(
            "no task is left to look at", hint="Check --split and the file's `split` fields."
        )
    unknown = _unknown(tasks, names)
    if unknown and not any(set(task.expected) & set(names) for task in tasks):
        raise EvaluationRefused(
            "none of the skills that the tasks expect is in the vault's catalogue",
            hint=f"First: {unknown[0]!r}{_near(unknown[0], names)}. Is this the right vault?",
        )
    remarks = [
        f"{file.path}: {len(file.left_out)} rows left out: {file.left_out[0].reason}"
        for file in files
        if file.left_out
    ]
    if unknown:
        shown = ", ".join(f"{name!r}{_near(name, names)}" for name in unknown[:_NAMED])
        remarks.append(
            f"{len(unknown)} expected skills are not in the catalogue and count as missed: {shown}"
        )
    return Labelled(files=tuple(files), tasks=tuple(tasks), remarks=tuple(remarks))


def _unknown(tasks: Iterable[Task], names: Collection[str]) -> list[str]:
    """Return the expected skills that cannot be found, where no other right one can be either."""
    return sorted(
        {
            name
            for task in tasks
            if task.expected and not set(task.expected) & set(names)
            for name in task.expected
        }
    )


def _near(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, sorted(names), n=1)
    return f" (did you mean {near[0]!r}?)" if near else ""
