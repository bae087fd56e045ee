"""The four dimensions of a good skill, scored from what can be counted.

Advice, never a gate: a count sees that there are checks, not that they are the right ones. The
dimensions are those of Grafana's skill-authoring rubric; what is counted here is our own choice.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from memskill.draft.rules.base import Document

Dimension = Literal["conciseness", "actionability", "workflow clarity", "progressive disclosure"]
DIMENSIONS: tuple[Dimension, ...] = (
    "conciseness", "actionability", "workflow clarity", "progressive disclosure",
)  # fmt: skip
_LONG_PARAGRAPH_WORDS = 70
# A blank line, a list item, a table row or a heading.
_PARAGRAPH_END = re.compile(r"\n\s*\n|\n\s*(?=[-*+|#]|\d{1,3}[.)])")
_TALK = re.compile(
    r"\b(?:in this (?:skill|guide|document|section)|this (?:skill|guide|document) (?:will|provides|"
    r"covers|describes)|introduction|overview|background|it is important to|please note)\b",
    re.I,
)
_VAGUE = re.compile(
    r"\b(?:as needed|as appropriate|if necessary|properly|appropriately|various|etc\.|and so on|"
    r"consider using|you may want|best practices)\b",
    re.I,
)
_STEP = re.compile(r"^\s{0,3}(?:\d{1,3}[.)]\s|#{2,4}\s*step\b)", re.I)

_CHECK = re.compile(
    r"\b(?:check|verif\w+|confirm|expect\w*|should (?:show|print|return)|until)\b", re.I
)
_BRANCH = re.compile(
    r"\b(?:if (?:it|this|that|the|not|any)|otherwise|on failure|roll ?back|fails?)\b", re.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One dimension of the rubric."""

    dimension: Dimension
    # 0 (missing) to 3 (nothing to mend).
    points: int
    # What was counted.
    reason: str
    fix: str


def rubric(document: Document) -> list[Score]:
    """Return the four scores of a skill's body, in the order of DIMENSIONS."""
    return [
        _conciseness(document),
        _actionability(document),
        _workflow(document),
        _layers(document),
    ]


def total(scores: list[Score]) -> int:
    """Return the sum of the points as a share of the most, 0 to 100."""
    return round(100 * sum(score.points for score in scores) / (3 * len(scores))) if scores else 0


def _conciseness(document: Document) -> Score:
    prose = "\n".join(line for _, line in document.prose_lines)
    paragraphs = _PARAGRAPH_END.split(prose)
    long = sum(len(text.split()) > _LONG_PARAGRAPH_WORDS for text in paragraphs)
    talk = len(_TALK.findall(document.parts.body))
    lost = min(2, long) + min(1, talk)
    return Score(
        dimension="conciseness",
        points=3 - lost,
        reason=f"{long} paragraph(s) over {_LONG_PARAGRAPH_WORDS} words, {talk} opening phrase(s)",
        fix="Cut what an able reader knows; put a command where a paragraph explains one.",
    )


def _actionability(document: Document) -> Score:
    blocks = sum(row.kind == "fence" for row in document.rows) // 2
    spans = sum(len(re.findall(r"`[^`\n]+`", line)) for _, line in document.prose_lines)
    vague = len(_VAGUE.findall(document.parts.body))
    todo = document.parts.body.count("TODO")
    points = (2 if blocks or spans >= 3 else 1 if spans else 0) + (not vague and not todo)
    return Score(
        dimension="actionability",
        points=points,
        reason=f"{blocks} code block(s), {spans} code span(s), {vague} vague word(s), {todo} TODO",
        fix="Give the exact command or setting for each step; say what `as needed` means.",
    )


def _workflow(document: Document) -> Score:
    steps = sum(bool(_STEP.match(line)) for _, line in document.prose_lines)
    checks = len(_CHECK.findall(document.parts.body))
    branches = len(_BRANCH.findall(document.parts.body))
    return Score(
        dimension="workflow clarity",
        points=(steps >= 2) + (checks >= 1) + (branches >= 1),
        reason=f"{steps} numbered step(s), {checks} check(s), {branches} failure branch(es)",
        fix="Number the steps; after a step say what shows that it worked and what to do if not.",
    )


def _layers(document: Document) -> Score:
    lines = len(document.parts.body.rstrip("\n").split("\n"))
    sections = sum(line.startswith("## ") for _, line in document.prose_lines)
    points = 3 if lines <= 200 else 2 if lines <= 350 else 1 if lines < 500 else 0
    if lines > 60 and not sections:
        points = max(points - 1, 0)
    return Score(
        dimension="progressive disclosure",
        points=points,
        reason=f"{lines} lines, {sections} section(s)",
        fix="Keep the common path here; move the rest to references/ and say when to read it.",
    )
