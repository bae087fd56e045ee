"""Runs `mem mcp` with models that load nothing: `python mcp_server.py VAULT [OPTIONS]`.

`get_skill` prints as a careless library would, and asks for a bug by one name.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

TESTS = Path(__file__).resolve().parents[1]


def main() -> None:
    """Start the command line with fake models in the place of the shipped ones."""
    sys.path[:0] = [str(TESTS), str(TESTS.parent)]
    from helpers.serving import fake_matching
    from memskill.cli import main as mem
    from memskill.config import Settings
    from memskill.pipeline import matching

    def made(settings: Settings) -> Any:
        print("a print while models load")  # noqa: T201
        found = fake_matching(settings)
        file_of = found.skill_file

        def skill_file(name: str) -> bytes:
            print("a stray print")  # noqa: T201
            os.write(1, b"a stray write\n")
            if name == "bug":
                raise ZeroDivisionError("secret detail")
            return file_of(name)

        found.skill_file = skill_file
        return found

    matching.Matching = made
    mem(["--vault", sys.argv[1], "mcp", *sys.argv[2:]], prog_name="mem")


if __name__ == "__main__":
    main()
