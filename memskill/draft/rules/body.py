"""Rules on the body: can an agent act on it, and does it stay within what is read?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import unquote

from memskill.draft.hostile import without_spans
from memskill.draft.rules.base import Document, Fault, Rule
from memskill.sources.safety import printable

MAX_LINES, MAX_TOKENS = 500, 5000
# English text has about four characters to a token; enough for a limit that is a guide.
_CHARS_A_TOKEN = 4
_STEP = re.compile(r"^\s{0,3}(?:\d{1,3}[.)]\s|#{2,4}\s*(?:step\s*)?\d)", re.I)
_CHECK = re.compile(
    r"\b(?:check|verif\w+|confirm|ensure|validat\w+|make sure|should (?:show|print|return|be)|"
    r"expect(?:ed)?|until|test)\b",
    re.I,
)
_LINK = re.compile(r"\]\(\s*<?([^()\s<>]{1,300})>?(?:\s+\"[^\"]{0,200}\")?\s*\)")


def _empty(document: Document) -> Iterator[Fault]:
    if not document.parts.body.strip():
        yield Fault("the body is empty", document.parts.body_line)


def _long(document: Document) -> Iterator[Fault]:
    count = len(document.parts.body.rstrip("\n").split("\n"))
    tokens = len(document.parts.body) // _CHARS_A_TOKEN
    if count >= MAX_LINES:
        yield Fault(f"the body has {count} lines, {MAX_LINES} is the limit")
    elif tokens > MAX_TOKENS:
        yield Fault(f"the body has about {tokens} tokens, {MAX_TOKENS} is the limit")


def _heading(document: Document) -> Iterator[Fault]:
    first = next(((n, line) for n, line in document.body_lines if line.strip()), None)
    if first and not re.match(r"\s{0,3}(?:#|<!--|<h\d|=|-)", first[1]):
        after = next((line for n, line in document.body_lines if n == first[0] + 1), "")
        if not re.match(r"\s{0,3}(?:={2,}|-{2,})\s*$", after):
            yield Fault("the body does not start with a heading", first[0])


def _unclosed(document: Document) -> Iterator[Fault]:
    marks = [row for row in document.rows if row.kind == "fence"]
    if len(marks) % 2:
        yield Fault("a code block is opened and never closed", marks[-1].number)


def _no_steps(document: Document) -> Iterator[Fault]:
    if document.parts.body.strip() and not any(_STEP.match(x) for _, x in document.prose_lines):
        yield Fault("the body has no numbered steps")


def _no_check(document: Document) -> Iterator[Fault]:
    if document.parts.body.strip() and not _CHECK.search(document.parts.body):
        yield Fault("the body never says how to see that a step worked")


def _links(document: Document) -> Iterator[Fault]:
    if document.path is None:
        return
    for number, line in document.prose_lines:
        for found in _LINK.finditer(without_spans(line)):
            target = unquote(found[1].split("#", 1)[0].split("?", 1)[0])
            if (
                not target
                or "://" in found[1]
                or target.startswith(("/", "mailto:", "#", "$", "{"))
            ):
                continue
            if not _exists(document, target):
                yield Fault(f"the link leads nowhere: {printable(found[1], 80)}", number)


def _exists(document: Document, target: str) -> bool:
    try:
        return document.path is not None and (document.path.parent / target).exists()
    except (OSError, ValueError):
        return False


def _todo(document: Document) -> Iterator[Fault]:
    for number, line in document.body_lines:
        if "TODO(human)" in line:
            yield Fault(f"left for a person: {printable(line.strip(' -'), 100)}", number)


RULES = (
    Rule(
        id="body-empty",
        severity="error",
        hint="Write what to do; the description alone teaches nothing.",
        check=_empty,
    ),
    Rule(
        id="body-long",
        severity="warning",
        draft="error",
        hint="Move detail to files in references/ and say when to read each.",
        check=_long,
    ),
    Rule(
        id="heading-missing",
        severity="info",
        draft="error",
        hint="Start with `# ` and what the skill does.",
        check=_heading,
    ),
    Rule(
        id="fence-unclosed",
        severity="warning",
        draft="error",
        hint="Close the code block with as many marks as opened it.",
        check=_unclosed,
    ),
    Rule(
        id="steps-missing",
        severity="info",
        draft="error",
        hint="Number what is to be done, in order.",
        check=_no_steps,
    ),
    Rule(
        id="check-missing",
        severity="info",
        hint="After a step, say what shows that it worked, and what to do if not.",
        check=_no_check,
    ),
    Rule(
        id="link-broken",
        severity="warning",
        draft="error",
        hint="Add the file, or remove the link.",
        check=_links,
    ),
    Rule(
        id="todo-left",
        severity="info",
        hint="Fill it in before the skill is promoted.",
        check=_todo,
    ),
)
