"""Rows of a task file, each with the place it stands at, from JSONL, JSON, CSV or Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias, cast

from memskill.errors import SourceError
from memskill.sources.encoding import decode
from memskill.sources.safety import printable

Row: TypeAlias = Mapping[str, object]

_MAX_ROWS = 1_000_000


def read_rows(path: Path, data: bytes) -> Iterator[tuple[str, Row | str]]:
    """Yield (where, row), or (where, fault) for a line that is no row.

    `where` is "line 3", "item 3" (of a JSON array) or "row 3" (of a Parquet table), from 1.

    Raises:
        SourceError: The file as a whole is not what its ending says.
    """
    ending = path.suffix.lower()
    if ending == ".parquet":
        yield from _parquet_rows(data)
        return
    text, _ = decode(data)
    if ending == ".csv":
        yield from _csv_rows(text)
    elif ending == ".json" or text.lstrip().startswith("["):
        yield from _array_rows(text)
    elif ending in (".jsonl", ".ndjson"):
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                where = f"line {number}"
                yield where, _json_row(line, where)
    else:
        raise SourceError(
            f"has the ending {printable(ending, 20)!r}, which is none of ours",
            hint="Use .jsonl, .json, .csv or .parquet.",
        )


def _json_row(line: str, where: str) -> Row | str:
    try:
        row: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        return f"{where}: is no JSON: {printable(str(error), 120)}"
    return cast(Row, row) if isinstance(row, dict) else f"{where}: is no JSON object"


def _array_rows(text: str) -> Iterator[tuple[str, Row | str]]:
    try:
        rows: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"is no JSON: {printable(str(error), 120)}") from error
    if not isinstance(rows, list):
        raise SourceError("is no JSON array of objects", hint="One object a line is .jsonl.")
    for number, row in enumerate(cast("list[object]", rows), start=1):
        where = f"item {number}"
        yield where, cast(Row, row) if isinstance(row, dict) else f"{where}: is no object"


def _csv_rows(text: str) -> Iterator[tuple[str, Row | str]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    line = 1
    try:
        if len(names := list(reader.fieldnames or ())) != len(set(names)):
            raise SourceError("line 1: names a column twice")
        for row in reader:
            # A quoted cell may span lines: the row is named by its first.
            where, line = f"line {max(line, 1) + 1}", reader.line_num
            cells = cast("dict[str | None, str | None]", row)
            if None in cells or None in cells.values():
                yield where, f"{where}: has more or fewer cells than the first line"
                continue
            yield where, {str(key): _cell(str(key), cell or "") for key, cell in cells.items()}
    except csv.Error as error:
        raise SourceError(f"line {reader.line_num}: {error}") from error


def _cell(column: str, cell: str) -> object:
    """Return a CSV cell as JSON would have it: names split at `|`, an empty one as None."""
    if column in ("expected", "forbidden"):
        return [name.strip() for name in cell.split("|")] if cell.strip() else []
    return cell or None


def _parquet_rows(data: bytes) -> Iterator[tuple[str, Row | str]]:
    import polars as pl

    try:
        frame = pl.read_parquet(io.BytesIO(data), n_rows=_MAX_ROWS + 1, use_pyarrow=False)
    # A damaged file may also make the reader panic, which is no `Exception`.
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        raise SourceError(f"is no Parquet: {printable(str(error), 120)}") from error
    if frame.height > _MAX_ROWS:
        raise SourceError(f"has more than {_MAX_ROWS} rows")
    for number, row in enumerate(frame.iter_rows(named=True), start=1):
        yield f"row {number}", row
