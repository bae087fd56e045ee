"""Labelled tasks as a notebook names them: the vault's own, files, or tasks picked from them."""

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

# None: every file in the vault's folder `tasks`.
TaskSource: TypeAlias = "Rows[Task] | Iterable[Task] | Path | str | None"
FOLDER = "tasks"
_ENDINGS = (".csv", ".json", ".jsonl", ".parquet")


def task_files(settings: Settings) -> list[Path]:
    """Return the task files of the vault's folder `tasks`, by name.

    Raises:
        NotFound: There is none.
    """
    folder = settings.vault / FOLDER
    found = sorted(folder.iterdir()) if folder.is_dir() else []
    files = [file for file in found if file.suffix in _ENDINGS]
    if not files:
        raise NotFound(
            f"no labelled tasks in {folder}",
            hint="`mem help tasks` tells the schema; `mem eval --from-log` makes some to review.",
        )
    return files


def read_source(settings: Settings, source: TaskSource) -> tuple[Task, ...]:
    """Return the tasks that `source` names, in their order.

    Raises:
        NotFound: The vault has no labelled tasks.
        TasksInvalid: A file breaks the schema.
    """
    if isinstance(source, Rows):
        return source.records
    if source is not None and not isinstance(source, str | Path):
        return tuple(source)
    files = task_files(settings) if source is None else [Path(source)]
    read = (read_tasks(file, max_chars=settings.max_task_chars) for file in files)
    return tuple(task for file in read for task in file.tasks)


@contextlib.contextmanager
def as_file(settings: Settings, source: TaskSource) -> Generator[Path]:
    """Yield a file that holds the tasks that `source` names, while the block runs."""
    with tempfile.TemporaryDirectory(prefix="memskill-") as folder:
        path = Path(folder) / "tasks.jsonl"
        path.write_text(tasks_jsonl(read_source(settings, source)), encoding="utf-8")
        yield path
