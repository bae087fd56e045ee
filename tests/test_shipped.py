from __future__ import annotations

import pytest

from memskill import shipped as module
from memskill.errors import FilesMissing
from memskill.shipped import shipped


@pytest.mark.parametrize(
    ("folder", "inside"), [("sql", "migrations"), ("data", "vault"), ("data", "tasks")]
)
def test_folders_are_found(folder, inside):
    assert (shipped(folder) / inside).is_dir()


def test_a_missing_folder_names_both_places_and_the_remedy():
    with pytest.raises(FilesMissing) as caught:
        shipped("nothing-like-it")
    assert caught.value.message.count("nothing-like-it") == 3
    assert "pip install" in caught.value.hint


def test_the_packaged_folder_wins_over_the_one_beside_it(tmp_path, monkeypatch):
    package = tmp_path / "memskill"
    for folder in (package / "sql", tmp_path / "sql"):
        folder.mkdir(parents=True)
    monkeypatch.setattr(module.resources, "files", lambda name: package)
    assert shipped("sql") == package / "sql"
