"""Every notebook runs on a vault that is not the example, as `mem notebook` copies it."""

from __future__ import annotations

import json
import shutil

import pytest
from helpers.tree import ROOT

import memskill
from memskill.config import load_settings
from memskill.pipeline.notebook import copy_notebook, list_notebooks


@pytest.fixture(scope="module")
def own(tmp_path_factory):
    """A vault with notes, transcripts, its own labels, and a floor; no scripted replies."""
    vault = tmp_path_factory.mktemp("own") / "vault"
    data = ROOT / "data"
    shutil.copytree(data / "vault", vault, ignore=shutil.ignore_patterns(".memskill", "docs-site"))
    shutil.copytree(data / "transcripts", vault / "transcripts")
    for folder in ("notes", "transcripts"):
        shutil.copytree(data / "notes_eval" / folder, vault / folder, dirs_exist_ok=True)
    rows = (data / "tasks" / "notes_queries.jsonl").read_text("utf-8").splitlines()
    # Without those that the project would answer that is left out.
    known = [r for r in rows if not any("docs-site/" in e for e in json.loads(r)["expected"])]
    (vault / "questions").mkdir()
    (vault / "questions" / "ours.jsonl").write_text("\n".join(known), encoding="utf-8")
    (vault / "tasks").mkdir()
    shutil.copy(data / "tasks" / "fixture.jsonl", vault / "tasks" / "ours.jsonl")
    (vault / "memskill.toml").write_text('reranker = "none"\nthreads = 1\n', encoding="utf-8")
    mem = memskill.open_vault(vault)
    mem.ingest()
    mem.set_floor(0.3)
    return vault


@pytest.mark.parametrize("name", [notebook.name for notebook in list_notebooks()])
def test_a_copy_runs_on_a_vault_of_ones_own(own, tmp_path, name):
    target = copy_notebook(load_settings({"vault": own}), name, tmp_path)
    shown = []
    names = {"display": lambda *values: shown.extend(values)}
    for cell in json.loads(target.read_text("utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), name, "exec"), names)
    assert names["mem"].settings.vault == own
