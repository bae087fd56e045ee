"""Sorts the blocks of a note into the parts of a skill; the sentences stay the note's own."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

from memskill.draft import forms
from memskill.draft.bodies import Step
from memskill.draft.markdown import Block
from memskill.draft.sections import Theme, theme_of
from memskill.draft.sentences import commands, role, split_sentences

_STEP_REFERENCE = re.compile(r"\bstep (\d{1,3})\b", re.I)
# A step, check or branch beyond this is no longer one.
MAX_PART = 1_200
_RUNS = frozenset(("bash", "sh", "shell", "console", "zsh", "fish", "powershell", "sql", "psql"))
_POINTS_BACK = ("It ", "This ", "That ", "They ")


def _steps() -> list[Step]:
    return []


def _texts() -> list[str]:
    return []


@dataclass(slots=True)
class Parts:
    """What was gathered so far; the only thing that changes while a note is read."""

    steps: list[Step] = field(default_factory=_steps)
    failures: list[str] = field(default_factory=_texts)
    pitfalls: list[str] = field(default_factory=_texts)
    verification: list[str] = field(default_factory=_texts)
    symptoms: list[str] = field(default_factory=_texts)
    # Index of the first step of the list that is being read: "step 4" counts from there.
    base: int = 0
    previous: str = ""

    def amend(self, *, check: str = "", on_failure: str = "") -> None:
        """Add to the last step, or to the whole where there is none yet."""
        target = len(self.steps) - 1
        if found := _STEP_REFERENCE.search(on_failure):
            target = min(self.base + int(found[1]) - 1, target)
        if target < 0:
            self.failures += [on_failure] if on_failure else []
            return
        step = self.steps[target]
        self.steps[target] = replace(
            step,
            check=joined(step.check, check),
            on_failure=joined(step.on_failure, on_failure),
        )

    def branch(self, sentence: str) -> None:
        """Add an "If ..." sentence: before any step it says when, after one what else."""
        if self.steps:
            self.amend(on_failure=sentence)
        else:
            self.symptoms.append(sentence)

    def remember(self, sentence: str) -> None:
        """Keep the sentence that a later pronoun points back to."""
        if not sentence.startswith(_POINTS_BACK):
            self.previous = sentence

    def renumber(self, text: str) -> str:
        """Return the text with "step N" of the note's list as the number in the draft."""
        return _STEP_REFERENCE.sub(lambda m: f"step {int(m[1]) + self.base}", text)


def joined(text: str, more: str) -> str:
    """Return two texts as one, or the first alone where the whole would be too long to read."""
    whole = f"{text} {more}".strip()
    return whole if len(whole) <= MAX_PART or not text else text


def gather(blocks: list[Block], *, narrative: bool) -> Parts:
    """Return the parts of a note, block by block."""
    parts = Parts()
    before: Block | None = None
    header: list[str] = []
    for block in blocks:
        theme = theme_of(block.section)
        if not block.text.strip():
            continue
        if block.kind != "row":
            header = []
        if block.kind == "code":
            _take_code(parts, block, before, theme)
        elif block.kind == "row":
            header = header or block.text.split("\t")
            _take_row(parts, block.text.split("\t"), header)
        elif block.kind == "item":
            _take_item(parts, block, theme, narrative=narrative)
        elif block.kind == "paragraph":
            _take_paragraph(parts, block, theme, narrative=narrative)
        before = block
    return parts


def _take_code(parts: Parts, block: Block, before: Block | None, theme: Theme) -> None:
    """Add a code block to the step that it stands under, or as a step of its own."""
    if not block.text.strip():
        return
    last = parts.steps[-1] if parts.steps else None
    # Indented below an item, or announced by it: it belongs to that step.
    if last and not last.code and (block.depth >= 2 or (before and before.kind == "item")):
        parts.steps[-1] = replace(last, code=block.text, language=block.language)
    elif last and block.depth >= 2:
        parts.steps.append(Step(do="Then run:", code=block.text, language=block.language))
    elif theme != "aside":
        lead = before.text if before and before.kind == "paragraph" else ""
        told = (split_sentences(lead) or [""])[-1]
        if last and last.do == told and not last.code:
            parts.steps[-1] = replace(last, code=block.text, language=block.language)
        elif do := told if told.endswith(":") else _announcement(block):
            parts.steps.append(Step(do=do, code=block.text, language=block.language))


def _announcement(block: Block) -> str:
    """Return how a code block that nothing announces becomes a step, or "" where it is none."""
    if block.language in _RUNS or (
        not block.language and forms.looks_like_command(block.text.split("\n")[0])
    ):
        return "Run this:"
    # A drawing, a log or a listing without a language says nothing to do.
    return f"Use this ({block.section.rstrip(':')}):" if block.language and block.section else ""


def _take_row(parts: Parts, cells: list[str], header: list[str]) -> None:
    """Add a table row that holds a command; its last cell, where it has none, is the check."""
    command = next((c for c in cells if any(map(forms.looks_like_command, forms.spans(c)))), "")
    if not command or cells == header:
        return
    do = f"Run {command}."
    if cells[0] != command:
        do = f"{cells[0].strip('*').capitalize()}: run {command}."
    seen = "" if cells[-1] == command else f"{header[-1]}: {cells[-1]}."
    parts.steps.append(Step(do=do, check=seen))


