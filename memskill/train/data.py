"""Labelled data as training reads it: skills as text views, tasks with what is right for them.

The files are JSON Lines in the shapes of `data/tasks/README.md`. Everything is filtered by split
here, at the door, so that nothing downstream can look at a part that is kept for the report.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from memskill.errors import TasksInvalid
from memskill.sources.clauses import positive_text, split_clauses

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillText:
    """A skill as the models see it: two fields, never a name, never a body."""

    id: str
    description: str
    when_to_use: str = ""
    # Belongs to the hand-picked catalogue that no-match tasks are labelled against.
    core: bool = False
    # Skills that send work to each other share one; "" for most.
    family: str = ""

    @property
    def positive(self) -> str:
        """The text that is encoded and reranked."""
        return positive_text(self.description, self.when_to_use)

    def clauses(self, polarity: str) -> list[str]:
        """The clauses of one polarity, in reading order."""
        found = split_clauses(self.description, self.when_to_use)
        return [clause.text for clause in found if clause.polarity == polarity]


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedTask:
    """A task with graded skills: 2 = right to load, 1 = related, 0 = wrong.

    A skill that is not graded is unknown, not wrong, unless `closed` says that none of the
    catalogue `pool` is right beyond those graded 2.
    """

    text: str
    grades: Mapping[str, int]
    kind: str
    split: str
    group: str = ""
    closed: bool = False
    # "core", a routing family, or "" for every skill.
    pool: str = ""

    @property
    def right(self) -> tuple[str, ...]:
        """The skills that are right for it."""
        return tuple(id_ for id_, grade in self.grades.items() if grade == 2)


@dataclass(slots=True, kw_only=True)
class TrainingData:
    """Skills by id, and tasks."""

    skills: dict[str, SkillText] = field(default_factory=dict[str, SkillText])
    tasks: list[GradedTask] = field(default_factory=list[GradedTask])
    # sha256 of every file that was read, by name.
    files: dict[str, str] = field(default_factory=dict[str, str])

    def of(self, *splits: str) -> list[GradedTask]:
        """The tasks of some splits, in file order."""
        return [task for task in self.tasks if task.split in splits]

    @property
    def fingerprint(self) -> str:
        """One sha256 over all files read."""
        lines = "".join(f"{name} {sha}\n" for name, sha in sorted(self.files.items()))
        return hashlib.sha256(lines.encode()).hexdigest()


def read_data(
    skills: Sequence[Path], tasks: Sequence[Path], *, splits: Sequence[str]
) -> TrainingData:
    """Return the skills of some files and the tasks of others, of the named splits only.

    Args:
        skills: JSONL with id (or name), description and maybe when_to_use, core, family.
        tasks: JSONL of any shape in `data/tasks/README.md`, told apart by their keys.
        splits: Which of train, valid, final to keep.

    Raises:
        TasksInvalid: A line that is no JSON object, or of no known shape: file and line.
    """
    data = TrainingData()
    for path in skills:
        for row in _rows(path, data):
            skill = _skill(row)
            data.skills[skill.id] = skill
    for path in tasks:
        for number, row in enumerate(_rows(path, data), start=1):
            if row.get("split") not in splits:
                continue
            try:
                data.tasks.extend(_tasks(row, data.skills))
            except KeyError as missing:
                raise TasksInvalid(
                    f"{path}:{number}: no known shape of task, {missing} is missing",
                    hint="see data/tasks/README.md for the shapes",
                ) from missing
    log.info("%d skills, %d tasks of %s", len(data.skills), len(data.tasks), "+".join(splits))
    return data


def _rows(path: Path, data: TrainingData) -> Iterator[dict[str, Any]]:
    raw = path.read_bytes()
    data.files[path.name] = hashlib.sha256(raw).hexdigest()
    for number, line in enumerate(raw.decode("utf-8").splitlines(), start=1):
        if not line.strip():
            continue
        try:
            row: Any = json.loads(line)
        except ValueError as error:
            raise TasksInvalid(f"{path}:{number}: not JSON: {error}") from error
        if not isinstance(row, dict):
            raise TasksInvalid(f"{path}:{number}: a JSON object is expected")
        yield row  # pyright: ignore[reportUnknownVariableType]


def _skill(row: Mapping[str, Any]) -> SkillText:
    return SkillText(
        id=str(row.get("id") or row["name"]),
        description=str(row["description"]),
        when_to_use=str(row.get("when_to_use") or ""),
        core=bool(row.get("core")),
        family=str(row.get("family") or ""),
    )


def _tasks(row: Mapping[str, Any], skills: dict[str, SkillText]) -> Iterable[GradedTask]:
    """Return the tasks that a row stands for; most rows are one."""
    split = str(row["split"])
    if "w" in row:
        return _when_to_use(row, skills)
    text = str(row["task"] if "task" in row else row["query"])
    if "candidates" in row:
        grades = {str(c["skill_id"]): int(c["grade"]) for c in row["candidates"]}
        group = str(row.get("written_for") or "")
        return [GradedTask(text=text, grades=grades, kind=row["kind"], split=split, group=group)]
    if "nearest" in row:
        wrong = {str(id_): 0 for id_ in row["nearest"]}
        return [
            GradedTask(
                text=text, grades=wrong, kind=row["kind"], split=split, closed=True, pool="core"
            )
        ]
    if "expected" in row:
        family = str(row.get("family") or "")
        return [
            GradedTask(
                text=text,
                grades={str(id_): 2 for id_ in row["expected"]},
                kind=row["kind"],
                split=split,
                group=family or text,
                closed=bool(family) or not row["expected"],
                pool=family or "core",
            )
        ]
    own = str(row["skill_id"])
    # A near miss is wrong for its own skill; whether another one is right is not known.
    grade = 0 if row["kind"] == "near_miss" else 2
    return [GradedTask(text=text, grades={own: grade}, kind=row["kind"], split=split, group=own)]


def _when_to_use(row: Mapping[str, Any], skills: dict[str, SkillText]) -> Iterable[GradedTask]:
    """Give a skill the when_to_use that was written for it, under an id of its own."""
    own, split = f"{row['id']}#when", str(row["split"])
    base = skills[str(row["id"])]
    skills[own] = SkillText(
        id=own, description=base.description, when_to_use=str(row["when_to_use"])
    )
    for kind in ("d", "w"):
        yield GradedTask(
            text=str(row[kind]), grades={own: 2}, kind=f"when_to_use_{kind}", split=split, group=own
        )
