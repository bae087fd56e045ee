from __future__ import annotations

import logging
import subprocess
import sys

import click
import pytest
from helpers.mem import mem
from helpers.vaults import run_mem

from memskill import errors
from memskill.cli import main
from memskill.cli.boundary import LazyGroup
from memskill.cli.output import plain, progress_bar
from memskill.records import Skipped

TREE = sorted(
    (
        v
        for v in vars(errors).values()
        if isinstance(v, type) and issubclass(v, errors.MemskillError)
    ),
    key=lambda kind: kind.__name__,
)


def _raising(error):
    @click.command("boom")
    def boom():
        raise error

    return boom


@pytest.fixture
def boom(monkeypatch):
    """`mem boom` raises what it is given; returns how the command ended."""

    def run(error, *arguments):
        monkeypatch.setitem(main.commands, "boom", _raising(error))
        return mem(*arguments, "boom")

    return run


@pytest.mark.parametrize("kind", TREE, ids=lambda kind: kind.__name__)
def test_every_error_ends_with_its_status_message_and_hint(boom, kind):
    done = boom(kind("what went wrong", hint="do this", reasons=["one", "two"]))
    assert done.exit_code == kind.exit_status
    assert done.stdout == ""
    assert done.stderr == "error: what went wrong\n  - one\n  - two\nhint: do this\n"


def test_a_bug_keeps_its_traceback(boom):
    assert isinstance(boom(ZeroDivisionError()).exception, ZeroDivisionError)


def test_verbose_shows_the_traceback_of_an_error(boom):
    logging.getLogger("memskill").handlers.clear()
    done = boom(errors.UsageError("no"), "--verbose")
    assert done.exit_code == 64


def test_hostile_text_in_an_error_reaches_no_terminal(boom):
    done = boom(errors.UsageError("\x1b[31mred\x07\nnext \u202e", hint="\x1b]0;title\x07x"))
    assert done.stderr == "error: red next\nhint: x\n"


@pytest.mark.parametrize(
    "arguments", [("nothing",), ("--nothing",), ("ingest", "--nothing"), ("query",)]
)
def test_a_malformed_command_line_ends_with_two(arguments):
    assert mem(*arguments).exit_code == 2


def test_the_vault_may_stand_before_or_after_the_command(tmp_path):
    for arguments in (("--vault", tmp_path, "db", "path"), ("db", "path", "--vault", tmp_path)):
        assert mem(*arguments).stdout.strip() == str(tmp_path / ".memskill/memory.duckdb")


def test_the_nearer_vault_wins(tmp_path):
    done = mem("--vault", tmp_path / "a", "db", "path", "--vault", tmp_path / "b")
    assert str(tmp_path / "b") in done.stdout


def test_a_bad_setting_ends_with_78(tmp_path, monkeypatch):
    monkeypatch.setenv("MEMSKILL_THREADS", "many")
    done = mem("--vault", tmp_path, "config")
    assert done.exit_code == 78
    assert "MEMSKILL_THREADS" in done.stderr


def test_a_reader_that_goes_away_is_no_traceback(tmp_path):
    code = "import os; os.close(0)"
    command = f"{sys.executable} -m memskill help settings | {sys.executable} -c '{code}'"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert "Traceback" not in done.stderr


def test_a_group_lists_its_commands_without_importing_them():
    group = LazyGroup(
        "g", commands_table={"x": ("no_such_module", "Do x.")}, package="memskill.cli"
    )
    context = click.Context(group)
    assert group.list_commands(context) == ["x"]
    assert "Do x." in group.get_help(context)


def test_python_dash_m_runs_the_same_command(tmp_path):
    done = run_mem("--version", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("memskill, version ")


def test_output_is_plain_data():
    skipped = Skipped(path="p", reason="r", line=3)
    assert plain({"a": (skipped, 0.123456, None, True)}) == {
        "a": [{"path": "p", "reason": "r", "line": 3}, 0.1235, None, True]
    }


def test_no_bar_is_drawn_into_a_pipe():
    with progress_bar("encoding") as progress:
        assert progress is None


def test_a_terminal_gets_a_bar(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress_bar("encoding") as progress:
        for done in (5, 10):
            progress(done, 10)
    assert "encoding" in capsys.readouterr().err
