"""Skills, lessons and notes under one budget: which whole items go in, and the text they make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memskill.lessons.injection import (
    OBSERVED_OPEN,
    InjectionHit,
    Observation,
    inert,
    marked_block,
    observation_line,
    render_injection,
)
from memskill.sources.transcripts.injected import CLOSE_MARK, OPEN_MARK

Part = Literal["skills", "lessons", "notes"]
# The order of the text, and in which room that is left over is given on.
PARTS: tuple[Part, ...] = ("skills", "lessons", "notes")
# What of the budget each part may take before the others have had theirs, in hundredths.
SHARES: Mapping[Part, int] = {"skills": 50, "lessons": 25, "notes": 25}
_SKILLS_OPEN = (
    f'{OPEN_MARK} note="skills that fit the task: load one by its name before use '
    '(MCP get_skill, GET /memory/skills/NAME, or its file in the vault)">'
)
_NO_CAP = 10**9


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillNotice:
    """A skill as it is named to an agent: what it is for and where it lies, never its body."""

    name: str
    # Relative to the vault.
    path: str
    description: str
    when_to_use: str = ""


# What may go into a budget.
Entry = SkillNotice | Observation


def entry_line(entry: Entry) -> str:
    """Return what stands in the text for an entry: one line, in which no marker can be."""
    if isinstance(entry, Observation):
        return observation_line(entry)
    when = f" When to use: {inert(entry.when_to_use)}" if entry.when_to_use.strip() else ""
    head = f"- [skill {inert(entry.name)}; file: {inert(entry.path)}]"
    return f"{head} {inert(entry.description)}{when}"


def render_parts(parts: Mapping[Part, Sequence[Entry]]) -> str:
    """Return the parts as text: a block of skills, then one of observations; "" for nothing.

    Ingest of transcripts strips both by their markers.
    """
    skills = marked_block(_SKILLS_OPEN, map(entry_line, parts.get("skills", ())), _NO_CAP)
    seen = [one for part in PARTS for one in parts.get(part, ()) if isinstance(one, Observation)]
    observed = render_injection(InjectionHit(items=tuple(seen)), _NO_CAP)
    return "\n".join(block for block in (skills, observed) if block)


def fit_parts(parts: Mapping[Part, Sequence[Entry]], max_chars: int) -> dict[Part, int]:
    """Return how many entries of each part, from its first on, go into `max_chars` characters.

    First each part, in the order of `PARTS`, takes what fits into its share; then, in the same
    order, what fits into the room that is left. A part ends at its first entry that does not
    fit: a worse one never takes the place of a better one. Same entries, same answer.

    Args:
        parts: Entries of each part, best first: skills as `SkillNotice`, else `Observation`.
        max_chars: Of `render_parts` of what is kept, in code points.
    """
    counts: dict[Part, int] = dict.fromkeys(PARTS, 0)
    sizes: dict[Part, list[int]] = {
        part: [len(entry_line(one)) + 1 for one in parts.get(part, ())] for part in PARTS
    }
    for shared in (True, False):
        for part in PARTS:
            share = max_chars * SHARES[part] // 100 if shared else max_chars
            while counts[part] < len(sizes[part]):
                more: dict[Part, int] = {**counts, part: counts[part] + 1}
                if _chars(sizes, {part: more[part]}) > share or _chars(sizes, more) > max_chars:
                    break
                counts = more
    return counts


def _chars(sizes: Mapping[Part, Sequence[int]], counts: Mapping[Part, int]) -> int:
    """Return the length of `render_parts` of the first entries of each part."""
    lines = {part: sum(sizes[part][:count]) for part, count in counts.items()}
    skills = lines.pop("skills", 0)
    blocks = [(_SKILLS_OPEN, skills), (OBSERVED_OPEN, sum(lines.values()))]
    # Lines come with their line ends; so does each marker but the last.
    used = [len(opening) + 1 + size + len(CLOSE_MARK) for opening, size in blocks if size]
    return sum(used) + max(len(used) - 1, 0)
