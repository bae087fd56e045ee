"""Floors that were fitted or set, and the labelled tasks that they were fitted on."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from memskill.records import Floor, Task
from memskill.sources.identity import canonical_json, text_sha
from memskill.store.base import Connection, Row, utc_now


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorRow:
    """One line of the floors' history."""

    floor: Floor
    # The report of the fit as JSON; "" when it was set by hand.
    report: str = ""


class FloorQueries(Connection):
    """Reads and writes of floors and task sets. Writes belong inside `transaction()`."""

    def add_floor(self, row: FloorRow) -> None:
        """Keep a floor; its `fitted_at` is an ISO time with microseconds, as `floor_time` gives."""
        floor = row.floor
        self._run(
            "insert_floor",
            encoder=floor.encoder_fingerprint,
            reranker=floor.reranker_fingerprint,
            fitted_at=datetime.fromisoformat(floor.fitted_at).replace(tzinfo=None),
            value=floor.value,
            calibration=canonical_json(dict(floor.calibration)),
            data_fingerprint=floor.data_fingerprint,
            seed=floor.seed,
            report=row.report,
        )

    def floors(self) -> list[FloorRow]:
        """Return every floor ever fitted or set, newest first."""
        return [_floor_row(row) for row in self._rows("list_floors")]

    def save_task_set(self, name: str, file_sha: str, tasks: Sequence[Task]) -> None:
        """Keep labelled tasks under `name`, in place of what was there."""
        import polars as pl

        columns = ("text", "project", "grp", "kind", "split", "matched_on", "text_sha")
        rows = [
            {
                "ordinal": ordinal,
                "text": task.text,
                "expected": list(task.expected),
                "project": task.project,
                "grp": task.group,
                "kind": task.kind,
                "split": task.split,
                "text_sha": text_sha(task.text),
                "forbidden": list(task.forbidden),
                "matched_on": task.matched_on,
            }
            for ordinal, task in enumerate(tasks)
        ]
        names = pl.List(pl.String)
        schema = dict.fromkeys(columns, pl.String) | {
            "ordinal": pl.Int32,
            "expected": names,
            "forbidden": names,
        }
        self._run("delete_task_set_tasks", name=name)
        self._run("record_task_set", name=name, file_sha=file_sha, at=utc_now())
        self._load("insert_tasks", rows, schema, name=name)

    def task_sets(self) -> dict[str, tuple[str, int]]:
        """Return name -> (sha of the file, number of tasks), by name."""
        return {str(n): (str(sha), int(count)) for n, sha, count in self._rows("list_task_sets")}

    def task_set(self, name: str) -> list[Task]:
        """Return the tasks of one set in their file's order; [] for an unknown name."""
        return [_task(row) for row in self._rows("tasks_of_set", name=name)]


def floor_time() -> str:
    """Return the time now as `fitted_at` holds it: ISO 8601, UTC, microseconds, `Z`."""
    return f"{utc_now().isoformat(timespec='microseconds')}Z"


def _floor_row(row: Row) -> FloorRow:
    encoder, reranker, fitted_at, value, calibration, data_fingerprint, seed, report = row
    floor = Floor(
        value=value,
        encoder_fingerprint=encoder,
        reranker_fingerprint=reranker,
        origin="floor.toml" if data_fingerprint else "set by hand",
        data_fingerprint=data_fingerprint,
        fitted_at=f"{fitted_at.isoformat(timespec='microseconds')}Z",
        calibration=json.loads(calibration),
        seed=seed,
    )
    return FloorRow(floor=floor, report=report)


def _task(row: Row) -> Task:
    text, expected, project, group, kind, split, forbidden, matched_on = row
    return Task(
        text=text,
        expected=tuple(expected),
        project=project,
        group=group,
        kind=kind,
        split=split,
        forbidden=tuple(forbidden),
        matched_on=matched_on,
    )
