"""`mem init`."""

from __future__ import annotations

from pathlib import Path

import click

from memskill.cli.boundary import json_option
from memskill.cli.output import print_json


@click.command("init")
@click.argument("folder", metavar="[DIR]", default="vault", type=click.Path(path_type=Path))
@json_option
def init_command(folder: Path, as_json: bool) -> None:
    """Make a new vault in DIR (default: ./vault); what exists is left as it is."""
    from memskill.pipeline.vault import init_vault

    made = init_vault(folder)
    if as_json:
        print_json({"vault": str(folder), "made": made})
        return
    click.echo(f"{folder}: made {', '.join(made)}" if made else f"{folder}: nothing to make")
