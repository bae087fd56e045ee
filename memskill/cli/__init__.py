"""The `mem` command: each command parses, calls one verb of the pipeline and prints."""

from __future__ import annotations

import click

from memskill import __version__
from memskill.cli.boundary import LazyGroup

# Command -> (module below memskill.cli, its help line). A module is imported when its command
# runs, so that `mem --help` stays as fast as click itself; a test holds the lines equal.
COMMANDS = {
    "config": ("config", "Show every setting, its value and where it came from."),
    "context": (
        "context",
        "Print what is known for TASK as text for a prompt: skills, lessons and notes.",
    ),
    "db": ("db", "Look after the database."),
    "demo": ("demo", "Try it all on an invented team's vault."),
    "eval": (
        "eval",
        "Measure the matcher on labelled tasks: order, whole decision, false fires, time.",
    ),
    "feedback": ("feedback", "Say whether a match was useful or wrong, or what was missing."),
    "floor": ("floor", "Fit, show, set and take back the least score that is returned."),
    "help": ("topics", "Show a topic of the manual."),
    "ingest": ("ingest", "Read the vault into the database."),
    "init": ("init", "Make a new vault."),
    "lessons": ("lessons", "List, show and judge what tools' failures taught."),
    "materialize": (
        "materialize",
        "Write lessons as draft skills, one a tool, and as the digest in MEMORY.md.",
    ),
    "mcp": ("mcp", "Serve the read-only verbs to agents over the Model Context Protocol."),
    "model": ("model", "Train, measure, list and choose the models that decide."),
    "notebook": ("notebook", "Copy a notebook beside the vault, or list them."),
    "query": ("query", "Find memory notes and lessons that answer QUESTION, best first, or none."),
    "serve": ("serve", "Answer over HTTP; on SIGTERM finish what is in flight."),
    "skill": ("skill", "Draft, match, list and check skills."),
}


@click.group(cls=LazyGroup, commands_table=COMMANDS, package="memskill.cli")
@click.option("--vault", metavar="DIR", help="The vault (default: see `mem help settings`).")
@click.option("-v", "--verbose", is_flag=True, help="Say more on stderr, with tracebacks.")
@click.version_option(__version__, prog_name="memskill")
@click.pass_context
def main(context: click.Context, vault: str | None, verbose: bool) -> None:
    """Agent memory that drafts skills and hands back the few that fit a task."""
    context.obj = {"vault": vault, "verbose": verbose}
