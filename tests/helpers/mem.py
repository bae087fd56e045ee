"""Runs `mem` within the test's own process, which is faster than a process of its own."""

from __future__ import annotations

import json
from typing import Any

from click.testing import CliRunner, Result

from memskill.cli import main


def mem(*arguments: object) -> Result:
    """Run `mem` and return how it ended; stdout and stderr are kept apart."""
    return CliRunner().invoke(main, [str(a) for a in arguments], prog_name="mem")


def mem_json(*arguments: object) -> Any:
    """Run `mem ... --json` and return what it printed, which must be JSON and nothing else."""
    done = mem(*arguments, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)
