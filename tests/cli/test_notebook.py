"""`mem notebook`."""

from __future__ import annotations

from click.testing import CliRunner

from memskill.cli import main


def _run(*arguments):
    return CliRunner().invoke(main, ["notebook", *map(str, arguments)])


def test_without_a_name_the_notebooks_are_listed(tmp_path):
    done = _run("--vault", tmp_path)
    assert done.exit_code == 0
    assert "03_floor" in done.stdout


def test_with_a_name_the_line_that_opens_the_copy_is_printed(tmp_path):
    (tmp_path / "vault").mkdir()
    done = _run("ingest", "--vault", tmp_path / "vault")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[-1] == f"jupyter lab {tmp_path / '01_ingest.ipynb'}"
    assert (tmp_path / "01_ingest.ipynb").is_file()


def test_a_copy_may_go_elsewhere(tmp_path):
    (tmp_path / "vault").mkdir()
    (tmp_path / "my books").mkdir()
    done = _run("04", "--vault", tmp_path / "vault", "--to", tmp_path / "my books")
    assert done.exit_code == 0
    assert f"'{tmp_path / 'my books' / '04_draft.ipynb'}'" in done.stdout


def test_an_unknown_name_ends_with_its_status(tmp_path):
    done = _run("nothing-like-it", "--vault", tmp_path)
    assert done.exit_code == 66
    assert "01_ingest" in done.stderr
