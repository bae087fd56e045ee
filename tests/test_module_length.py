"""Numbers to live by: files and functions that fit a screen or two."""

from __future__ import annotations

import ast
import statistics

import pytest
from helpers.tree import PACKAGE, ROOT, functions, python_files

MAX_LINES = 300
MAX_FUNCTION_LINES = 60
USUAL_FUNCTION_LINES = 40
# Of all functions; the rest must stay within the maximum.
MAX_LONG_SHARE = 0.05


def _lines(path):
    return len(path.read_text(encoding="utf-8").splitlines())


def _function_lengths():
    """Return function -> lines from `def` to its end, docstring apart."""
    return {
        f"{path.relative_to(ROOT)}:{name}": _own_lines(node)
        for path in python_files()
        for name, node in functions(path)
    }


def _own_lines(node):
    told = node.body[0] if ast.get_docstring(node) else None
    docstring = told.end_lineno - told.lineno + 1 if told else 0
    return node.end_lineno - node.lineno + 1 - docstring


@pytest.mark.parametrize("pattern", ["memskill/**/*.py", "memskill/**/*.j2", "sql/**/*.sql"])
def test_no_file_is_longer_than_300_lines(pattern):
    long = {str(p.relative_to(ROOT)): n for p in ROOT.glob(pattern) if (n := _lines(p)) > MAX_LINES}
    assert long == {}


def test_test_files_stay_readable():
    long = {
        str(p.relative_to(ROOT)): n
        for p in (ROOT / "tests").rglob("*.py")
        if (n := _lines(p)) > 500
    }
    assert long == {}


def test_median_file_has_at_most_90_lines():
    patterns = ("memskill/**/*.py", "memskill/**/*.j2", "sql/**/*.sql")
    files = [path for pattern in patterns for path in ROOT.glob(pattern)]
    assert statistics.median([n for path in files if (n := _lines(path)) > 3]) <= 90


def test_no_function_is_longer_than_60_lines():
    assert {k: n for k, n in _function_lengths().items() if n > MAX_FUNCTION_LINES} == {}


def test_few_functions_are_longer_than_40_lines():
    lengths = _function_lengths()
    long = sorted(k for k, n in lengths.items() if n > USUAL_FUNCTION_LINES)
    assert len(long) <= MAX_LONG_SHARE * len(lengths), long


def test_the_measures_see_the_package():
    assert len(python_files()) > 40
    assert PACKAGE / "records.py" in python_files()
