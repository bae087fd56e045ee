"""Copies of the shipped notebooks for a vault of one's own."""

from __future__ import annotations

import json

import pytest

from memskill.errors import NotFound, PathRefused
from memskill.pipeline.notebook import OPENS, copy_notebook, list_notebooks
from memskill.shipped import shipped

NAMES = [notebook.name for notebook in list_notebooks()]


def _sources(text):
    return ["".join(c["source"]) for c in json.loads(text)["cells"] if c["cell_type"] == "code"]


def test_the_list_has_a_title_for_each():
    assert [one.name for one in list_notebooks()] == sorted(NAMES)
    assert all(one.title for one in list_notebooks())


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_notebook_opens_the_example_once(name):
    text = (shipped("notebooks") / f"{name}.ipynb").read_text("utf-8")
    assert len(OPENS.findall("\n".join(_sources(text)))) == 1


@pytest.mark.parametrize("name", NAMES)
def test_a_copy_opens_the_vault_and_holds_no_outputs(settings, name):
    target = copy_notebook(settings, name)
    assert target == settings.vault.parent / f"{name}.ipynb"
    made = json.loads(target.read_text("utf-8"))
    code = [cell for cell in made["cells"] if cell["cell_type"] == "code"]
    assert [c for c in code if c["outputs"] or c["execution_count"] is not None] == []
    said = "\n".join(_sources(target.read_text("utf-8")))
    assert "open_example" not in said
    assert f"memskill.open_vault({str(settings.vault)!r})" in said


@pytest.mark.parametrize("odd", ["it's", 'a"b', "back\\slash", "x'); import os; ('", "ü\nnew"])
def test_a_vault_path_is_only_ever_a_string_in_the_copy(tmp_path, settings, odd):
    import ast
    from dataclasses import replace

    vault = tmp_path / odd
    vault.mkdir()
    target = copy_notebook(replace(settings, vault=vault), NAMES[0], tmp_path)
    calls = [
        node
        for node in ast.walk(ast.parse(_sources(target.read_text("utf-8"))[0]))
        if isinstance(node, ast.Call)
    ]
    assert [ast.literal_eval(call.args[0]) for call in calls] == [str(vault)]


def test_an_existing_file_is_never_overwritten(settings):
    target = copy_notebook(settings, NAMES[0])
    target.write_text("mine", encoding="utf-8")
    with pytest.raises(PathRefused):
        copy_notebook(settings, NAMES[0])
    assert target.read_text("utf-8") == "mine"


def test_a_dangling_link_is_not_followed(settings, tmp_path):
    (settings.vault.parent / f"{NAMES[0]}.ipynb").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PathRefused):
        copy_notebook(settings, NAMES[0])
    assert not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize("part", ["03", "floor", "03_floor"])
def test_a_part_of_the_name_is_enough(settings, part):
    assert copy_notebook(settings, part).name == "03_floor.ipynb"


@pytest.mark.parametrize(("name", "told"), [("flor", "03_floor"), ("", "01_ingest"), ("0", "02_")])
def test_an_unknown_name_is_told_what_there_is(settings, name, told):
    with pytest.raises(NotFound) as caught:
        copy_notebook(settings, name)
    assert told in caught.value.hint


@pytest.mark.parametrize("name", ["../01_ingest", "/etc/passwd", "01_ingest\x00"])
def test_a_name_is_looked_up_and_never_a_path(settings, name):
    with pytest.raises(NotFound):
        copy_notebook(settings, name)


def test_a_missing_folder_is_told(settings, tmp_path):
    with pytest.raises(NotFound, match="absent"):
        copy_notebook(settings, NAMES[0], tmp_path / "absent")
