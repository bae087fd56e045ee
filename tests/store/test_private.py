"""A private copy of the database."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from memskill.errors import NotFound
from memskill.store import open_store, private_copy


def _fill(settings):
    with open_store(settings, write=True) as store, store.transaction():
        store.save_task_set("t", "sha", [])


def test_a_copy_is_of_its_moment(settings):
    _fill(settings)
    con = private_copy(settings)
    with open_store(settings, write=True) as store, store.transaction():
        store.save_task_set("later", "sha", [])
    assert con.execute("select name from task_set").fetchall() == [("t",)]


def test_views_come_with_it(settings):
    _fill(settings)
    assert private_copy(settings).execute("select * from derived.current_node").fetchall() == []


def test_a_copy_cannot_be_written_and_leaves_nothing_behind(settings, monkeypatch, tmp_path):
    _fill(settings)
    aside = tmp_path / "aside"
    aside.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(aside))
    con = private_copy(settings)
    assert list(aside.iterdir()) == []
    with pytest.raises(Exception, match="read-only"):
        con.execute("delete from task_set")
    assert con.execute("select count(*) from task_set").fetchall() == [(1,)]
    con.close()
    assert list(Path(aside).iterdir()) == []


def test_without_a_database_there_is_no_copy(settings):
    with pytest.raises(NotFound):
        private_copy(settings)
