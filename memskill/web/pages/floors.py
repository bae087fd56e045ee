"""The floor: what is in force, what was, and what was measured when it was fitted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import cast

from memskill.config import Settings
from memskill.errors import ConfigError, FloorMissing, MemskillError, NotFound
from memskill.match.floorfile import shipped_floors, shipped_report
from memskill.pipeline.floor import floor_history
from memskill.pipeline.matching import Matching
from memskill.records import Floor
from memskill.sources.safety import printable
from memskill.web.pages.provenance import impatient
from memskill.web.pages.skill import read_file

MAX_HISTORY = 100
_PARTS = {"fitted": "Fitted on", "held_out": "Held out"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A measure with its interval; None where it was not measured."""

    name: str
    value: float | None
    low: float | None
    high: float | None
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """The tasks that a floor was fitted on, or held out from it."""

    title: str
    # Name -> count, such as tasks and groups.
    counts: Mapping[str, int]
    measures: Sequence[Measure]


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorCard:
    """A floor and what its report says."""

    floor: Floor
    target: str
    parts: Sequence[Part]
    warnings: Sequence[str]
    in_force: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """An evaluation page that lies in the vault."""

    name: str
    size: int
    changed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorView:
    """All that `/floor` shows."""

    # None, with the reason in `missing`, where no floor is bound to the models in use.
    current: FloorCard | None
    missing: str
    hint: str
    shipped: Sequence[FloorCard]
    history: Sequence[FloorCard]
    # Why the history could not be read.
    history_fault: str
    reports: Sequence[Report]
    encoder: str
    reranker: str


def floor_view(settings: Settings, matching: Matching) -> FloorView:
    """Return what is known of floors; what cannot be read is told and hides nothing else."""
    current, missing, hint = None, "", ""
    try:
        current = matching.floor()
    except (FloorMissing, ConfigError) as error:
        missing, hint = error.message, error.hint
    history, fault = _history(settings)
    shipped = [_card(f, shipped_report(f), in_force=f == current) for f in shipped_floors()]
    card = None
    if current:
        known = [c for c in (*history, *shipped) if _same(c.floor, current)]
        card = known[0] if known else _card(current, {}, in_force=True)
    return FloorView(
        current=card,
        missing=missing,
        hint=hint,
        shipped=shipped,
        history=history,
        history_fault=fault,
        reports=reports(settings),
        encoder=matching.matcher.encoder.fingerprint,
        reranker=matching.matcher.reranker_fingerprint,
    )


def reports(settings: Settings) -> list[Report]:
    """Return the evaluation pages in `.memskill/reports`, newest first."""
    found: list[tuple[float, Report]] = []
    for file in sorted((settings.state_dir / "reports").glob("*.html")):
        if file.is_file():
            stat = file.stat()
            changed = datetime.fromtimestamp(stat.st_mtime, UTC).strftime("%Y-%m-%d %H:%M UTC")
            found.append(
                (-stat.st_mtime, Report(name=file.name, size=stat.st_size, changed=changed))
            )
    return [report for _, report in sorted(found, key=lambda pair: (pair[0], pair[1].name))]


def report_bytes(settings: Settings, name: str) -> bytes:
    """Return an evaluation page; the name is looked up, never made into a path.

    Raises:
        NotFound: There is none of that name.
        SourceError, PathRefused: It cannot be read, or is a link out of the vault.
    """
    if name not in {report.name for report in reports(settings)}:
        raise NotFound(f"no report {printable(name, 80)!r}", hint="`/floor` lists them.")
    return read_file(settings, settings.state_dir / "reports" / name)


def _history(settings: Settings) -> tuple[list[FloorCard], str]:
    try:
        shown = floor_history(impatient(settings))
    except MemskillError as error:
        return [], f"{error.message}. {error.hint}".strip()
    cards = [_card(one.floor, one.report, in_force=one.in_force) for one in shown[:MAX_HISTORY]]
    return cards, ""


def _same(one: Floor, other: Floor) -> bool:
    return (
        one.fitted_at == other.fitted_at
        and one.encoder_fingerprint == other.encoder_fingerprint
        and one.reranker_fingerprint == other.reranker_fingerprint
    )


def _card(floor: Floor, report: Mapping[str, object], *, in_force: bool) -> FloorCard:
    """Return a card of a floor; whatever form its report has, what is understood is shown."""
    warnings = report.get("warnings")
    return FloorCard(
        floor=floor,
        target=str(report.get("target", "")),
        parts=[
            _part(title, cast("Mapping[str, object]", part))
            for key, title in _PARTS.items()
            if isinstance(part := report.get(key), dict)
        ],
        warnings=[str(w) for w in cast("list[object]", warnings)]
        if isinstance(warnings, list)
        else [],
        in_force=in_force,
    )


def _part(title: str, said: Mapping[str, object]) -> Part:
    measures = said.get("measures")
    named = cast("dict[str, object]", measures) if isinstance(measures, dict) else {}
    return Part(
        title=title,
        counts={key: value for key, value in said.items() if isinstance(value, int)},
        measures=[
            _measure(name, cast("Mapping[str, object]", one))
            for name, one in named.items()
            if isinstance(one, dict)
        ],
    )


def _measure(name: str, said: Mapping[str, object]) -> Measure:
    value, low, high = (_share(said.get(key)) for key in ("value", "low", "high"))
    count = said.get("count")
    return Measure(
        name=name.replace("_", " ").replace(":", ": "),
        value=value,
        low=low,
        high=high,
        count=count if isinstance(count, int) else 0,
    )


def _share(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) else None
