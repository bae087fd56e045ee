"""Labelled tasks as a notebook names them: the vault's own, files, or tasks picked from them.

Questions to notes search are labelled in the same form, and lie in a folder of their own.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Generator, Iterable
from pathlib import Path
from typing import TypeAlias

from memskill.config import Settings
from memskill.errors import NotFound
from memskill.explore.shown import Rows
from memskill.records import Task
from memskill.sources.tasks import read_tasks, tasks_jsonl

# None: every file in the vault's folder `tasks`, or `questions`.
TaskSource: TypeAlias = "Rows[Task] | Iterable[Task] | Path | str | None"
FOLDER = "tasks"
QUESTIONS = "questions"
_ENDINGS = (".csv", ".json", ".jsonl", ".parquet")


def task_files(settings: Settings, folder: str = FOLDER) -> list[Path]:
    """Return the task files of one of the vault's folders, by name.

    Raises:
        NotFound: There is none.
    """
    place = settings.vault / folder
    found = sorted(place.iterdir()) if place.is_dir() else []
    files = [file for file in found if file.suffix in _ENDINGS]
    if not files:
        raise NotFound(
            f"no labelled {folder} in {place}",
            hint="`mem help tasks` tells the schema; `mem eval --from-log` makes some to review.",
        )
    return files


def read_source(
    settings: Settings, source: TaskSource, *, folder: str = FOLDER
) -> tuple[Task, ...]:
    """Return the tasks that `source` names, in their order; those of `folder` for None.

    Raises:
        NotFound: The vault has no labelled tasks.
        TasksInvalid: A file breaks the schema.
    """
    if isinstance(source, Rows):
        return source.records
    if source is not None and not isinstance(source, str | Path):
        return tuple(source)
    files = task_files(settings, folder) if source is None else [Path(source)]
    read = (read_tasks(file, max_chars=settings.max_task_chars) for file in files)
    return tuple(task for file in read for task in file.tasks)


@contextlib.contextmanager
def as_file(settings: Settings, source: TaskSource, *, folder: str = FOLDER) -> Generator[Path]:
    """Yield a file that holds the tasks that `source` names, while the block runs."""
    with tempfile.TemporaryDirectory(prefix="memskill-") as home:
        path = Path(home) / "tasks.jsonl"
        found = read_source(settings, source, folder=folder)
        path.write_text(tasks_jsonl(found), encoding="utf-8")
        yield path
