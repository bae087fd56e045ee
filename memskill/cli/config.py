"""`mem config`."""

from __future__ import annotations

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.output import print_json, table
from memskill.config import SETTING_NAMES, Settings


@click.command("config")
@json_option
@with_settings
def config_command(settings: Settings, as_json: bool) -> None:
    """Show every setting, its value and where it came from."""
    rows = [
        (name, str(getattr(settings, name)), settings.origins[name])
        for name in ("vault", *SETTING_NAMES)
    ]
    if as_json:
        print_json([dict(zip(("setting", "value", "origin"), row, strict=True)) for row in rows])
        return
    table(rows, ("setting", "value", "origin"))
