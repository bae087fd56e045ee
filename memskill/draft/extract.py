"""The drafter that needs no model: a note's own sentences, sorted into the parts of a skill.

It never writes a fact. What it adds are forms: a told action becomes a command ("we drained" ->
"Drain"), a bare command line gets "Run". What it cannot find it leaves out, or marks for a person.
"""

from __future__ import annotations

import re
from dataclasses import replace

from memskill.draft.bodies import DraftBody, Step
from memskill.draft.describe import Subject, describe
from memskill.draft.gather import MAX_PART, Parts, gather
from memskill.draft.hostile import defuse, is_injection
from memskill.draft.markdown import Block, parse_blocks
from memskill.draft.sentences import split_sentences
from memskill.errors import NotSkillWorthy
from memskill.records import Node

MIN_STEPS = 2
_MAX_STEPS = 20
_MAX_LIST = 8
_MAX_CODE = 8_000
_IS_CHECK = re.compile(r"\b(?:until|check|verify|confirm|compare|make sure)\b", re.I)
LEFT_OUT = "TODO(human): a part of the note that speaks to the model was left out here."
NO_CHECK = "TODO(human): the note names no check; say how to see that it worked."


def compose_extractive(node: Node) -> DraftBody:
    """Return a draft body made from the note's own sentences.

    Steps come from ordered lists, commands in tables and code; where there are fewer than two of
    those, from sentences that command or tell an action.

    Raises:
        NotSkillWorthy: The note holds no procedure.
    """
    blocks = [_harmless(block) for block in parse_blocks(node.body)]
    title = next((b.text for b in blocks if b.kind == "heading"), "")
    structured = gather(blocks, narrative=False)
    parts = structured
    if len(structured.steps) < MIN_STEPS:
        parts = gather(blocks, narrative=True)
    _require_procedure(parts, node)
    return _body(parts, Subject(title=title, query=node.query, blocks=tuple(blocks)))


def _harmless(block: Block) -> Block:
    """Return the block without what would act and without sentences that speak to a model."""
    text = defuse(block.text, code=block.kind == "code")
    if is_injection(text):
        kept = [] if block.kind in ("code", "row") else split_sentences(text)
        text = " ".join(sentence for sentence in kept if not is_injection(sentence))
        if block.kind == "item" and not text:
            # The number stays taken, so that "step 4" still means the fourth.
            text = LEFT_OUT
    return replace(block, text=text)


def _require_procedure(parts: Parts, node: Node) -> None:
    steps = parts.steps
    concrete = sum(bool(step.code or "`" in step.do) for step in steps)
    if len(steps) >= MIN_STEPS and (concrete or len(steps) > MIN_STEPS):
        return
    what = "no step" if not steps else f"{len(steps)} step(s), {concrete} with something to run"
    raise NotSkillWorthy(
        f"{node.address}: the note holds no procedure: {what} in {len(node.body.split())} words",
        hint="Write down what to do and how to see that it worked, or leave it a note.",
    )


def _body(parts: Parts, subject: Subject) -> DraftBody:
    steps = tuple(_short_step(step) for step in parts.steps[:_MAX_STEPS])
    description, when = describe(subject, steps, parts.symptoms)
    verification = parts.verification[:_MAX_LIST]
    if not verification and not any(step.check or _IS_CHECK.search(step.do) for step in steps):
        verification = [NO_CHECK]
    pitfalls = list(dict.fromkeys(parts.pitfalls))[:_MAX_LIST]
    if left := len(parts.steps) - len(steps):
        pitfalls.append(f"TODO(human): {left} further steps of the note were left out.")
    return DraftBody(
        title=subject.heading(),
        description=description,
        when_to_use=when,
        steps=steps,
        failures=tuple(map(_short, parts.failures[:_MAX_LIST])),
        pitfalls=tuple(map(_short, pitfalls)),
        verification=tuple(map(_short, verification)),
    )


def _short_step(step: Step) -> Step:
    code = step.code if len(step.code) <= _MAX_CODE else _short(step.code)
    return Step(
        do=_short(step.do),
        code=code,
        language=step.language,
        check=_short(step.check),
        on_failure=_short(step.on_failure),
    )


def _short(text: str) -> str:
    """Return a text, or a mark for the reviewer where it is too long to be one sentence's worth."""
    if len(text) <= MAX_PART * 2:
        return text
    return f"TODO(human): a part of the note with {len(text)} characters was left out here."
