"""`python -m memskill`: the `mem` command."""

from __future__ import annotations

from memskill.cli import main

if __name__ == "__main__":
    main(prog_name="mem")
