"""`mem lessons`: what tools' failures taught."""

from __future__ import annotations

from typing import cast

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.output import plain, print_json, table
from memskill.config import Settings
from memskill.lessons.similar import Likeness
from memskill.records import LessonState

_STATES = ("candidate", "confirmed", "retired", "pinned")


@click.group("lessons")
def lessons_command() -> None:
    """List, show and judge what tools' failures taught."""


@lessons_command.command("list")
@click.option("--tool", help="Only lessons of this tool.")
@click.option("--state", type=click.Choice(_STATES), help="Only lessons in this state.")
@json_option
@with_settings
def list_command(
    settings: Settings, tool: str | None, state: LessonState | None, as_json: bool
) -> None:
    """List lessons: pinned first, retired last, then the surest first."""
    from memskill.pipeline.lessons import likely_same, list_lessons

    lessons = list_lessons(settings, tool=tool, state=state)
    same = likely_same(settings, lessons)
    if as_json:
        likes = {key: [one.lesson.id for one in found] for key, found in same.items()}
        rows = [(plain(lesson), likes.get(lesson.id, [])) for lesson in lessons]
        print_json([{**cast("dict[str, object]", row), "similar": like} for row, like in rows])
        return
    if not lessons:
        hint = "`mem ingest --transcripts PATH` looks for some in agents' sessions"
        click.echo("No such lesson." if tool or state else f"No lesson yet: {hint}.")
        return
    rows = [
        (
            *(lesson.id[:12], lesson.state, f"{lesson.confidence:.4f}"),
            *(lesson.seen, lesson.sessions, f"{lesson.tool} {lesson.subcommand}".strip()),
            *(lesson.scope, lesson.symptom),
        )
        for lesson in lessons
    ]
    heads = ("id", "state", "confidence", "seen", "sessions", "tool", "scope", "symptom")
    table(rows, heads)
    for lesson in lessons:
        # Each pair once.
        for like in (one for one in same.get(lesson.id, []) if one.lesson.id > lesson.id):
            click.echo(f"{lesson.id[:12]} {_told(like)}")


@lessons_command.command("show")
@click.argument("lesson_id")
@json_option
@with_settings
def show_command(settings: Settings, lesson_id: str, as_json: bool) -> None:
    """Show the lesson whose id starts with LESSON_ID, with where it was met."""
    from memskill.pipeline.lessons import show_lesson

    view = show_lesson(settings, lesson_id)
    if as_json:
        print_json(view)
        return
    lesson = view.lesson
    facts = (
        *(("id", lesson.id), ("state", lesson.state), ("confidence", f"{lesson.confidence:.4f}")),
        *(("tool", f"{lesson.tool} {lesson.subcommand}".strip()), ("scope", lesson.scope)),
        *(("symptom", lesson.symptom), ("resolution", lesson.resolution)),
        *(("failed", lesson.command), ("passed", lesson.fix_command or "the same command")),
        ("seen", f"{lesson.seen} times in {lesson.sessions} sessions, last {lesson.last_seen}"),
    )
    table(facts, ("fact", "value"))
    click.echo()
    rows = [
        (m.at, m.kind, m.session[:12], f"{m.path}:{m.line}", f"{m.byte_start}-{m.byte_end}")
        for m in view.moments
    ]
    table(rows, ("when", "what", "session", "where", "bytes"))
    for like in view.similar:
        click.echo(_told(like))


def _told(like: Likeness) -> str:
    """Return in one line which lesson may be the same, and why."""
    by = f"share of words {like.share:.2f}"
    by += "" if like.cosine is None else f", cosine {like.cosine:.2f}"
    other = like.lesson
    return f"may be the same as {other.id[:12]} ({other.scope}; {by}): {other.symptom}"


def _verdict(name: str, verdict: LessonState, help_line: str) -> None:
    """Add the command that notes one verdict."""

    @lessons_command.command(name, help=help_line)
    @click.argument("lesson_id")
    @with_settings
    def command(settings: Settings, lesson_id: str) -> None:
        from memskill.pipeline.lessons import judge_lesson

        lesson = judge_lesson(settings, lesson_id, verdict)
        click.echo(f"{lesson.id[:12]} is {lesson.state}: {lesson.symptom}")

    del command


_verdict("confirm", "confirmed", "Say that the lesson is right.")
_verdict("retire", "retired", "Say that the lesson is wrong, or its time is over.")
_verdict("pin", "pinned", "Say that the lesson is right and comes first.")
