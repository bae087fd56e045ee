"""Notebooks are prose, calls and evidence: what may stand in one, read from its JSON."""

from __future__ import annotations

import ast
import itertools
import json
import re

import pytest
from helpers.tree import ROOT

FOLDER = ROOT / "notebooks"
FILES = sorted(FOLDER.glob("*.ipynb"))
MARKS = re.compile(r"NBVAL_|nbval-|PYTEST_VALIDATE", re.IGNORECASE)
# Whatever names a machine, a user or a checkout.
PLACES = re.compile(r"/(?:tmp|home|Users|root|work|opt|var|private)/|[A-Z]:\\\\|file://")
ADDRESSES = re.compile(r"0x[0-9a-f]{8,}")

each = pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)


def _read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def _cells(path, kind):
    return [cell for cell in _read(path)["cells"] if cell["cell_type"] == kind]


def _source(cell):
    return "".join(cell["source"])


def _trees(path):
    return [ast.parse(_source(cell)) for cell in _cells(path, "code")]


def test_the_notebooks_are_there():
    stems = [path.stem for path in FILES]
    known = ["01_ingest", "02_match_quality", "03_floor", "04_draft", "05_lessons"]
    assert stems[: len(known)] == known
    assert all(re.fullmatch(r"\d\d_[a-z_]+", stem) for stem in stems)


@each
def test_nothing_is_defined_in_a_notebook(path):
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    assert [n.name for t in _trees(path) for n in ast.walk(t) if isinstance(n, defined)] == []


@each
def test_a_notebook_imports_memskill_and_nothing_else(path):
    named = []
    for tree in _trees(path):
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                named += [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                named.append(node.module)
    assert {str(name).split(".")[0] for name in named} <= {"memskill", "IPython"}
    assert "import_module" not in "".join(_source(cell) for cell in _cells(path, "code"))


@each
def test_cells_and_notebooks_are_short(path):
    lines = [_source(cell).count("\n") + 1 for cell in _cells(path, "code")]
    assert max(lines) <= 8
    assert sum(lines) <= 60
    assert path.stat().st_size < 100_000


@each
def test_prose_stands_before_each_call(path):
    kinds = [cell["cell_type"] for cell in _read(path)["cells"]]
    assert kinds[0] == "markdown"
    assert ("code", "code") not in list(itertools.pairwise(kinds))
    assert set(kinds) == {"markdown", "code"}


@each
def test_a_notebook_was_run_once_from_top_to_bottom(path):
    counts = [cell["execution_count"] for cell in _cells(path, "code")]
    assert counts == list(range(1, len(counts) + 1))
    assert all(cell["outputs"] for cell in _cells(path, "code"))


@each
def test_hardly_any_output_goes_unchecked(path):
    marks = [m for c in _read(path)["cells"] for m in MARKS.findall(json.dumps(c))]
    assert len(marks) <= 2


@each
def test_no_cell_failed_or_warned(path):
    kinds = {(o["output_type"], o.get("name")) for c in _cells(path, "code") for o in c["outputs"]}
    assert {kind for kind, _ in kinds} <= {"execute_result", "display_data"}


@each
def test_outputs_name_no_machine(path):
    texts = json.dumps([cell["outputs"] for cell in _cells(path, "code")])
    without_pictures = re.sub(r'"image/png": "[^"]*"', "", texts)
    assert PLACES.findall(without_pictures) == []
    assert ADDRESSES.findall(without_pictures) == []


@each
def test_numbers_of_the_prose_are_computed(path):
    prose = "\n".join(_source(cell) for cell in _cells(path, "markdown"))
    plain = re.sub(r"`[^`]*`|\bL[012]\b", "", prose)
    assert re.findall(r"[^\n]*\d[^\n]*", plain) == []


@each
def test_the_prose_says_what_to_notice(path):
    prose = "\n".join(_source(cell) for cell in _cells(path, "markdown"))
    assert prose.startswith("# ")
    assert prose.count("*Notice*") >= 2


@each
def test_a_chart_has_a_picture_for_where_none_is_drawn(path):
    data = [o.get("data", {}) for cell in _cells(path, "code") for o in cell["outputs"]]
    charts = [one for one in data if any("vegalite" in mime for mime in one)]
    assert [one for one in charts if "image/png" not in one] == []


@each
def test_metadata_holds_no_times_and_no_local_kernel(path):
    notebook = _read(path)
    assert notebook["nbformat"] == 4
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"
    assert [c["metadata"] for c in notebook["cells"] if c["metadata"]] == []


def test_only_what_truly_varies_is_replaced_before_outputs_are_compared():
    text = (FOLDER / "nbval.cfg").read_text(encoding="utf-8")
    rules = re.findall(r"^regex: (.*)$", text, re.MULTILINE)
    assert len(rules) <= 3
    assert len(re.findall(r"^; ", text, re.MULTILINE)) > len(rules)
    assert [rule for rule in rules if re.search(rule, "score 0.42, 14 notes, 2 errors")] == []
