"""Printing: data to stdout, everything else to stderr; JSON in one canonical shape."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from typing import cast

import click

from memskill.records import Skipped
from memskill.sources.safety import printable


def print_json(value: object) -> None:
    """Print `value` (records, lists, maps) as JSON, raw Unicode, keys in their given order."""
    click.echo(json.dumps(plain(value), ensure_ascii=False, indent=2))


def plain(value: object) -> object:
    """Return records as dicts, tuples as lists, all the way down; floats to 4 places."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in cast("Mapping[object, object]", value).items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in cast("Sequence[object]", value)]
    return round(value, 4) if isinstance(value, float) else value


def say(line: str) -> None:
    """Print one line for people to stderr."""
    click.echo(printable(line, 2_000), err=True)


def table(rows: Sequence[Sequence[object]], heads: Sequence[str]) -> None:
    """Print rows as left-aligned columns, two spaces apart; hostile characters are made plain."""
    cells = [list(heads), *[[printable(str(cell), 200) for cell in row] for row in rows]]
    widths = [max(len(row[i]) for row in cells) for i in range(len(heads))]
    for row in cells:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo(line.rstrip())


def report_skipped(skipped: Sequence[Skipped], label: str) -> None:
    """Print what was passed over to stderr: file, line and reason, one line each."""
    for one in skipped:
        where = one.path if one.line is None else f"{one.path}:{one.line}"
        say(f"{label}: {where}: {one.reason}")


@contextlib.contextmanager
def progress_bar(label: str) -> Generator[Callable[[int, int], None] | None]:
    """Yield a (done, total) callback that draws a bar on a terminal, or None in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    bar = click.progressbar(length=1, label=label, file=sys.stderr)

    def show(done: int, total: int) -> None:
        bar.length = total
        bar.update(done - bar.pos)

    with bar:
        yield show
