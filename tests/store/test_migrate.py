from __future__ import annotations

from types import MappingProxyType

import duckdb
import pytest

from memskill.errors import MigrationEdited, StoreBehind, StoreError, StoreTooNew
from memskill.store import memory_store, migrate, open_store
from memskill.store.sqlfiles import SqlFile, sql_files


@pytest.fixture
def shelf(monkeypatch):
    """Lets a test add to, or change, the files of sql/ as `shelf(folder, name=text)`."""
    changed: dict[str, dict[str, SqlFile]] = {}

    def files(folder):
        return MappingProxyType(dict(sql_files(folder)) | changed.get(folder, {}))

    monkeypatch.setattr(migrate, "sql_files", files)
    migrate.derived_fingerprint.cache_clear()

    def put(folder, **texts):
        new = {name: SqlFile(name=name, text=text, header={}) for name, text in texts.items()}
        changed.setdefault(folder, {}).update(new)
        migrate.derived_fingerprint.cache_clear()

    yield put
    migrate.derived_fingerprint.cache_clear()


def _tables(con):
    return {name for (name,) in con.execute("select table_name from duckdb_tables()").fetchall()}


def test_a_new_database_runs_every_step_in_order():
    con = duckdb.connect()
    assert migrate.migrate(con) == list(sql_files("migrations"))


def test_a_second_run_does_nothing():
    con = duckdb.connect()
    migrate.migrate(con)
    assert migrate.migrate(con) == []


def test_the_ledger_holds_the_sha_of_each_file():
    con = duckdb.connect()
    migrate.migrate(con)
    expected = {migrate.step_number(f): (f.name, f.sha) for f in sql_files("migrations").values()}
    assert migrate.applied(con) == expected


def test_line_ends_of_a_checkout_do_not_change_a_sha():
    unix = SqlFile(name="0001_x", text="select 1;\nselect 2;\n", header={})
    windows = SqlFile(name="0001_x", text="select 1;\r\nselect 2;\r\n", header={})
    assert unix.sha == windows.sha


def test_a_new_step_is_pending_and_runs_alone(settings, shelf):
    with open_store(settings, write=True):
        pass
    shelf("migrations", **{"0099_later": "create table later (x int);"})
    with open_store(settings, write=True) as store:
        assert "later" in _tables(store._con)
        assert migrate.pending(store._con) == []


def test_an_edited_migration_is_refused(settings, shelf):
    with open_store(settings, write=True):
        pass
    edited = sql_files("migrations")["0002_memory"].text + "-- a word more\n"
    shelf("migrations", **{"0002_memory": edited})
    for write in (True, False):
        with pytest.raises(MigrationEdited, match="0002_memory"), open_store(settings, write=write):
            pass


def test_a_newer_schema_is_refused_by_name(settings, shelf):
    shelf("migrations", **{"0099_future": "create table future (x int);"})
    with open_store(settings, write=True):
        pass
    shelf_free = {n: f for n, f in sql_files("migrations").items() if n != "0099_future"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            migrate, "sql_files", lambda f: shelf_free if f == "migrations" else sql_files(f)
        )
        for write in (True, False):
            with pytest.raises(StoreTooNew, match="0099_future"), open_store(settings, write=write):
                pass


@pytest.mark.parametrize(
    "broken",
    [
        "create table half (x int); create table memory_node (y int);",
        "create table half (x int); this is no sql;",
        "create table half (x int); insert into half values ('no number');",
    ],
)
def test_a_failing_step_leaves_neither_tables_nor_ledger_row(shelf, broken):
    con = duckdb.connect()
    migrate.migrate(con)
    before = _tables(con), migrate.applied(con)
    shelf("migrations", **{"0099_broken": broken})
    with pytest.raises(duckdb.Error):
        migrate.migrate(con)
    assert (_tables(con), migrate.applied(con)) == before


def test_a_failing_step_keeps_the_steps_before_it(shelf):
    shelf("migrations", **{"0003_skill": "no sql at all"})
    con = duckdb.connect()
    with pytest.raises(duckdb.Error):
        migrate.migrate(con)
    assert sorted(migrate.applied(con)) == [1, 2]
    assert "memory_node" in _tables(con)


def test_a_step_without_a_number_is_refused(shelf):
    shelf("migrations", oops="select 1")
    with pytest.raises(StoreError, match="four digits"):
        migrate.pending(duckdb.connect())


def test_a_reader_of_an_older_schema_is_told_what_to_run(settings, shelf):
    with open_store(settings, write=True):
        pass
    shelf("migrations", **{"0099_later": "create table later (x int);"})
    with pytest.raises(StoreBehind) as caught, open_store(settings):
        pass
    assert "mem db migrate" in caught.value.hint


def test_a_changed_view_file_rebuilds_the_derived_schema(settings, shelf):
    with open_store(settings, write=True):
        pass
    shelf("views", fresh="select 41 + 1 as answer")
    with pytest.raises(StoreBehind), open_store(settings):
        pass
    with open_store(settings, write=True) as store:
        assert store._con.execute("select * from derived.fresh").fetchall() == [(42,)]
    with open_store(settings) as store:
        assert store._con.execute("select * from derived.fresh").fetchall() == [(42,)]


def test_a_view_that_is_gone_does_not_linger(settings, shelf):
    shelf("views", gone="select 1 as x")
    with open_store(settings, write=True):
        pass
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(migrate, "sql_files", sql_files)
        migrate.derived_fingerprint.cache_clear()
        with open_store(settings, write=True) as store, pytest.raises(duckdb.CatalogException):
            store._con.execute("select * from derived.gone")


def test_a_broken_view_leaves_the_old_derived_schema(shelf):
    store = memory_store()
    shelf("views", broken="select * from no_such_table")
    with pytest.raises(duckdb.Error):
        migrate.rebuild_derived(store._con)
    assert store._con.execute("select * from derived.current_node").fetchall() == []


def test_views_are_built_after_those_that_they_read(shelf):
    shelf("views", a_last="select * from derived.z_first", z_first="select 1 as x")
    store = memory_store()
    assert store._con.execute("select * from derived.a_last").fetchall() == [(1,)]


def test_two_databases_have_one_schema():
    def schema(store):
        return store._con.execute(
            "select table_name, column_name, data_type, is_nullable"
            " from information_schema.columns order by all"
        ).fetchall()

    assert schema(memory_store()) == schema(memory_store())
