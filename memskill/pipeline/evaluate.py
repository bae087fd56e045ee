"""`mem eval`: what labelled tasks say of the matcher, and of another setting beside it."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from memskill.config import Settings
from memskill.errors import FloorMissing, UsageError
from memskill.match.cases import Case, Progress, run_cases
from memskill.match.evaluate import Comparison, EvaluationReport, compare, evaluate
from memskill.match.floorfile import floor_in_force
from memskill.pipeline.deciding import Deciding, Opener, open_deciding
from memskill.pipeline.labelled import Labelled, read_labelled
from memskill.pipeline.notes import require_limit
from memskill.pipeline.tasks import keep_files
from memskill.records import Split, Task

# What `--against` may change.
_CHANGEABLE = ("encoder", "reranker", "shortlist_size", "floor")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """A report, and where another setting was asked for, its report and the paired difference."""

    # Path and form of each file, sha256 of its bytes.
    files: tuple[tuple[str, str, str], ...]
    setting: str
    report: EvaluationReport
    against: EvaluationReport | None
    comparison: Comparison | None
    # What to know before reading the figures.
    remarks: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Run:
    """One setting's cases and floor."""

    cases: Sequence[Case]
    floor: float | None
    origin: str
    remark: str


def evaluate_tasks(
    settings: Settings,
    paths: Sequence[Path],
    *,
    splits: Collection[Split] = (),
    skill: str = "",
    floor: float | None = None,
    against: str = "",
    limit: int = 3,
    seed: int = 0,
    opener: Opener = open_deciding,
    progress: Progress | None = None,
) -> Evaluation:
    """Return the evaluation of the settings on labelled tasks against the vault's catalogue.

    Where the vault has a database, the tasks are kept in it: `derived.shortlist` and
    `derived.skill_greed` then tell about them in SQL.

    Args:
        settings: Names the vault and the models.
        paths: Task files.
        splits: Which parts of them to look at; empty: all.
        skill: The skill of a trigger set.
        floor: A floor to try instead of the one in force.
        against: Another setting, such as "reranker=none" or "encoder=hf:NAME,floor=0.5".
        limit: How many skills are returned at most, 1..50.
        seed: Of the intervals.
        opener: Opens a matcher.
        progress: Called with (tasks done, tasks in all).

    Raises:
        TasksInvalid, EvaluationRefused, NotFound: See `read_labelled`.
        UsageError: A limit or floor out of range, or a setting that is not understood.
        ModelError, ConfigError, ExtraMissing: A model cannot load.
    """
    require_limit(limit, 50)
    require_floor(floor)
    other = parse_setting(settings, against) if against else None
    deciding = opener(settings)
    labelled = read_labelled(settings, paths, names=deciding.names, splits=splits, skill=skill)
    not_kept = keep_files(settings, labelled.files, deciding.encoder)
    labelled = dataclasses.replace(labelled, remarks=(*labelled.remarks, *filter(None, [not_kept])))
    first = _run(settings, labelled.tasks, floor, deciding, progress)
    name = setting_name(settings, floor)
    report = _report(first, settings, limit, seed)
    if other is None:
        return _evaluation(labelled, name, report, [first])
    second = _run(other[0], labelled.tasks, other[1], opener(other[0]), progress)
    comparison = compare(
        first.cases,
        second.cases,
        names=(name, against),
        floors=(first.floor, second.floor),
        limit=limit,
        k=min(settings.shortlist_size, other[0].shortlist_size),
        seed=seed,
    )
    return dataclasses.replace(
        _evaluation(labelled, name, report, [first, second]),
        against=_report(second, other[0], limit, seed),
        comparison=comparison,
    )


def parse_setting(settings: Settings, text: str) -> tuple[Settings, float | None]:
    """Return the settings changed as `text` says, and the floor that it names, if any.

    Raises:
        UsageError: Not `name=value[,name=value]`, or a name that cannot be changed.
    """
    changes: dict[str, str | int] = {}
    floor: float | None = None
    for part in text.split(","):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals or name not in _CHANGEABLE or not value:
            raise UsageError(
                f"setting {part.strip()[:60]!r} is not understood",
                hint=f"Write NAME=VALUE[,NAME=VALUE]; names: {', '.join(_CHANGEABLE)}.",
            )
        try:
            if name == "floor":
                floor = float(value)
            else:
                changes[name] = int(value) if name == "shortlist_size" else value
        except ValueError:
            raise UsageError(f"setting {name!r} needs a number, not {value[:60]!r}") from None
    require_floor(floor)
    if int(changes.get("shortlist_size", 1)) < 1:
        raise UsageError("setting 'shortlist_size' must be at least 1")
    return dataclasses.replace(settings, **changes), floor  # type: ignore[arg-type]


def setting_name(settings: Settings, floor: float | None) -> str:
    """Return a setting in the form that `parse_setting` reads: its models, and a tried floor."""
    name = f"encoder={settings.encoder},reranker={settings.reranker}"
    return name if floor is None else f"{name},floor={floor}"


def require_floor(floor: float | None) -> None:
    """Raise UsageError unless `floor` is None or lies in 0..1."""
    if floor is not None and not 0 <= floor <= 1:
        raise UsageError(f"a floor lies between 0 and 1, not at {floor}")


def _run(
    settings: Settings,
    tasks: Sequence[Task],
    floor: float | None,
    deciding: Deciding,
    progress: Progress | None,
) -> _Run:
    cases = run_cases(deciding.decide, tasks, progress)
    if floor is not None:
        return _Run(cases=cases, floor=floor, origin="given", remark="")
    models = cases[0].decision
    try:
        found = floor_in_force(settings, models.encoder_fingerprint, models.reranker_fingerprint)
    except FloorMissing as missing:
        remark = f"{setting_name(settings, None)}: {missing.message}. {missing.hint}"
        return _Run(cases=cases, floor=None, origin="", remark=remark)
    return _Run(cases=cases, floor=found.value, origin=found.origin, remark="")


def _report(run: _Run, settings: Settings, limit: int, seed: int) -> EvaluationReport:
    return evaluate(
        run.cases,
        floor=run.floor,
        floor_origin=run.origin,
        limit=limit,
        k=settings.shortlist_size,
        seed=seed,
    )


def _evaluation(
    labelled: Labelled, name: str, report: EvaluationReport, runs: Sequence[_Run]
) -> Evaluation:
    return Evaluation(
        files=tuple((file.path, file.form, file.file_sha) for file in labelled.files),
        setting=name,
        report=report,
        against=None,
        comparison=None,
        remarks=(*labelled.remarks, *(run.remark for run in runs if run.remark)),
    )
