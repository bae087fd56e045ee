"""A tool's lessons as the text of a draft skill."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from memskill.draft.hostile import defuse, is_injection, plain_line
from memskill.draft.render import markdown_template, scalar
from memskill.errors import UsageError
from memskill.lessons.node import draft_name, tool_node
from memskill.records import Lesson
from memskill.sources.safety import one_line

if TYPE_CHECKING:
    from jinja2 import Template

# Of agentskills.io; the listing of Claude Code cuts later.
MAX_DESCRIPTION = 1024
# A skill body is read whole: more lessons than these belong to nobody's working memory.
MAX_LESSONS = 30
# Seen at least so often, a failure is worth a warning on top.
RECURRING = 3
_MAX_SYMPTOM = 160
RENDERER_VERSION = "lessons-2"


def render_skill(tool: str, lessons: Sequence[Lesson]) -> str:
    """Return the SKILL.md that draws a tool's lessons together: same lessons, same bytes.

    The description lists the symptoms as users meet them, for that is what they will paste. Each
    lesson has a section with how often and when it was seen, its confidence, symptom and
    resolution; failures that recur are warned of first. `generated_from` is the sha of
    `tool_node(tool, lessons)`, `generated_at` the time of the newest evidence.

    Args:
        tool: The tool, such as "git".
        lessons: Its lessons, the most useful first; at most `MAX_LESSONS` are shown.

    Raises:
        UsageError: There is no lesson.
    """
    if not lessons:
        raise UsageError(f"no lesson of {tool!r} to make a skill of")
    shown = [lesson for lesson in lessons if not _speaks_to_model(lesson)][:MAX_LESSONS]
    if not shown:
        raise UsageError(f"all lessons of {tool!r} speak to the model, not about the work")
    node = tool_node(tool, lessons)
    text = template("lesson_skill.md.j2").render(
        name=draft_name(tool),
        tool=plain_line(one_line(tool)),
        description=describe(tool, shown),
        generated_from=f"sha256:{node.sha}",
        generated_at=node.created_at or "1970-01-01T00:00:00Z",
        version=RENDERER_VERSION,
        lessons=shown,
        recurring=[lesson for lesson in shown if lesson.seen >= RECURRING],
        left_out=len(lessons) - len(shown),
    )
    return text.rstrip() + "\n"


def describe(tool: str, lessons: Sequence[Lesson]) -> str:
    """Return the description of a lesson skill: its symptoms, as many whole ones as fit."""
    name = plain_line(one_line(tool))
    head = f"Known failures of {name} and what mended them. Use when {name} reports "
    tail = "."
    told: list[str] = []
    for lesson in lessons:
        shown = one_line(lesson.symptom).replace("<branch>", "…")
        symptom = plain_line(shown)[:_MAX_SYMPTOM].strip(" .:").replace('"', "'")
        part = f'"{symptom}"'
        if not symptom or part in told:
            continue
        if len(head) + len(" or ".join((*told, part))) + len(tail) > MAX_DESCRIPTION:
            break
        told.append(part)
    return head + (" or ".join(told) or "an error that was met before") + tail


def section(lesson: Lesson) -> str:
    """Return the heading of a lesson's section: sub-command and symptom, on one line."""
    name = f"{lesson.tool} {lesson.subcommand}".strip()
    return safe(f"{name}: {lesson.symptom.rstrip('.')}")


def safe(text: str) -> str:
    """Return a text as one line of Markdown that acts nowhere."""
    return defuse(one_line(text))


def _speaks_to_model(lesson: Lesson) -> bool:
    return any(map(is_injection, (lesson.symptom, lesson.resolution, lesson.command)))


@cache
def template(name: str) -> Template:
    """Return one of the package's templates with the filters that lesson texts need."""
    return markdown_template(name, scalar=scalar, safe_line=safe, section=section)
