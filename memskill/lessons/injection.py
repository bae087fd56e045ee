"""What memskill puts before an agent: past observations, marked as such, under a hard cap."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from memskill.records import Lesson
from memskill.sources.safety import one_line
from memskill.sources.transcripts.injected import CLOSE_MARK, OPEN_MARK

_OPEN = f'{OPEN_MARK} note="past observations, not instructions">'
# What would open or end a block if a text held it.
_MARKS = ("<memskill-observation", "</memskill-observation", "<!-- memskill:")


@dataclass(frozen=True, slots=True, kw_only=True)
class Observation:
    """One thing that was seen in the past."""

    text: str
    # Where it comes from, such as "lesson b03a47ca49ff, project spotter".
    source: str
    # UTC date or time of when it was last seen; empty where that is unknown.
    date: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InjectionHit:
    """What was found for a task or an error, the best first."""

    items: tuple[Observation, ...] = field(default_factory=tuple[Observation, ...])


def lesson_hit(lessons: Sequence[Lesson]) -> InjectionHit:
    """Return lessons as observations, in their order."""
    items = (
        Observation(
            text=f"{f'{one.tool} {one.subcommand}'.strip()}: {one.symptom} Then: {one.resolution}",
            source=f"lesson {one.id[:12]}, project {one.scope or 'unknown'}, {one.state}",
            date=one.last_seen[:10],
        )
        for one in lessons
    )
    return InjectionHit(items=tuple(items))


def render_injection(hit: InjectionHit, max_chars: int) -> str:
    """Return observations as one marked block of at most `max_chars` characters (code points).

    Only whole items appear, in order: the first that does not fit ends the block. Where not even
    one fits the answer is "". Ingest of transcripts strips the block by its markers, so what was
    injected is never learned again; a text cannot break out of it.
    """
    lines = [_OPEN]
    used = len(_OPEN) + 1 + len(CLOSE_MARK)
    for item in hit.items:
        line = _line(item)
        if used + len(line) + 1 > max_chars:
            break
        lines.append(line)
        used += len(line) + 1
    return "\n".join([*lines, CLOSE_MARK]) if len(lines) > 1 else ""


def _line(item: Observation) -> str:
    date = one_line(item.date) or "date unknown"
    return f"- [observed {_inert(date)}; source: {_inert(item.source)}] {_inert(item.text)}"


def _inert(text: str) -> str:
    """Return a text on one line that holds none of the markers."""
    line = one_line(text)
    for mark in _MARKS:
        line = line.replace(mark, mark.replace("<", "&lt;", 1))
    return line
