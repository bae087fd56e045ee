"""`mem init`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from memskill.cli.boundary import json_option
from memskill.cli.output import print_json


@click.command("init")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@json_option
@click.pass_context
def init_command(context: click.Context, folder: Path | None, as_json: bool) -> None:
    """Make a new vault in DIR (default: ./vault, or that of `mem --vault`).

    What exists is left as it is.
    """
    from memskill.pipeline.vault import init_vault

    outer: Mapping[str, Any] = context.find_root().obj or {}
    folder = folder or Path(outer.get("vault") or "vault")
    made = init_vault(folder)
    if as_json:
        print_json({"vault": str(folder), "made": made})
        return
    click.echo(f"{folder}: made {', '.join(made)}" if made else f"{folder}: nothing to make")
