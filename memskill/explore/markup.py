"""Text and HTML tables of cells; what came from files, requests or models is escaped here."""

from __future__ import annotations

import html
from collections.abc import Sequence

from memskill.sources.safety import no_surrogates, printable

_LONGEST_CELL = 120
_LONGEST_TEXT = 20_000


def escaped(text: str, limit: int = 400) -> str:
    """Return `text` on one line as HTML text that holds no tag of its own."""
    return html.escape(printable(text, limit))


def block(text: str) -> str:
    """Return `text` of several lines as an HTML block that shows it as it is."""
    lines = (printable(line, 500) for line in no_surrogates(text)[:_LONGEST_TEXT].split("\n"))
    return f"<pre>{html.escape(chr(10).join(lines))}</pre>"


def html_table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table; numbers stand on the right."""
    head = "".join(f"<th>{escaped(name)}</th>" for name in heads)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    text = escaped(shown(value), _LONGEST_CELL)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"<td>{text}</td>"
    return f'<td style="text-align:left">{text}</td>'


def counted(number: int, noun: str) -> str:
    """Return "1 note" or "2 notes"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def plain_table(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return rows as left-aligned columns, two spaces apart."""
    cells = [list(heads), *[[printable(shown(c), _LONGEST_CELL) for c in row] for row in rows]]
    widths = [max(len(row[place]) for row in cells) for place in range(len(heads))]
    lines = (
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in cells
    )
    return "\n".join(lines)


def shown(value: object) -> str:
    """Return a cell as text: numbers to 2 places, which do not differ between processors."""
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else ""
    if isinstance(value, float):
        # Not "-0.00".
        return f"{round(value, 2) + 0.0:.2f}"
    return str(value)
