from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from memskill.errors import StoreBusy, StoreError
from memskill.store import writer_lock

HOLD = """
import sys
from pathlib import Path
from memskill.store import writer_lock
with writer_lock(Path(sys.argv[1]), 5):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def holder(tmp_path):
    """Another process that holds the lock of `tmp_path`."""
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"held\n"
        yield process
        process.stdin.close()
        process.wait(10)


def test_a_second_writer_waits_then_names_the_holder(tmp_path, holder):
    started = time.monotonic()
    with pytest.raises(StoreBusy) as caught, writer_lock(tmp_path, 0.5):
        pass
    assert 0.4 < time.monotonic() - started < 5
    assert f"process {holder.pid}" in caught.value.message
    assert "since 20" in caught.value.message


def test_a_second_writer_gets_in_when_the_first_is_done(tmp_path, holder):
    threading.Timer(0.3, holder.stdin.close).start()
    with writer_lock(tmp_path, 10):
        assert json.loads((tmp_path / "lock.holder").read_text())["pid"] == os.getpid()


def test_the_lock_of_a_killed_process_is_free(tmp_path, holder):
    holder.send_signal(signal.SIGKILL)
    holder.wait(10)
    assert (tmp_path / "lock.holder").is_file()
    with writer_lock(tmp_path, 1):
        pass


def test_nothing_but_the_lock_file_stays(tmp_path):
    with writer_lock(tmp_path, 1):
        pass
    with pytest.raises(ZeroDivisionError), writer_lock(tmp_path, 1):
        raise ZeroDivisionError
    assert [p.name for p in tmp_path.iterdir()] == ["lock"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": "x"}', '{"pid": 1}', "\ud800"])
def test_a_holder_that_cannot_be_read_is_another_process(tmp_path, holder, text):
    (tmp_path / "lock.holder").write_bytes(text.encode("utf-8", "surrogatepass"))
    said = pytest.raises(StoreBusy, match="another process has been writing")
    with said, writer_lock(tmp_path, 0.1):
        pass


def test_a_link_in_the_holders_place_is_not_followed(tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("keep me")
    state = tmp_path / "state"
    state.mkdir()
    (state / "lock.holder").symlink_to(precious)
    with writer_lock(state, 1):
        pass
    assert precious.read_text() == "keep me"


def test_threads_exclude_each_other_too(tmp_path):
    inside, most = 0, 0

    def work():
        nonlocal inside, most
        with writer_lock(tmp_path, 10):
            inside += 1
            most = max(most, inside)
            time.sleep(0.02)
            inside -= 1

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_folder_that_cannot_be_made_is_a_store_error(tmp_path):
    with pytest.raises(StoreError, match="cannot be written"), writer_lock(tmp_path / "a" / "b", 1):
        pass
