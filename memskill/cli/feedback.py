"""`mem feedback`."""

from __future__ import annotations

from datetime import datetime

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.output import print_json, say, table
from memskill.config import Settings


@click.group("feedback")
def feedback_command() -> None:
    """Say whether a match was useful or wrong, or what was missing.

    Off until `feedback_log = true`: tasks may be private. `mem help feedback` tells what is kept.
    """


def _give(
    settings: Settings, verdict: str, skill: str, task: str, match_id: str, note: str
) -> None:
    from memskill.pipeline.feedback import give_feedback
    from memskill.pipeline.vault import list_skills

    names = {one.name for one in list_skills(settings)[0]}
    said = give_feedback(
        settings, verdict, names=names, skill=skill, task=task, match_id=match_id, note=note
    )
    say(f"kept: {said.verdict} {said.skill}".rstrip())


_TASK = click.option("--task", default="", help="The task that was asked.")
_MATCH = click.option("--match", "match_id", default="", help="Or the id of its match.")
_NOTE = click.option("--note", default="", help="Why, in a sentence.")


@feedback_command.command("useful")
@click.argument("skill")
@_TASK
@_MATCH
@_NOTE
@with_settings
def useful_command(settings: Settings, skill: str, task: str, match_id: str, note: str) -> None:
    """Say that SKILL came back and was right."""
    _give(settings, "useful", skill, task, match_id, note)


@feedback_command.command("wrong")
@click.argument("skill")
@_TASK
@_MATCH
@_NOTE
@with_settings
def wrong_command(settings: Settings, skill: str, task: str, match_id: str, note: str) -> None:
    """Say that SKILL came back and should not have."""
    _give(settings, "wrong", skill, task, match_id, note)


@feedback_command.command("missing")
@click.argument("skill", required=False, default="")
@_TASK
@_MATCH
@_NOTE
@with_settings
def missing_command(settings: Settings, skill: str, task: str, match_id: str, note: str) -> None:
    """Say that SKILL (or some skill) should have come back and did not."""
    _give(settings, "missing", skill, task, match_id, note)


@feedback_command.command("list")
@json_option
@with_settings
def list_command(settings: Settings, as_json: bool) -> None:
    """List what was said, oldest first; what waits to be folded in by `mem ingest` too."""
    from memskill.pipeline.feedback import list_feedback

    found = list_feedback(settings)
    if as_json:
        print_json(
            [
                {
                    "at": f"{one.at.isoformat()}Z", "verdict": one.verdict, "skill": one.skill,
                    "task": one.task, "match_id": one.match_id, "note": one.note,
                }
                for one in found
            ]
        )  # fmt: skip
        return
    rows = [
        (f"{one.at:%Y-%m-%d}", one.verdict, one.skill or "-", one.task or one.match_id, one.note)
        for one in found
    ]
    table(rows, ("day", "verdict", "skill", "task", "note"))


@feedback_command.command("purge")
@click.option(
    "--before",
    type=click.DateTime(["%Y-%m-%d"]),
    help="Only what is from before this day (UTC); everything by default.",
)
@with_settings
def purge_command(settings: Settings, before: datetime | None) -> None:
    """Forget what was asked and what was said."""
    from memskill.pipeline.feedback import purge

    gone = purge(settings, before.date() if before else None)
    say(f"forgot {gone} records; backups of the database are not touched")
