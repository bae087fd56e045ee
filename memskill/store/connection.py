"""Opening the database: short writers behind the lock, readers that wait a bounded time."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Generator
from typing import TYPE_CHECKING

from memskill.config import Settings
from memskill.errors import CheckFailed, NotFound, StoreBusy, StoreError
from memskill.store import migrate
from memskill.store.drafts import DraftQueries
from memskill.store.lock import writer_lock
from memskill.store.nodes import NodeQueries
from memskill.store.skills import SkillQueries
from memskill.store.sqlfiles import sql_files
from memskill.store.vectors import VectorQueries

if TYPE_CHECKING:
    import duckdb

# A reader and a writer shut each other out for the length of one transaction; look again soon.
_RETRY_SECONDS = 0.05


class Store(NodeQueries, SkillQueries, VectorQueries, DraftQueries):
    """An open database: every query of sql/queries as one typed method."""

    def counts(self) -> dict[str, int]:
        """Return table -> rows, by table name."""
        return {str(name): int(rows) for name, rows in self._rows("table_counts")}

    def node_counts(self) -> dict[str, int]:
        """Return level -> valid nodes."""
        return {str(level): int(rows) for level, rows in self._rows("node_counts")}

    def failed_checks(self) -> dict[str, list[str]]:
        """Return check -> its offending rows as text (at most 20 each); {} is healthy."""
        found: dict[str, list[str]] = {}
        for name, check in sql_files("checks").items():
            if rows := self._con.execute(check.text).fetchall():
                found[name] = [", ".join(str(value) for value in row) for row in rows[:20]]
        return found

    def require_healthy(self) -> None:
        """Raise CheckFailed, with every offending row, unless all checks are clean."""
        if failed := self.failed_checks():
            raise CheckFailed(
                f"{len(failed)} checks found rows: {', '.join(failed)}",
                hint="`mem db rebuild` makes the database again from the vault and node files.",
                reasons=[f"{name}: {row}" for name, rows in failed.items() for row in rows],
            )


@contextlib.contextmanager
def open_store(settings: Settings, *, write: bool = False) -> Generator[Store]:
    """Yield the vault's database; a writer holds the lock and finds the schema up to date.

    Keep the block short: while it lasts, DuckDB shuts out every other process.

    Raises:
        NotFound: Reading, and there is no database yet.
        StoreBusy: Another process held the lock or the file for all of `lock_wait_seconds`.
        StoreTooNew, MigrationEdited: See `migrate.pending`.
        StoreError: The file is no DuckDB database, or (reading) its schema is behind.
    """
    if write:
        with writer_lock(settings.state_dir, settings.lock_wait_seconds):
            con = _connect(settings, read_only=False)
            try:
                migrate.migrate(con)
                if not migrate.derived_is_current(con):
                    migrate.rebuild_derived(con)
                yield Store(con)
            finally:
                con.close()
        return
    if not settings.database.is_file():
        raise NotFound(
            f"no database at {settings.database}", hint="`mem ingest` makes it from the vault."
        )
    con = _connect(settings, read_only=True)
    try:
        if migrate.pending(con) or not migrate.derived_is_current(con):
            raise StoreError(
                f"{settings.database}: schema is older than this memskill",
                hint="`mem db migrate` brings it up to date.",
            )
        yield Store(con)
    finally:
        con.close()


def memory_store() -> Store:
    """Return an empty in-memory database with the whole schema: for snapshots and tests."""
    import duckdb

    con = duckdb.connect(":memory:", config={"threads": 1})
    migrate.migrate(con)
    migrate.rebuild_derived(con)
    return Store(con)


def _connect(settings: Settings, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    import duckdb

    deadline = time.monotonic() + settings.lock_wait_seconds
    while True:
        try:
            return duckdb.connect(
                str(settings.database), read_only=read_only, config=_connect_config()
            )
        except duckdb.IOException as error:
            if "lock" not in str(error).lower():
                raise _unreadable(settings, error) from error
            if time.monotonic() >= deadline:
                raise StoreBusy(
                    f"{settings.database}: another process has it open: {_last_line(error)}",
                    hint="Close it there, or raise lock_wait_seconds.",
                ) from error
            time.sleep(_RETRY_SECONDS)
        except duckdb.Error as error:
            raise _unreadable(settings, error) from error


def _unreadable(settings: Settings, error: Exception) -> StoreError:
    return StoreError(
        f"{settings.database}: {_last_line(error)}",
        hint="Move the file away; `mem db rebuild` makes it again from the vault.",
    )


def _last_line(error: Exception) -> str:
    return str(error).strip().splitlines()[0][:300]


@functools.cache
def _connect_config() -> dict[str, str | bool | int | float | list[str]]:
    """Return the connection's settings: a vault stays readable by DuckDB 1.5 and 2.0 alike."""
    import duckdb

    # Extensions would be downloaded; hostile text must never reach one.
    safe: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    if int(duckdb.__version__.split(".")[0]) >= 2:
        safe["storage_compatibility_version"] = "v1.5.0"
    return safe
