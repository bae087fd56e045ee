"""What every query module stands on: named query files, typed parameters, one transaction."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, TypeVar

from memskill.errors import StoreError
from memskill.store.sqlfiles import sql_files

if TYPE_CHECKING:
    import duckdb
    import polars as pl

    Schema = Mapping[str, pl.DataType | type[pl.DataType]]

Row = tuple[Any, ...]
Otherwise = TypeVar("Otherwise", datetime, None)


class Connection:
    """An open DuckDB connection and the files of sql/queries by name."""

    def __init__(self, con: duckdb.DuckDBPyConnection) -> None:
        self._con = con

    @contextlib.contextmanager
    def transaction(self) -> Generator[None]:
        """Commit what the block wrote, or roll all of it back when it raises."""
        self._con.begin()
        try:
            yield
        except BaseException:
            self._con.rollback()
            raise
        self._con.commit()

    def _rows(self, query: str, **params: object) -> list[Row]:
        """Return all rows of one query file; its parameters are the keywords."""
        return self._con.execute(sql_files("queries")[query].text, params).fetchall()

    def _run(self, query: str, **params: object) -> None:
        self._con.execute(sql_files("queries")[query].text, params)

    def _frame(self, query: str, **params: object) -> pl.DataFrame:
        """Return the rows of one query file as a Polars frame; vectors are Array columns."""
        # `con.sql(...).pl()` is the road that DuckDB 1.5 and 2.0 share.
        return self._con.sql(sql_files("queries")[query].text, params=params).pl()

    def _load(
        self, query: str, rows: Sequence[Mapping[str, object]], schema: Schema, **params: object
    ) -> None:
        """Run one query file over `rows`, which it reads as the relation `incoming`."""
        import polars as pl

        if rows:
            self._load_frame(query, pl.DataFrame(rows, schema=schema, strict=True), **params)

    def _load_frame(self, query: str, frame: pl.DataFrame, **params: object) -> None:
        """Run one query file over a frame: the bulk road (bound vectors cost ms each)."""
        with self._incoming(frame):
            self._run(query, **params)

    @contextlib.contextmanager
    def _incoming(self, frame: pl.DataFrame) -> Generator[None]:
        self._con.register("incoming", frame)
        try:
            yield
        finally:
            self._con.unregister("incoming")


def utc_now() -> datetime:
    """Return the time now in UTC, without zone, as the timestamp columns hold it."""
    return datetime.now(UTC).replace(tzinfo=None)


def from_iso(text: str, otherwise: Otherwise) -> datetime | Otherwise:
    """Return ISO 8601 `text` as UTC without zone, or `otherwise` where it is none."""
    try:
        moment = datetime.fromisoformat(text)
        return moment.astimezone(UTC).replace(tzinfo=None) if moment.tzinfo else moment
    except (ValueError, OverflowError):  # OverflowError: before the year 1 once in UTC
        return otherwise


def to_iso(moment: datetime) -> str:
    """Return a UTC timestamp as `YYYY-MM-DDTHH:MM:SSZ`."""
    return moment.isoformat(timespec="seconds") + "Z"


def one(rows: list[Row], what: str) -> Row:
    """Return the only row.

    Raises:
        StoreError: There is none, or more than one.
    """
    if len(rows) != 1:
        raise StoreError(f"{what}: expected one row, found {len(rows)}")
    return rows[0]
