"""`mem floor`: fit, show, set and take back the least score that is returned."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from memskill.config import Settings
from memskill.errors import ConfigError, FloorMissing, NotFound, UsageError
from memskill.match.cases import Progress, run_cases
from memskill.match.floorfile import (
    FIT_COMMAND,
    fit_report,
    floor_in_force,
    floor_path,
    read_floor,
    remove_floor,
    shipped_floors,
    shipped_report,
    write_floor,
)
from memskill.match.floortune import FloorFit, tune
from memskill.match.target import parse_target
from memskill.pipeline.deciding import Opener, models_in_use, open_deciding
from memskill.pipeline.evaluate import require_floor
from memskill.pipeline.labelled import read_labelled
from memskill.pipeline.notes import require_limit
from memskill.pipeline.tasks import keep_files
from memskill.records import Floor, Split
from memskill.store import FloorRow, floor_time, open_store


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """A fit, what to know before reading it, and whether it is in force now."""

    fit: FloorFit
    remarks: tuple[str, ...]
    written: bool
    # In the history, where `mem model use` finds it for these models.
    kept: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownFloor:
    """A floor and the report of its fit; an empty report where it was set by hand."""

    floor: Floor
    report: Mapping[str, object]
    # Whether it counts for the models in use now.
    in_force: bool


def tune_floor(
    settings: Settings,
    paths: Sequence[Path],
    target: str,
    *,
    skill: str = "",
    seed: int = 0,
    share: float = 0.5,
    fit_on: Collection[Split] = (),
    report_on: Collection[Split] = (),
    limit: int = 3,
    dry_run: bool = False,
    in_force: bool = True,
    opener: Opener = open_deciding,
    progress: Progress | None = None,
) -> Tuned:
    """Fit a floor on labelled tasks and put it in force, in the history and in floor.toml.

    Args:
        settings: Names the vault and the models that the floor is for.
        paths: Task files.
        target: Such as "false_fire<=0.05", "precision>=0.9" or "cost=5:1".
        skill: The skill of a trigger set.
        seed: Of the split and of the intervals.
        share: How much of the tasks is fitted on, 0.2 to 0.8.
        fit_on: Use the tasks' own `split`: fit on these values ...
        report_on: ... and report on those.
        limit: How many skills are returned at most, 1..50.
        dry_run: Fit and report, write nothing.
        in_force: Put it in force; False keeps it in the history alone, for models that are not
            in use yet.
        opener: Opens a matcher.
        progress: Called with (tasks done, tasks in all).

    Raises:
        UsageError: A target, share or limit that cannot be.
        TasksInvalid, NotFound, EvaluationRefused: See `read_labelled` and `tune`.
        ModelError, ConfigError, ExtraMissing: A model cannot load.
        StoreError: The history cannot be written; floor.toml then stays as it is.
    """
    wanted = parse_target(target)
    require_limit(limit, 50)
    if not 0.2 <= share <= 0.8:
        raise UsageError(f"the fitted share lies between 0.2 and 0.8, not at {share}")
    deciding = opener(settings)
    splits: list[Split] = [*fit_on, *report_on]
    labelled = read_labelled(settings, paths, names=deciding.names, splits=splits, skill=skill)
    fit = tune(
        run_cases(deciding.decide, labelled.tasks, progress),
        wanted,
        seed=seed,
        share=share,
        fit_on=fit_on,
        report_on=report_on,
        limit=limit,
        fitted_at=floor_time(),
    )
    remarks = list(labelled.remarks)
    if not dry_run:
        row = FloorRow(floor=fit.floor, report=json.dumps(fit_report(fit), ensure_ascii=False))
        _remember(settings, row)
        if in_force:
            _write(settings, row)
        if not_kept := keep_files(settings, labelled.files, deciding.encoder):
            remarks.append(not_kept)
    written = in_force and not dry_run
    return Tuned(fit=fit, remarks=tuple(remarks), written=written, kept=not dry_run)


def show_floor(settings: Settings) -> ShownFloor:
    """Return the floor in force for the models in use, with its report.

    Raises:
        FloorMissing: None is bound to these models.
    """
    floor = floor_in_force(settings, *models_in_use(settings))
    report = shipped_report(floor)
    for row in _history(settings):
        if _same(row.floor, floor):
            report = _report(row)
    return ShownFloor(floor=floor, report=report, in_force=True)


def floor_history(settings: Settings) -> list[ShownFloor]:
    """Return every floor that was fitted or set in this vault, newest first."""
    try:
        own = read_floor(settings)
    except ConfigError:
        own = None  # a damaged file hides no history
    return [
        ShownFloor(
            floor=row.floor, report=_report(row), in_force=bool(own and _same(row.floor, own))
        )
        for row in _history(settings)
    ]


def set_floor(settings: Settings, value: float) -> Floor:
    """Put `value` in force for the models in use and return the floor.

    The calibration of the floor in force stays: a score keeps its meaning.

    Raises:
        UsageError: `value` is not in 0..1.
    """
    require_floor(value)
    encoder, reranker = models_in_use(settings)
    calibration: Mapping[str, str | float] = {}
    with contextlib.suppress(FloorMissing):
        calibration = floor_in_force(settings, encoder, reranker).calibration
    floor = Floor(
        value=value,
        encoder_fingerprint=encoder,
        reranker_fingerprint=reranker,
        origin="set by hand",
        fitted_at=floor_time(),
        calibration=calibration,
    )
    _put_in_force(settings, FloorRow(floor=floor))
    return floor


def rollback_floor(settings: Settings) -> Floor:
    """Put the floor before the present one of the same models in force again, and return it.

    Before the first of the history stands the shipped floor. The history itself stays whole.

    Raises:
        NotFound: There is nothing to go back to; floor.toml stays as it is.
    """
    models = models_in_use(settings)
    try:
        own = read_floor(settings)
    except ConfigError:
        own = None  # a damaged file: back to the newest that is known
    rows = [row for row in _history(settings) if _models(row.floor) == models]
    if own and _models(own) == models:
        rows = [row for row in rows if row.floor.fitted_at < own.fitted_at]
    if rows:
        _write(settings, rows[0])
        return rows[0].floor
    shipped = next((floor for floor in shipped_floors() if _models(floor) == models), None)
    if shipped is None or not floor_path(settings).is_file():
        raise NotFound("there is no earlier floor for these models", hint=f"Fit one: {FIT_COMMAND}")
    remove_floor(settings)
    return shipped


def floor_known(settings: Settings) -> Floor | None:
    """Return the floor for the models that the settings name, in force or in the history.

    Raises:
        ModelError, ExtraMissing, ConfigError: A model cannot load, or floor.toml is damaged.
    """
    models = models_in_use(settings)
    with contextlib.suppress(FloorMissing):
        return floor_in_force(settings, *models)
    return next((row.floor for row in _history(settings) if _models(row.floor) == models), None)


def restore_floor(settings: Settings) -> Floor:
    """Put the newest floor that was fitted for the models in use in force, and return it.

    Where the one in force is theirs already it stays.

    Raises:
        FloorMissing: None was ever fitted for them, and none is shipped.
    """
    models = models_in_use(settings)
    try:
        return floor_in_force(settings, *models)
    except FloorMissing:
        row = next((row for row in _history(settings) if _models(row.floor) == models), None)
        if row is None:
            raise
        _write(settings, row)
        return row.floor


def _put_in_force(settings: Settings, row: FloorRow) -> None:
    """Write the history first: a floor that counts is never missing from it."""
    _remember(settings, row)
    _write(settings, row)


def _remember(settings: Settings, row: FloorRow) -> None:
    with open_store(settings, write=True) as store, store.transaction():
        store.add_floor(row)


def _write(settings: Settings, row: FloorRow) -> None:
    report = _report(row)
    remarks = ["Written by `mem floor`; `mem floor history` tells more."]
    if report:
        remarks.append(f"Fitted for {report['target']}.")
    write_floor(settings, row.floor, remarks)


def _history(settings: Settings) -> list[FloorRow]:
    if not settings.database.is_file():
        return []
    with open_store(settings) as store:
        return store.floors()


def _report(row: FloorRow) -> dict[str, object]:
    return cast("dict[str, object]", json.loads(row.report)) if row.report else {}


def _models(floor: Floor) -> tuple[str, str]:
    return floor.encoder_fingerprint, floor.reranker_fingerprint


def _same(one: Floor, other: Floor) -> bool:
    return _models(one) == _models(other) and one.fitted_at == other.fitted_at