def _take_item(parts: Parts, block: Block, theme: Theme, *, narrative: bool) -> None:
    """Add a list item by the theme of its section and its own form."""
    text = parts.renumber(block.text) if theme != "steps" else block.text
    if block.depth >= 2 and parts.steps and not block.number and theme in ("steps", "open"):
        last = parts.steps[-1]
        parts.steps[-1] = replace(last, do=joined(last.do.rstrip(), f"{text.rstrip(' .;')};"))
    elif theme == "check":
        parts.verification.append(text)
    elif theme == "pitfall":
        parts.pitfalls.append(text)
    elif theme == "failure":
        parts.failures.append(text)
    elif theme == "symptom":
        parts.symptoms.append(text)
    elif theme != "aside" and (block.number or theme == "steps"):
        if block.number == 1 and block.depth < 2:
            parts.base = len(parts.steps)
        _take_step(parts, text)
    elif narrative and theme != "aside":
        _take_sentences(parts, block.text)
    else:
        _take_warnings(parts, block.text)


def _take_step(parts: Parts, text: str) -> None:
    """Add one item of a list of steps: its first sentence does, the others check or explain."""
    first, *others = split_sentences(text)
    found = commands(first, subjectless=True)
    if found and role(first) != "pitfall":
        parts.steps += [Step(do=c.do, check=c.seen) for c in found]
    elif (span := forms.SPAN.match(first)) and " " in span[0]:
        parts.steps.append(Step(do=f"Run {span[0]}.", check=_after_command(first[span.end() :])))
    else:
        parts.steps.append(Step(do=first))
    _take_rest(parts, others)


def _take_rest(parts: Parts, sentences: list[str]) -> None:
    """Add what else is said about the last step."""
    for sentence in sentences:
        kind = role(sentence)
        if kind == "failure":
            parts.amend(on_failure=sentence)
        elif kind == "check":
            parts.amend(check=sentence)
        else:
            last = parts.steps[-1]
            parts.steps[-1] = replace(last, do=joined(last.do, sentence))


def _take_paragraph(parts: Parts, block: Block, theme: Theme, *, narrative: bool) -> None:
    if block.depth >= 2 and parts.steps and theme in ("steps", "open"):
        # Indented below an item: it goes on about that step, after its code.
        for sentence in split_sentences(block.text):
            failed = role(sentence) == "failure"
            parts.amend(on_failure=sentence) if failed else parts.amend(check=sentence)
    elif theme == "symptom":
        parts.symptoms += split_sentences(block.text)
    elif theme == "check":
        for sentence in split_sentences(parts.renumber(block.text)):
            target = parts.failures if role(sentence) == "failure" else parts.verification
            target.append(sentence)
    elif theme == "pitfall":
        parts.pitfalls += [block.text]
    elif narrative and theme != "aside":
        _take_sentences(parts, block.text)
    else:
        _take_warnings(parts, block.text)


def _take_warnings(parts: Parts, text: str) -> None:
    """Take only what warns or branches: the steps of this note stand in its lists."""
    for sentence in split_sentences(text):
        kind = role(sentence)
        if forms.WARNS.match(sentence):
            parts.pitfalls.append(_with_context(parts, sentence))
        elif kind == "failure" and parts.steps and not sentence.endswith(":"):
            parts.amend(on_failure=sentence)
        parts.remember(sentence)


def _take_sentences(parts: Parts, text: str) -> None:
    """Sort the sentences of a story."""
    after_step = False
    for sentence in split_sentences(text):
        kind = role(sentence)
        if kind == "pitfall":
            parts.pitfalls.append(_with_context(parts, sentence))
        elif kind == "failure":
            parts.branch(sentence)
        elif kind == "check" and parts.steps:
            parts.amend(check=" ".join(c.do for c in commands(sentence)) or sentence)
        elif kind == "step":
            _take_told(parts, sentence)
        elif runs := _quoted_commands(sentence):
            for span in runs:
                seen = _after_command(sentence[span.end() :]) if span is runs[-1] else ""
                parts.steps.append(Step(do=f"Run {span[0]}.", check=seen))
        elif after_step and forms.SEEN_AFTER.search(sentence):
            parts.amend(check=sentence)
        after_step = kind == "step"
        parts.remember(sentence)


def _take_told(parts: Parts, sentence: str) -> None:
    """Add the actions that one sentence tells."""
    first, *others = commands(sentence)
    for told in (first._replace(do=_with_context(parts, first.do)), *others):
        if told.do.startswith(("Check ", "Verify ", "Confirm ")) and parts.steps:
            parts.amend(check=told.do)
        else:
            parts.steps.append(Step(do=told.do, check=told.seen))


def _quoted_commands(sentence: str) -> list[re.Match[str]]:
    """Return the code spans of a sentence that are something to run, not a quoted message."""
    return [
        span
        for span in forms.SPAN.finditer(sentence)
        if forms.looks_like_command(span[0][1:-1].strip())
        and not forms.MESSAGE_BEFORE.search(sentence[max(0, span.start() - 80) : span.start()])
    ]


def _after_command(rest: str) -> str:
    """Return what a sentence says after a command as a sentence about what it shows."""
    joined = rest.startswith((",", ";", " and "))
    words = rest.strip(" ,:;.").removeprefix("and ").strip()
    if len(words.split()) < 3:
        return ""
    return f"{words[0].upper() + words[1:] if joined else 'It ' + words}."


def _with_context(parts: Parts, text: str) -> str:
    """Put the sentence that a pronoun points back to beside the text."""
    if parts.previous and text.startswith(_POINTS_BACK):
        return f"{parts.previous} {text}"
    if parts.previous and forms.PRONOUN.match(text):
        return f"{text} ({parts.previous.rstrip('.')}.)"
    return text
