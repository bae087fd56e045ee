"""`mem notebook`."""

from __future__ import annotations

import importlib.util
import shlex
from pathlib import Path

import click

from memskill.cli.boundary import with_settings
from memskill.cli.output import say, table
from memskill.config import Settings


@click.command("notebook")
@click.argument("name", required=False)
@click.option(
    "--to",
    "folder",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="Where the copy goes (default: beside the vault).",
)
@with_settings
def notebook_command(settings: Settings, name: str | None, folder: Path | None) -> None:
    """Copy the notebook NAME beside the vault, which it then opens; without NAME, list them.

    A part of the name is enough: `mem notebook floor`.
    """
    from memskill.pipeline.notebook import copy_notebook, list_notebooks

    if name is None:
        table([(one.name, one.title) for one in list_notebooks()], ("name", "title"))
        return
    target = copy_notebook(settings, name, folder)
    say(f"copied to {target}; open it with:")
    if not importlib.util.find_spec("jupyterlab"):
        click.echo("pip install 'memskill[notebooks]'")
    click.echo(f"jupyter lab {shlex.quote(str(target))}")
