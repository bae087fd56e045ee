from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time

import duckdb
import pytest
from helpers.vaults import make_settings

from memskill.errors import CheckFailed, NotFound, StoreBusy, StoreError
from memskill.store import memory_store, open_store

HOLD = """
import sys, time
import duckdb
con = duckdb.connect(sys.argv[1], read_only=sys.argv[2] == "ro")
print("held", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def _held(path, mode):
    """Let another process have a DuckDB file open while the block runs."""
    command = [sys.executable, "-c", HOLD, str(path), mode]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        try:
            yield process
        finally:
            process.stdin.close()
            process.wait(10)


@pytest.fixture
def made(settings):
    with open_store(settings, write=True):
        pass
    return settings


def _impatient(settings):
    return make_settings(settings.vault, lock_wait_seconds=0.2)


def test_reading_without_a_database_says_how_to_make_one(settings):
    with pytest.raises(NotFound) as caught, open_store(settings):
        pass
    assert "mem ingest" in caught.value.hint


@pytest.mark.parametrize("write", [True, False])
def test_no_vault_makes_no_folder(tmp_path, write):
    settings = make_settings(tmp_path / "nowhere")
    with pytest.raises(NotFound), open_store(settings, write=write):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_writer_makes_the_file_and_leaves_nothing_beside_it(made):
    assert sorted(p.name for p in made.state_dir.iterdir()) == ["lock", "memory.duckdb"]


def test_what_a_killed_maker_left_is_swept_away(settings):
    settings.state_dir.mkdir()
    for name in ("memory.duckdb.new", "memory.duckdb.new.wal"):
        (settings.state_dir / name).write_bytes(b"half a file")
    with open_store(settings, write=True) as store:
        assert store.counts()["memory_node"] == 0
    assert sorted(p.name for p in settings.state_dir.iterdir()) == ["lock", "memory.duckdb"]


def test_a_failed_creation_leaves_no_database(settings, monkeypatch):
    from memskill.store import migrate

    def broken(con):
        raise duckdb.IOException("IO Error: No space left on device")

    monkeypatch.setattr(migrate, "migrate", broken)
    with pytest.raises(StoreError, match="No space left"), open_store(settings, write=True):
        pass
    assert not settings.database.exists()


@pytest.mark.parametrize("content", [b"", b"x" * 5_000, b"SQLite format 3\0" + b"\0" * 100])
@pytest.mark.parametrize("write", [True, False])
def test_a_file_of_another_kind_is_named(settings, content, write):
    settings.state_dir.mkdir()
    settings.database.write_bytes(content)
    with pytest.raises(StoreError) as caught, open_store(settings, write=write):
        pass
    assert type(caught.value) is StoreError
    assert str(settings.database) in caught.value.message
    assert settings.database.read_bytes() == content


@pytest.mark.parametrize("write", [True, False])
def test_a_damaged_file_is_a_store_error_at_once(made, write):
    data = bytearray(made.database.read_bytes())
    data[:200] = b"\xff" * 200
    made.database.write_bytes(data)
    started = time.monotonic()
    with pytest.raises(StoreError), open_store(made, write=write):
        pass
    assert time.monotonic() - started < 4


def test_a_vault_named_after_locks_still_fails_at_once(tmp_path):
    vault = tmp_path / "could not set lock on file"
    settings = make_settings(vault, lock_wait_seconds=30)
    settings.state_dir.mkdir(parents=True)
    settings.database.write_bytes(b"no database")
    with pytest.raises(StoreError) as caught, open_store(settings):
        pass
    assert not isinstance(caught.value, StoreBusy)


def test_a_state_folder_that_is_a_file_is_a_store_error(settings):
    settings.state_dir.write_text("in the way")
    with pytest.raises(StoreError, match="cannot be written"), open_store(settings, write=True):
        pass


@pytest.mark.parametrize(("theirs", "write"), [("rw", False), ("rw", True), ("ro", True)])
def test_a_process_that_has_the_file_open_is_waited_for_then_named(made, theirs, write):
    with (
        _held(made.database, theirs) as process,
        pytest.raises(StoreBusy) as caught,
        open_store(_impatient(made), write=write),
    ):
        pass
    assert str(process.pid) in caught.value.message
    assert "lock_wait_seconds" in caught.value.hint


def test_two_readers_share_the_file(made):
    with _held(made.database, "ro"), open_store(made) as store:
        assert store.counts()["memory_node"] == 0


def test_a_reader_gets_in_once_the_writer_is_done(made):
    with _held(made.database, "rw") as process:
        threading.Timer(0.3, process.stdin.close).start()
        with open_store(made) as store:
            assert store.node_counts() == {}


def test_a_reader_and_a_writer_of_one_process_wait_for_each_other(made):
    order = []

    def read():
        with open_store(made) as store:
            order.append("read")
            store.counts()

    with open_store(made, write=True):
        reader = threading.Thread(target=read)
        reader.start()
        time.sleep(0.2)
        order.append("written")
    reader.join(10)
    assert order == ["written", "read"]


def test_an_error_in_the_block_closes_the_file_and_frees_the_lock(made):
    for write in (True, False):
        with pytest.raises(ZeroDivisionError), open_store(made, write=write):
            raise ZeroDivisionError
    with open_store(_impatient(made), write=True):
        pass


def test_a_failing_disk_in_the_block_is_a_store_error(made):
    with pytest.raises(StoreError, match="No space"), open_store(made, write=True):
        raise duckdb.IOException("IO Error: No space left on device")


def test_a_bug_in_the_block_keeps_its_name(made):
    with pytest.raises(duckdb.CatalogException), open_store(made) as store:
        store._con.execute("select * from no_such_table")


def test_a_transaction_that_raises_leaves_nothing(made):
    def fail_halfway(store):
        with store.transaction():
            store.save_reply("sha", "model", "reply", "{}")
            raise ZeroDivisionError

    with open_store(made, write=True) as store:
        with pytest.raises(ZeroDivisionError):
            fail_halfway(store)
        assert store.reply("sha", "model") is None
        with store.transaction():
            store.save_reply("sha", "model", "reply", "{}")
        assert store.reply("sha", "model") == ("reply", "{}")


def test_a_reader_cannot_write(made):
    with open_store(made) as store, pytest.raises(duckdb.Error, match="read-only"):
        store.save_reply("sha", "model", "reply", "{}")


def test_opening_for_writing_alone_changes_no_byte(made):
    before = made.database.read_bytes()
    with open_store(made, write=True):
        pass
    assert made.database.read_bytes() == before


def test_no_extension_is_ever_fetched(made):
    with open_store(made) as store:
        for con in (store._con, memory_store()._con):
            rows = con.execute(
                "select value from duckdb_settings() where name like 'auto%known_extensions'"
            ).fetchall()
            assert rows == [("false",), ("false",)]


def test_counts_are_exact_after_deletions():
    store = memory_store()
    for number in range(5):
        store.save_reply(f"sha{number}", "model", "reply", "{}")
    store._con.execute("delete from reply_cache where prompt_sha < 'sha3'")
    assert store.counts()["reply_cache"] == 2


def test_counts_name_every_table():
    store = memory_store()
    query = "select table_name from duckdb_tables() where schema_name = 'main'"
    assert sorted(store.counts()) == sorted(t for (t,) in store._con.execute(query).fetchall())


def test_the_file_keeps_the_storage_format_of_duckdb_1_5(made):
    with open_store(made) as store:
        query = "select tags['storage_version'] from duckdb_databases() where not internal"
        ((version,),) = store._con.execute(query).fetchall()
    assert version.startswith("v1.")


def test_a_healthy_database_passes_and_an_unhealthy_one_lists_its_rows():
    store = memory_store()
    store.require_healthy()
    store._con.execute("insert into skill_term values ('skills/gone/SKILL.md', 'word', 1)")
    with pytest.raises(CheckFailed) as caught:
        store.require_healthy()
    assert caught.value.reasons == ("skill_parts_have_skill: skills/gone/SKILL.md, term",)
