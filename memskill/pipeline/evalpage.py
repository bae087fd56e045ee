"""An evaluation as one self-contained HTML page."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from memskill.errors import UsageError
from memskill.match.evaluate import EvaluationReport
from memskill.pipeline.evaluate import Evaluation
from memskill.sources.atomic import write_atomic
from memskill.sources.safety import no_surrogates

# The plots' size in the template's units.
_WIDTH, _HEIGHT = 340, 240


def write_page(evaluation: Evaluation, path: Path) -> None:
    """Write the page to `path` in one step; an older file there is replaced.

    Raises:
        UsageError: The file cannot be written there.
    """
    try:
        write_atomic(path, render_page(evaluation).encode())
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", hint="Name another file.") from error


def render_page(evaluation: Evaluation) -> str:
    """Return the page; all of it that came from files or models is escaped."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("memskill", "templates"),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("eval_report.html.j2").render(
        evaluation=evaluation,
        report=evaluation.report,
        curves=_curves(evaluation.report),
        reliability=_reliability(evaluation.report),
    )
    return no_surrogates(page)


def _curves(report: EvaluationReport) -> list[dict[str, str]]:
    named = {"recall": "right skill returned", "false_fire": "false fire", "answered": "answered"}
    return [
        {
            "name": name,
            "points": _points((p.floor, getattr(p, field)) for p in report.abstention),
        }
        for field, name in named.items()
    ]


def _reliability(report: EvaluationReport) -> list[dict[str, str]]:
    return [
        {"name": "measured", "points": _points((b.score, b.right) for b in report.reliability)},
        {"name": "ideal", "points": _points([(0.0, 0.0), (1.0, 1.0)])},
    ]


def _points(pairs: Iterable[tuple[float, float | None]]) -> str:
    """Return shares as an SVG polyline's points; what is unknown is left out."""
    return " ".join(f"{_WIDTH * x:.1f},{_HEIGHT * (1 - y):.1f}" for x, y in pairs if y is not None)
