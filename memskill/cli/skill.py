"""`mem skill`: draft, match, list and check skills."""

from __future__ import annotations

import click

from memskill.cli.boundary import LazyGroup

COMMANDS = {
    "list": ("skill_list", "List the vault's skills."),
    "match": ("skill_match", "Find the few promoted skills that fit a task, or none."),
}


@click.group("skill", cls=LazyGroup, commands_table=COMMANDS, package="memskill.cli")
def skill_command() -> None:
    """Draft, match, list and check skills."""
