"""Schema steps: numbered, checksummed, each in one transaction with its ledger row."""

from __future__ import annotations

import functools
import graphlib
import hashlib
from typing import TYPE_CHECKING

from memskill.errors import MigrationEdited, StoreError, StoreTooNew
from memskill.store.sqlfiles import SqlFile, sql_files

if TYPE_CHECKING:
    import duckdb


def applied(con: duckdb.DuckDBPyConnection) -> dict[int, tuple[str, str]]:
    """Return number -> (name, sha) of the steps in the ledger; empty for a new database."""
    queries = sql_files("queries")
    # fetchall throughout: on DuckDB 2 a result that is not read to its end holds the connection.
    if con.execute(queries["ledger_exists"].text).fetchall() == [(0,)]:
        return {}
    rows = con.execute(queries["list_applied_steps"].text).fetchall()
    return {int(number): (str(name), str(sha)) for number, name, sha in rows}


def pending(con: duckdb.DuckDBPyConnection) -> list[SqlFile]:
    """Return the steps still to run, in order, after comparing the ledger with the files.

    Raises:
        StoreTooNew: The ledger knows a step that this memskill does not.
        MigrationEdited: A step that ran has another text or name now.
    """
    steps = {step_number(step): step for step in sql_files("migrations").values()}
    done = applied(con)
    if unknown := sorted(set(done) - set(steps)):
        name = done[unknown[-1]][0]
        raise StoreTooNew(
            f"the database has schema step {name}, which this memskill does not know",
            hint="Upgrade: pip install --upgrade memskill",
        )
    for number, (name, sha) in done.items():
        if (steps[number].name, steps[number].sha) != (name, sha):
            raise MigrationEdited(
                f"schema step {name} was edited after it ran here",
                hint="Restore its text (a change is a new step), or `mem db rebuild`.",
            )
    return [step for number, step in sorted(steps.items()) if number not in done]


def migrate(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Run what is pending and return the names of the steps that ran, in order."""
    ran: list[str] = []
    for step in pending(con):
        con.begin()
        try:
            con.execute(step.text)
            con.execute(
                sql_files("queries")["record_step"].text,
                {"number": step_number(step), "name": step.name, "sha": step.sha},
            )
        except BaseException:
            con.rollback()
            raise
        con.commit()
        ran.append(step.name)
    return ran


def step_number(step: SqlFile) -> int:
    """Return the number that a step's file name starts with."""
    head = step.name.partition("_")[0]
    if len(head) != 4 or not head.isdigit():
        raise StoreError(f"sql/migrations/{step.name}.sql: the name must start with four digits")
    return int(head)


@functools.cache
def derived_fingerprint() -> str:
    """Return the sha of all view and macro files: when it changes, `derived` is rebuilt."""
    parts = [f"{f.name}:{f.sha}" for kind in _DERIVED for f in sql_files(kind).values()]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def derived_is_current(con: duckdb.DuckDBPyConnection) -> bool:
    """Return whether the derived schema was built from the files of this memskill."""
    rows = con.execute(sql_files("queries")["derived_fingerprint"].text).fetchall()
    return rows == [(derived_fingerprint(),)]


def rebuild_derived(con: duckdb.DuckDBPyConnection) -> None:
    """Drop and rebuild every view and macro from its file, in one transaction."""
    queries = sql_files("queries")
    con.begin()
    try:
        con.execute(queries["reset_derived"].text)
        scalar, tables = _macros_by_kind()
        for macro in scalar:
            con.execute(macro.text)
        for name in _view_order(con):
            # A view file is a bare select, so that its relations can be listed before it exists.
            con.execute(f"create view derived.{name} as {sql_files('views')[name].text}")
        for macro in tables:
            con.execute(macro.text)
        con.execute(queries["record_derived"].text, {"fingerprint": derived_fingerprint()})
    except BaseException:
        con.rollback()
        raise
    con.commit()


def _macros_by_kind() -> tuple[list[SqlFile], list[SqlFile]]:
    """Return the scalar macros, which views may call, and the table macros, which read views."""
    macros = list(sql_files("macros").values())
    return (
        [macro for macro in macros if "grain" not in macro.header],
        [macro for macro in macros if "grain" in macro.header],
    )


def _view_order(con: duckdb.DuckDBPyConnection) -> list[str]:
    """Return the views so that each comes after those that it reads; ties by name."""
    views = sql_files("views")
    reads = {
        name: {n.rpartition(".")[2] for n in con.get_table_names(view.text)} & set(views)
        for name, view in views.items()
    }
    sorter = graphlib.TopologicalSorter(reads)
    sorter.prepare()
    order: list[str] = []
    while ready := sorted(sorter.get_ready()):
        order += ready
        sorter.done(*ready)
    return order


_DERIVED = ("views", "macros")
