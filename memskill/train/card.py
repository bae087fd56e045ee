"""The model card beside the weights: where they come from, and what was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

from memskill.models.folders import CARD
from memskill.sources.atomic import write_atomic
from memskill.train.reports import TrainReport

# Column names, rows; floats are shown with four digits.
Table: TypeAlias = tuple[Sequence[str], Sequence[Sequence[object]]]


def write_card(
    target: Path,
    *,
    title: str,
    summary: str,
    reports: Sequence[TrainReport],
    tables: Mapping[str, Table],
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
    for caption, table in tables.items():
        lines += table_lines(caption, table)
    if notes:
        lines += ["## Notes", "", *[f"- {note}" for note in notes], ""]
    write_atomic(target / CARD, "\n".join(lines).encode())


def table_lines(caption: str, table: Table) -> list[str]:
    """Return a heading and a Markdown table, as lines."""
    columns, rows = table
    lines = [f"## {caption}", "", _row(columns), _row(["---"] * len(columns))]
    return [*lines, *[_row([_shown(cell) for cell in row]) for row in rows], ""]


def add_facts(folder: Path, heading: str, facts: Mapping[str, object]) -> None:
    """Put a section of `- name: value` lines into a card, in the place of one so headed."""
    path = folder / CARD
    old = path.read_text(encoding="utf-8") if path.is_file() else f"# {folder.name}\n"
    before, found, rest = old.partition(f"## {heading}\n")
    # A section ends where the next heading or comment begins.
    cut = min((i for mark in ("\n## ", "\n<!--") if (i := rest.find(mark)) >= 0), default=len(rest))
    after = rest[cut + 1 :] if found else ""
    lines = [f"## {heading}", "", *[f"- {name}: {_shown(value)}" for name, value in facts.items()]]
    text = f"{before.rstrip()}\n\n" + "\n".join(lines) + "\n\n" + after
    write_atomic(path, (text.rstrip() + "\n").encode())


def _row(cells: Sequence[str]) -> str:
    # A name of a file or task set must not add a column or a line.
    plain = (" ".join(cell.replace("|", "/").split()) for cell in cells)
    return "| " + " | ".join(plain) + " |"


def _shown(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
