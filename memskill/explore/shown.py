"""Results as they come back to a notebook: the record itself, with a face."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

from memskill.explore.columns import Cell, columns_of
from memskill.explore.lines import line_of
from memskill.explore.markup import escaped, html_table, plain_table
from memskill.explore.pages import page_of

if TYPE_CHECKING:
    import polars as pl

T = TypeVar("T")
# Rows of a table that are shown; a frame has them all.
SHOWN_ROWS = 30


class Shown(Generic[T]):
    """A record or report with a face; its own fields are reached through it.

    `record` is the value itself, as the library's functions take it.
    """

    __slots__ = ("record",)

    def __init__(self, record: T) -> None:
        self.record = record

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 (whatever the record's field is)
        if name == "record":  # not set yet: while being copied
            raise AttributeError(name)
        return getattr(self.record, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self.record)})

    def __repr__(self) -> str:
        return line_of(self.record)

    def _repr_html_(self) -> str:
        return page_of(self.record)


class Rows(Generic[T]):
    """Records of one kind, in order, that show themselves as a table.

    Indexing and iterating give them with a face; `records` are the records themselves.
    """

    __slots__ = ("kind", "records", "title")

    def __init__(self, kind: type[T], records: Iterable[T], title: str) -> None:
        self.kind = kind
        self.records = tuple(records)
        self.title = title

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[Shown[T]]:
        return map(Shown, self.records)

    @overload
    def __getitem__(self, place: int) -> Shown[T]: ...
    @overload
    def __getitem__(self, place: slice) -> Rows[T]: ...
    def __getitem__(self, place: int | slice) -> Shown[T] | Rows[T]:
        if isinstance(place, int):
            return Shown(self.records[place])
        return Rows(self.kind, self.records[place], self.title)

    def only(self, **fields: object) -> Rows[T]:
        """Return the records whose fields have these values, under a title that says so."""
        kept = [
            one
            for one in self.records
            if all(getattr(one, name) == value for name, value in fields.items())
        ]
        said = ", ".join(f"{name} {value}" for name, value in fields.items())
        return Rows(self.kind, kept, f"{len(kept)} of: {self.title}; {said}")

    def frame(self) -> pl.DataFrame:
        """Return the columns as a Polars frame: every row, nothing rounded."""
        import polars as pl

        columns = columns_of(self.kind)
        rows = [[column.value(one) for column in columns] for one in self.records]
        names = [column.name for column in columns]
        return pl.DataFrame(rows, schema=names, orient="row", infer_schema_length=None)

    def __repr__(self) -> str:
        return f"{self.title}\n{plain_table(*self._table())}{self._rest()}"

    def _repr_html_(self) -> str:
        rest = f"<p>{self._rest()}</p>" if self._rest() else ""
        return f"<p>{escaped(self.title)}</p>{html_table(*self._table())}{rest}"

    def _table(self) -> tuple[list[str], list[list[Cell]]]:
        columns = columns_of(self.kind)
        rows = [[column.value(one) for column in columns] for one in self.records[:SHOWN_ROWS]]
        return [column.name for column in columns], rows

    def _rest(self) -> str:
        left = len(self.records) - SHOWN_ROWS
        return f"\n... and {left} more: see .frame()" if left > 0 else ""
