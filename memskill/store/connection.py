"""Opening the database: short writers behind the lock, readers that wait a bounded time."""

from __future__ import annotations

import contextlib
import functools
import time
from collections.abc import Generator
from typing import TYPE_CHECKING, TypeAlias

from memskill.config import Settings
from memskill.errors import CheckFailed, NotFound, StoreBehind, StoreBusy, StoreError
from memskill.sources.atomic import sync_folder
from memskill.store import migrate
from memskill.store.drafts import DraftQueries
from memskill.store.feedback import FeedbackQueries
from memskill.store.floors import FloorQueries
from memskill.store.lessons import LessonQueries
from memskill.store.lock import writer_lock
from memskill.store.matching import MatchQueries
from memskill.store.passages import PassageQueries
from memskill.store.skills import SkillQueries
from memskill.store.sqlfiles import sql_files
from memskill.store.transcripts import TranscriptQueries
from memskill.store.vectors import VectorQueries

if TYPE_CHECKING:
    import duckdb

# A reader and a writer shut each other out for the length of one transaction; look again soon.
_RETRY_SECONDS = 0.05
Config: TypeAlias = "dict[str, str | bool | int | float | list[str]]"
# Extensions would be downloaded; hostile text must never reach one.
_SAFE: Config = {"autoinstall_known_extensions": False, "autoload_known_extensions": False}
# How DuckDB's messages start when another process, or another thread of this one, has the file
# open the other way. The rest of a message may hold any path, so nothing is searched for in it.
_BUSY = (
    "IO Error: Could not set lock on file",
    "Connection Error: Can't open a connection to same database file",
)


class Store(
    TranscriptQueries,
    SkillQueries,
    VectorQueries,
    MatchQueries,
    DraftQueries,
    FloorQueries,
    LessonQueries,
    FeedbackQueries,
    PassageQueries,
):
    """An open database: every query of sql/queries as one typed method."""

    def cursor(self) -> Store:
        """Return a second handle on the same database: one a thread."""
        return Store(self._con.cursor())

    def close(self) -> None:
        """Close this handle; an in-memory database goes with its last one."""
        self._con.close()

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
        NotFound: There is no vault, or (reading) no database yet.
        StoreBusy: Another process held the lock or the file for all of `lock_wait_seconds`.
        StoreTooNew, MigrationEdited: See `migrate.pending`.
        StoreBehind: Reading, and its schema is older than this memskill.
        StoreError: The file is no DuckDB database, or the disk failed.
    """
    if write:
        if not settings.vault.is_dir():
            raise NotFound(f"no vault at {settings.vault}", hint="`mem init` makes one.")
        with writer_lock(settings.state_dir, settings.lock_wait_seconds):
            if not settings.database.exists():
                _create(settings)
            con = _connect(settings, read_only=False)
            with _closing(settings, con):
                _bring_up_to_date(con)
                yield Store(con)
        return
    if not settings.database.is_file():
        raise NotFound(
            f"no database at {settings.database}", hint="`mem ingest` makes it from the vault."
        )
    con = _connect(settings, read_only=True)
    with _closing(settings, con):
        if migrate.pending(con) or not migrate.derived_is_current(con):
            raise StoreBehind(
                f"{settings.database}: its schema is not that of this memskill",
                hint="`mem db migrate` brings it up to date.",
            )
        yield Store(con)


def memory_store() -> Store:
    """Return an empty in-memory database with the whole schema: for snapshots and tests."""
    import duckdb

    con = duckdb.connect(":memory:", config=_SAFE | {"threads": 1})
    _bring_up_to_date(con)
    return Store(con)


def _bring_up_to_date(con: duckdb.DuckDBPyConnection) -> None:
    migrate.migrate(con)
    if not migrate.derived_is_current(con):
        migrate.rebuild_derived(con)


def _create(settings: Settings) -> None:
    """Make the database aside and rename it, so that a crash leaves none or a whole one."""
    import duckdb

    aside = settings.database.with_name(settings.database.name + ".new")
    try:
        for leftover in (aside, aside.with_name(aside.name + ".wal")):
            leftover.unlink(missing_ok=True)
        con = duckdb.connect(str(aside), config=_file_config())
        with _closing(settings, con):
            _bring_up_to_date(con)
        aside.replace(settings.database)
        sync_folder(settings.state_dir)
    except (duckdb.IOException, OSError) as error:
        raise StoreError(f"{settings.database}: cannot be made: {_first_line(error)}") from error


@contextlib.contextmanager
def _closing(settings: Settings, con: duckdb.DuckDBPyConnection) -> Generator[None]:
    """Close `con` after the block; what the disk or a damaged file does becomes a StoreError.

    Other errors of DuckDB are bugs of ours and keep their name.
    """
    import duckdb

    try:
        yield
    except (duckdb.IOException, duckdb.FatalException, duckdb.SerializationException) as error:
        raise _unreadable(settings, error) from error
    finally:
        con.close()


def _connect(settings: Settings, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    import duckdb

    deadline = time.monotonic() + settings.lock_wait_seconds
    config = _file_config()
    while True:
        try:
            return duckdb.connect(str(settings.database), read_only=read_only, config=config)
        except duckdb.Error as error:
            if not str(error).startswith(_BUSY):
                raise _unreadable(settings, error) from error
            if time.monotonic() >= deadline:
                raise StoreBusy(
                    f"{settings.database}: somebody else has it open: {_first_line(error)}",
                    hint="Close it there, or raise lock_wait_seconds.",
                ) from error
            time.sleep(_RETRY_SECONDS)


def _unreadable(settings: Settings, error: Exception) -> StoreError:
    return StoreError(
        f"{settings.database}: {_first_line(error)}",
        hint="Move the file away; `mem db rebuild` makes it again from the vault.",
    )


def _first_line(error: Exception) -> str:
    return next(iter(str(error).strip().splitlines()), type(error).__name__)[:300]


@functools.cache
def _file_config() -> Config:
    """Return a file's connection settings: it stays readable by DuckDB 1.5 and 2.0 alike."""
    import duckdb

    if int(duckdb.__version__.split(".")[0]) < 2:
        return _SAFE
    return _SAFE | {"storage_compatibility_version": "v1.5.0"}
