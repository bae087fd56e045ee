"""`mem --help` stays fast: what it imports is listed, and how long it takes is bounded."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

# All of memskill that `mem --help` may load.
EXPECTED = {"memskill", "memskill.cli", "memskill.cli.boundary", "memskill.errors"}
# What it imports beside click: nothing but the standard library.
HEAVY = {
    "duckdb",
    "polars",
    "pyarrow",
    "numpy",
    "torch",
    "transformers",
    "sentence_transformers",
    "sklearn",
    "onnxruntime",
    "tokenizers",
    "flask",
    "waitress",
    "jinja2",
    "ruamel",
    "filelock",
    "prometheus_client",
    "asyncio",
    "hashlib",
    "multiprocessing",
}
LIST = """
import sys
sys.argv = ["mem", *{arguments!r}]
from memskill.cli import main
main(standalone_mode=False)
print("\\nMODULES", *sorted(sys.modules))
"""


def _modules(*arguments):
    done = subprocess.run(
        [sys.executable, "-c", LIST.format(arguments=arguments)],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.rpartition("MODULES ")[2].split()


def test_help_loads_these_modules_of_ours():
    assert {m for m in _modules("--help") if m.split(".")[0] == "memskill"} == EXPECTED


def test_help_loads_nothing_heavy():
    assert {m.split(".")[0] for m in _modules("--help")} & HEAVY == set()


@pytest.mark.parametrize("group", ["skill", "db"])
def test_help_of_a_group_loads_nothing_heavy(group):
    loaded = {m.split(".")[0] for m in _modules(group, "--help")}
    assert loaded & HEAVY - {"hashlib", "filelock"} == set()


def test_importing_the_package_does_nothing():
    code = "import sys; before = set(sys.modules); import memskill; print(set(sys.modules)-before)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() in ("{'memskill'}", "{'memskill', '__future__'}")


def _seconds(*command):
    started = time.perf_counter()
    subprocess.run([sys.executable, *command], capture_output=True, check=True)
    return time.perf_counter() - started


def test_help_takes_little_longer_than_click():
    """Best of pairs measured side by side, so that a busy machine slows both."""
    pairs = []
    for _ in range(15):
        click = _seconds("-c", "import click, sys")
        pairs.append((_seconds("-m", "memskill", "--help"), click))
        if pairs[-1][0] <= 3 * click + 0.1:
            return
    pytest.fail(f"(help, click) in seconds: {pairs}")
