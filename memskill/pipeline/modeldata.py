"""What models are trained and measured on: files of skills and tasks, or the vault's own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memskill.config import Settings
from memskill.errors import EvaluationRefused, SourceError, TasksInvalid, UsageError
from memskill.pipeline.fromlog import said_tasks
from memskill.pipeline.vault import list_skills
from memskill.records import Split, Task
from memskill.sources.safety import printable, read_bounded
from memskill.sources.tasks import MAX_TASK_FILE_BYTES, read_tasks, tasks_fingerprint

if TYPE_CHECKING:
    from memskill.train.data import SkillText, TrainingData
    from memskill.train.suite import Suite

_ENDINGS = (".csv", ".json", ".jsonl", ".parquet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Sources:
    """Where skills and tasks come from; nothing named means the vault's own."""

    # Task files, in any shape of `mem help tasks`.
    queries: tuple[Path, ...] = ()
    # JSONL with id (or name), description and maybe when_to_use; empty: the promoted skills.
    skills: tuple[Path, ...] = ()
    splits: tuple[Split, ...] = ()


def training_data(settings: Settings, sources: Sources) -> TrainingData:
    """Return the graded tasks of the named splits, with their catalogue.

    Raises:
        UsageError: Files of skills without files of tasks.
        TasksInvalid: A file breaks its schema: which, and in which line.
        EvaluationRefused: No task of these splits fits a skill of the catalogue.
    """
    from memskill.train.data import read_data
    from memskill.train.owndata import own_data, with_splits

    if sources.skills:
        if not sources.queries:
            raise UsageError("--skills names files, --queries none", hint="Name the tasks too.")
        _require_skills(sources.skills)
        try:
            data = read_data(sources.skills, sources.queries, splits=list(sources.splits))
        except (OSError, ValueError) as error:
            raise TasksInvalid(f"the files of tasks cannot be read: {error}") from error
    else:
        tasks, files = _vault_tasks(settings, sources.queries)
        chosen = [t for t in with_splits(tasks) if t.split in sources.splits]
        data = own_data(_vault_skills(settings), chosen, files)
    if not any(id_ in data.skills for task in data.tasks for id_ in task.right):
        raise EvaluationRefused(
            f"no task of split {' or '.join(sources.splits)} fits a skill of the catalogue",
            hint="`mem eval --from-log` makes labelled tasks to review; `mem help training`.",
        )
    return data


def measured_suites(
    settings: Settings, sources: Sources, folders: Sequence[Path] = ()
) -> list[Suite]:
    """Return what to measure on: prepared folders, else the named files, else the vault.

    Args:
        settings: Names the vault; bounds a task's length.
        sources: Files; `splits` applies to folders too, empty takes all.
        folders: Each holds skills.jsonl and tasks.jsonl.

    Raises:
        TasksInvalid, EvaluationRefused: As `training_data`.
    """
    from memskill.train.owndata import with_splits
    from memskill.train.suite import read_suite, suite_of

    limit = settings.max_task_chars
    if folders:
        return [
            read_suite(folder.name, _file_skills([folder / "skills.jsonl"]),
                       [folder / "tasks.jsonl"], splits=sources.splits, max_chars=limit)
            for folder in folders
        ]  # fmt: skip
    if sources.skills:
        skills = _file_skills(sources.skills)
        return [read_suite("tasks", skills, sources.queries, splits=sources.splits,
                           max_chars=limit)]  # fmt: skip
    tasks, _ = _vault_tasks(settings, sources.queries)
    split = with_splits(tasks)
    chosen = [t for t in split if not sources.splits or t.split in sources.splits]
    return [suite_of("vault", _vault_skills(settings), chosen)]


def _file_skills(paths: Sequence[Path]) -> list[SkillText]:
    from memskill.train.data import read_data

    _require_skills(paths)
    return list(read_data(list(paths), [], splits=[]).skills.values())


def _require_skills(paths: Sequence[Path]) -> None:
    """Raise TasksInvalid, with file and line, where a line is no skill."""
    for path in paths:
        shown = printable(str(path), 200)
        try:
            lines = read_bounded(path, MAX_TASK_FILE_BYTES).decode("utf-8").splitlines()
        except (SourceError, UnicodeDecodeError) as error:
            raise TasksInvalid(f"{shown}: {error}") from error
        for number, line in enumerate(lines, start=1):
            if line.strip() and not _is_skill(line):
                raise TasksInvalid(
                    f"{shown}:{number}: no skill: an object with id (or name) and description",
                    hint="`mem help training` shows a line.",
                )


def _is_skill(line: str) -> bool:
    try:
        row: Any = json.loads(line)
    except ValueError:
        return False
    return isinstance(row, dict) and all(
        isinstance(value, str) and value.strip()
        for value in (row.get("id") or row.get("name"), row.get("description"))  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    )


def _vault_skills(settings: Settings) -> list[SkillText]:
    from memskill.train.owndata import skill_text

    skills, _ = list_skills(settings)
    return [skill_text(skill) for skill in skills]


def _vault_tasks(settings: Settings, paths: Sequence[Path]) -> tuple[list[Task], dict[str, str]]:
    """Return the tasks of some files, else the vault's: its folder tasks/ and its feedback."""
    folder = settings.vault / "tasks"
    own = sorted(f for f in folder.iterdir() if f.suffix in _ENDINGS) if folder.is_dir() else []
    read = [read_tasks(p, max_chars=settings.max_task_chars) for p in paths or own]
    tasks = [task for file in read for task in file.tasks]
    files = {Path(file.path).name: file.file_sha for file in read}
    if not paths and (said := said_tasks(settings)):
        tasks += said
        files["feedback"] = tasks_fingerprint(said)
    skills, _ = list_skills(settings)
    texts = json.dumps([(s.name, s.description, s.when_to_use) for s in skills])
    files["skills of the vault"] = hashlib.sha256(texts.encode()).hexdigest()
    return tasks, files
