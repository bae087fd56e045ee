"""`mem skill`: draft, match, list and check skills."""

from __future__ import annotations

import click

from memskill.cli.boundary import LazyGroup

# Command -> (module below memskill.cli, its help line); see memskill.cli.COMMANDS.
COMMANDS = {
    "diff": ("skill_lint", "Print what a proposal or a draft would change."),
    "doctor": ("skill_lint", "Look for loadable drafts, and stale, twin or greedy skills."),
    "draft": ("skill_draft", "Turn a note into a draft skill for a person to review."),
    "lint": ("skill_lint", "Check SKILL.md files against the rules."),
    "list": ("skill_list", "List the vault's skills."),
    "match": ("skill_match", "Find the few promoted skills that fit a task, best first, or none."),
    "prompt": ("skill_draft", "Print the exact prompt that a chat model would get."),
    "show": ("skill_lint", "Print a skill or a draft."),
}


@click.group("skill", cls=LazyGroup, commands_table=COMMANDS, package="memskill.cli")
def skill_command() -> None:
    """Draft, match, list and check skills."""
