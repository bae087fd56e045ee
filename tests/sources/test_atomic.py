import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memskill.sources import atomic
from memskill.sources.atomic import remove_leftovers, write_atomic

# Writes files of one repeated digit for ever; whatever is read must be whole.
WRITER = """
import sys
from pathlib import Path
from memskill.sources.atomic import write_atomic
for n in range(10**9):
    write_atomic(Path(sys.argv[1]), str(n % 10).encode() * 200_000)
    if n == 0:
        print("started", flush=True)
"""


def test_a_file_is_written_and_replaced(tmp_path: Path) -> None:
    for data in (b"one", b"", b"three"):
        write_atomic(tmp_path / "x", data)
        assert (tmp_path / "x").read_bytes() == data
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_the_mode_is_0644_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0o077)
    try:
        write_atomic(tmp_path / "x", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "x").stat().st_mode & 0o777 == 0o644


def test_a_link_is_replaced_and_its_target_left_alone(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    (tmp_path / "x").symlink_to(target)
    write_atomic(tmp_path / "x", b"new")
    assert target.read_text() == "mine"
    assert not (tmp_path / "x").is_symlink()


@pytest.mark.parametrize("step", ["fsync", "replace", "fchmod"])
def test_a_failure_leaves_the_old_file_and_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    write_atomic(tmp_path / "x", b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(atomic.os, step, full)
    with pytest.raises(OSError, match="No space"):
        write_atomic(tmp_path / "x", b"new")
    assert (tmp_path / "x").read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


def test_a_missing_folder_is_the_callers_fault(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        write_atomic(tmp_path / "gone" / "x", b"")


def test_a_killed_writer_leaves_a_whole_file(tmp_path: Path) -> None:
    target = tmp_path / "x"
    for delay in (0.0, 0.013, 0.031):
        process = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(target)], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        data = target.read_bytes()
        assert len(data) == 200_000
        assert data == data[:1] * 200_000


def test_leftovers_go_when_they_are_old_and_nothing_else_does(tmp_path: Path) -> None:
    old, young, other = tmp_path / ".mem-1.tmp", tmp_path / ".mem-2.tmp", tmp_path / "mem-1.tmp"
    for file in (old, young, other):
        file.touch()
    long_ago = time.time() - 3600
    os.utime(old, (long_ago, long_ago))
    os.utime(other, (long_ago, long_ago))
    assert remove_leftovers(tmp_path) == 1
    assert sorted(tmp_path.iterdir()) == sorted([young, other])


def test_leftovers_of_a_missing_folder_are_none(tmp_path: Path) -> None:
    assert remove_leftovers(tmp_path / "gone") == 0
