"""`mem context`."""

from __future__ import annotations

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.output import print_json, report_skipped, say
from memskill.config import Settings


@click.command("context")
@click.argument("task")
@click.option("--project", help="The project that the task belongs to.")
@click.option(
    "--max-chars",
    type=int,
    default=4_000,
    show_default=True,
    help="At most this many characters, 200..50000.",
)
@json_option
@with_settings
def context_command(
    settings: Settings, task: str, project: str | None, max_chars: int, as_json: bool
) -> None:
    """Print what is known for TASK as text for a prompt: skills, lessons and notes.

    Whole items only, each part only as far as it reaches its floor; nothing where none does.
    `mem help context` tells how the room is shared.
    """
    from memskill.pipeline.context import Contexts
    from memskill.pipeline.matching import Matching

    matching = Matching(settings)
    result = Contexts(matching).context(task, project=project, max_chars=max_chars)
    context = result.context
    report_skipped(matching.faults(), "skipped")
    if result.id:
        say(f"match {result.id}")
    for warning in context.warnings:
        say(f"warning: {warning}")
    if as_json:
        print_json(context)
        return
    if left := [f"{count} {part}" for part, count in context.left_out.items() if count]:
        say(f"no room for {', '.join(left)}")
    if not context.text:
        say("nothing that is known fits this task")
        return
    # The text holds nothing that acts on a terminal: see `sources.safety.one_line`.
    click.echo(context.text)
