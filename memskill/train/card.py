"""The model card beside the weights: where they come from, and what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from memskill.train.reports import TrainReport


def write_card(
    target: Path,
    *,
    title: str,
    summary: str,
    reports: Sequence[TrainReport],
    tables: Mapping[str, tuple[Sequence[str], Sequence[Sequence[object]]]],
    notes: Sequence[str] = (),
) -> None:
    """Write `model_card.md`: summary, every setting of each run, tables, notes.

    Args:
        target: The model's folder.
        title: Heading.
        summary: One paragraph: what it is, what it is made from, its licence.
        reports: The runs behind the weights.
        tables: Caption -> (column names, rows); floats are shown with four digits.
        notes: What a reader must know before trusting a figure, one a line.
    """
    lines = [f"# {title}", "", summary, ""]
    for report in reports:
        lines += [f"## Training: {report.kind}", ""]
        facts: dict[str, object] = {
            "base": Path(report.base).name,
            "seed": report.seed,
            "data (sha256 over all files)": report.data_fingerprint,
            "examples": report.examples,
            "steps": report.steps,
            "seconds": report.seconds,
            "final loss": report.loss,
            **report.settings,
        }
        lines += [f"- {name}: {_shown(value)}" for name, value in facts.items()]
        lines.append("")
    for caption, (columns, rows) in tables.items():
        lines += [f"## {caption}", "", _row(columns), _row(["---"] * len(columns))]
        lines += [*[_row([_shown(cell) for cell in row]) for row in rows], ""]
    if notes:
        lines += ["## Notes", "", *[f"- {note}" for note in notes], ""]
    (target / "model_card.md").write_text("\n".join(lines), encoding="utf-8")


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
