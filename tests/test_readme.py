"""What README.md shows is what happens: each console block is run and its output compared.

Numbers are compared by their shape: seconds differ from run to run, and a score may differ in
its last place from one class of processor to another.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.tree import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"```console\n\$ ([^\n]+)\n(.*?)```", README, re.S)


def shape(text: str) -> list[str]:
    """Return the lines of an output with numbers and temporary folders made equal."""
    text = re.sub(r"/\S*/memskill-demo-\w+", "/tmp/memskill-demo", text)
    text = re.sub(r"\d+\.\d+", "0.0", text)
    return [line.rstrip() for line in text.strip().splitlines()]


def run(command: str, folder: Path) -> str:
    """Return what a `mem` command prints to stdout, run as a user would in `folder`."""
    words = shlex.split(command)
    assert words[0] == "mem"
    env = {k: v for k, v in os.environ.items() if not k.startswith("MEMSKILL_")}
    done = subprocess.run(
        [sys.executable, "-m", "memskill", *words[1:]],
        cwd=folder, env=env, capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return done.stdout


def test_readme_shows_output_at_all() -> None:
    assert len(BLOCKS) >= 3
    assert all(output.strip() for _, output in BLOCKS)


def test_readme_is_at_most_200_lines() -> None:
    assert len(README.splitlines()) <= 200


@pytest.mark.parametrize(
    ("command", "output"), [b for b in BLOCKS if b[0].startswith("mem ")], ids=lambda v: v[:30]
)
def test_a_command_prints_what_readme_shows(command: str, output: str, tmp_path: Path) -> None:
    if "--vault" in command or command.startswith("mem skill"):
        run("mem demo vault", tmp_path)
    assert shape(run(command, tmp_path)) == shape(output)


def test_the_request_answers_what_readme_shows(team) -> None:
    from memskill.web.app import create_app

    (command, output) = next(b for b in BLOCKS if b[0].startswith("curl "))
    url = shlex.split(command)[1].partition("8765")[2]
    answer = create_app(team).test_client().get(url, headers={"Host": "localhost"})
    assert answer.status_code == 200
    assert shape(answer.get_data(as_text=True)) == shape(output)


def test_both_acceptance_files_are_shown() -> None:
    for name in ("test_skill_draft.py", "test_skill_matching.py"):
        assert f"pytest tests/{name}" in README
        assert (ROOT / "tests" / name).is_file()
