"""The memory note that a tool's lessons make: what their draft skill is generated from."""

from __future__ import annotations

from collections.abc import Sequence

from memskill.records import Lesson, Node
from memskill.sources.identity import node_sha
from memskill.sources.slug import slug

# The project that notes of lessons belong to, whatever project the lessons were learned in.
PROJECT = "tool-lessons"
_NAME_CHARS = 40


def draft_name(tool: str) -> str:
    """Return the name of a tool's draft skill, `<tool>-failures`, fit for a folder."""
    return slug(tool[:_NAME_CHARS], "failures")


def query_id(tool: str) -> str:
    """Return the query id of a tool's note: the name of its draft, which is free of slashes."""
    return draft_name(tool)


def ordered(lessons: Sequence[Lesson]) -> list[Lesson]:
    """Return lessons in the order in which they are written down: no counter takes part."""
    return sorted(lessons, key=lambda one: (one.subcommand, one.signature, one.scope, one.id))


def tool_node(tool: str, lessons: Sequence[Lesson]) -> Node:
    """Return the L1 node of a tool's lessons: same lessons, same sha, whatever their counts.

    It says what failed and what mended it, once a lesson; how often and when stands in the
    events, so that a further session of the same kind makes no new node.
    """
    parts: list[str] = []
    for lesson in ordered(lessons):
        name = f"{lesson.tool} {lesson.subcommand}".strip()
        where = f" (project {lesson.scope})" if lesson.scope else ""
        parts.append(
            f"## {name}{where}\n\nSymptom: {lesson.symptom}\n\n"
            f"Failed: {_command(lesson.command)}\n\nResolution: {lesson.resolution}\n"
        )
    body = "\n".join(parts)
    query = f"Which failures of {tool} are known, and what mended each of them?"
    address = PROJECT, query_id(tool)
    return Node(
        sha=node_sha("L1", *address, query, body),
        level="L1",
        project=address[0],
        query_id=address[1],
        query=query,
        body=body,
        trust="agent",
        author="mem materialize",
        created_at=max((lesson.last_seen for lesson in lessons), default=""),
        tags=("lessons",),
    )


def _command(command: str) -> str:
    return f"`{command}`" if command and "`" not in command else command
