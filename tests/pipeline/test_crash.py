"""kill -9 at random moments of an ingest: what is on disk is always usable."""

from __future__ import annotations

import random
import shutil
import signal
import subprocess
import sys
import time

import pytest
from helpers.tree import ROOT
from helpers.vaults import all_shas, make_settings, now

from memskill.models.fakes import HashEncoder
from memskill.pipeline.database import check_database
from memskill.pipeline.ingest import ingest

SEED = 20261130
MOMENTS = 20

INGEST = """
import sys
from pathlib import Path
from memskill.config import Settings
from memskill.models.fakes import HashEncoder
from memskill.pipeline.ingest import ingest
import duckdb, polars  # loaded before the clock runs, so that kills fall into the work
print("ready", flush=True)
ingest(Settings(vault=Path(sys.argv[1]), threads=1), encoder=HashEncoder())
print("done", flush=True)
"""


def _ingest(settings):
    return ingest(settings, encoder=HashEncoder())


def _killed(vault, after):
    """Run an ingest in a process of its own; return whether the kill came before its end."""
    command = [sys.executable, "-c", INGEST, str(vault)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"ready\n"
        time.sleep(after)
        process.send_signal(signal.SIGKILL)
        return b"done" not in process.stdout.read()


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The fixture vault before and after some edits, and what one ingest makes of each."""
    folder = tmp_path_factory.mktemp("undisturbed")
    ignored = shutil.ignore_patterns(".memskill")
    shutil.copytree(ROOT / "data" / "vault", folder / "first", ignore=ignored)
    shutil.copytree(folder / "first", folder / "edited")
    for number, note in enumerate(sorted((folder / "edited" / "notes").rglob("*.md"))):
        if number % 4 == 0:
            note.unlink()
        elif number % 2 == 0:
            note.write_text(note.read_text(encoding="utf-8") + "\nAnd one line more.\n")
    settings = make_settings(folder / "work")
    shutil.copytree(folder / "first", settings.vault)
    started = time.perf_counter()
    _ingest(settings)
    seconds = time.perf_counter() - started
    first = now(settings)
    shutil.copytree(settings.vault, folder / "ingested")
    _lay(folder / "edited", settings.vault)
    _ingest(settings)
    return folder, seconds, first, now(settings), all_shas(settings)


def _lay(source, vault):
    for name in ("notes", "skills"):
        shutil.rmtree(vault / name)
        shutil.copytree(source / name, vault / name)


@pytest.mark.slow
def test_a_first_ingest_may_be_killed_at_any_moment(undisturbed, tmp_path):
    folder, seconds, first, *_ = undisturbed
    rng = random.Random(SEED)
    killed = 0
    for moment in range(MOMENTS // 2):
        settings = make_settings(tmp_path / str(moment))
        shutil.copytree(folder / "first", settings.vault)
        killed += _killed(settings.vault, rng.uniform(0, seconds))
        if settings.database.exists():
            check_database(settings)
        _ingest(settings)
        check_database(settings)
        assert now(settings) == first
        assert not _ingest(settings).changed
    assert killed > 0


@pytest.mark.slow
def test_an_update_may_be_killed_at_any_moment(undisturbed, tmp_path):
    folder, seconds, first, last, shas = undisturbed
    rng = random.Random(SEED + 1)
    for moment in range(MOMENTS // 2):
        settings = make_settings(tmp_path / str(moment))
        shutil.copytree(folder / "ingested", settings.vault)
        _lay(folder / "edited", settings.vault)
        _killed(settings.vault, rng.uniform(0, seconds))
        check_database(settings)
        # One transaction: all of the update, or none of it.
        assert now(settings) in (first, last)
        _ingest(settings)
        check_database(settings)
        assert now(settings) == last
        assert all_shas(settings) == shas


def test_two_ingests_at_once_end_as_one(undisturbed, tmp_path):
    folder, _, first, *_ = undisturbed
    settings = make_settings(tmp_path / "vault")
    shutil.copytree(folder / "first", settings.vault)
    command = [sys.executable, "-c", INGEST, str(settings.vault)]
    both = [subprocess.Popen(command, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait(60) for process in both] == [0, 0]
    assert now(settings) == first
    check_database(settings)


def test_what_killed_writers_leave_is_no_note_and_no_node(undisturbed, tmp_path):
    folder, _, first, *_ = undisturbed
    settings = make_settings(tmp_path / "vault")
    shutil.copytree(folder / "ingested", settings.vault)
    for name in (".mem-0123456789abcdef.tmp", ".mem-x.tmp"):
        (settings.nodes_dir / name).write_bytes(b"{")
        (settings.vault / "notes" / name).write_bytes(b"half a note")
    report = _ingest(settings)
    assert not report.changed
    assert report.skipped == ()
    assert now(settings) == first
    check_database(settings)
