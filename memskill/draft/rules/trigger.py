"""Rules on the description as a trigger: does it say when, in words that users type?"""

from __future__ import annotations

import re
from collections.abc import Iterator

from memskill.draft.rules.base import Document, Fault, Rule

# In skills that people wrote, any way of saying when counts, in any language we met.
_ANY_WHEN = re.compile(
    r"\b(?:use|used|using|useful|usage|invoke|invoked|trigger\w*|activat\w+|apply|applies|load|"
    r"call|called|helps?|needed|required|ideal|suitable|perfect|designed|intended|meant|covers|"
    r"handles?|supports?)\b|\b(?:when|whenever|if|while|before|after|for|during)\b"
    r"|时|使用|当|用于|とき|場合|때|cuando|wenn|quando|quand|lorsque|bei\b|при\b|когда|если",
    re.I,
)
_USE_WHEN = re.compile(
    r"\b(?:use|invoke|apply|load|call)(?: this(?: skill)?| it)? "
    r"(?:when(?:ever)?|if|for|to|before|after|while|on)\b",
    re.I,
)
_FIRST_PERSON = re.compile(
    r"(?:(?<=[.!?:] )|^)(?:My|We|Our|Us|Let's)(?![\w/-])|(?<![\w'/-])"
    r"(?:me|my|we|we're|our|us|let's)(?![\w/-])|(?<![\w'/-])(?P<i>I|I'm|I'll|I've)(?![\w/.-])"
)
# "Annex I", "Class I": a numeral.
_NUMERAL = re.compile(r"[A-Z][A-Za-z]+ $")
_QUOTED = re.compile(
    r"\"[^\"]{0,400}\"|\u201c[^\u201d]{0,400}\u201d|\u2018[^\u2019]{0,400}\u2019|(?<!\w)'[^']{0,400}'(?!\w)|`[^`]{0,400}`"
)
# A claim to everything; "always use it for .uipx files" names its tasks and is none.
_GREEDY = re.compile(
    r"\balways (?:use|invoke|load|run|apply|activate|trigger)(?: this| it)?(?: skill)?(?: first)?"
    r"(?=\s*(?:[.!;,]|$))|\b(?:use|invoke|load|run|apply|check) (?:this |it )?(?:skill )?"
    r"(?:always\b|for (?:everything|all tasks|any task|every task)(?=\s*(?:[.!;,)]|$)))|"
    r"\b(?:before|after) (?:any|every|each) (?:task|work|response|answer|action|conversation|"
    r"message|reply)\b|\b(?:on|for|in|at the start of) (?:every|each|any) (?:conversation|message|"
    r"session|prompt|turn)\b|\bwhen starting any (?:conversation|task)\b",
    re.I,
)
# Scripts without blanks between words: each character counts as one.
_WORD = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af]|[^\W\d_\u2e80-\u9fff\uac00-\ud7af]{2,}|\d+")
_EMPTY = frozenset(
    """a an and or the this that these those to of in on at for from with by as is are be it its
    use used using when whenever if how what which who why do does did skill helps help task tasks
    user users asks ask someone says say about case like handle handles guide guides not
    works through you your we our can need needs want wants""".split()
)
MIN_DESCRIPTION = 30


def _short(document: Document) -> Iterator[Fault]:
    text = document.field("description").strip()
    # A CJK character says about as much as three letters.
    weight = sum(3 if ord(c) > 0x2E80 else 1 for c in text)
    if text and weight < MIN_DESCRIPTION:
        yield Fault(
            f"the description has only {len(text)} characters", document.line_of("description")
        )


def _no_when(document: Document) -> Iterator[Fault]:
    text = f"{document.field('description')} {document.field('when_to_use')}"
    if not document.field("description").strip():
        return
    if document.is_draft:
        if not _USE_WHEN.search(document.field("description")):
            yield Fault('the description has no "Use when ..."', document.line_of("description"))
    elif not _ANY_WHEN.search(text):
        yield Fault("the description does not say when", document.line_of("description"))


def _restated(document: Document) -> Iterator[Fault]:
    """Say so where the description has nothing that the title or the name lacks."""
    description = _content(document.field("description"))
    title = next((line for _, line in document.prose_lines if line.startswith("# ")), "")
    known = _content(title) | _content(document.field("name").replace("-", " "))
    if description and known and len(description - known) < 2:
        yield Fault("the description only says the title again", document.line_of("description"))


def _content(text: str) -> frozenset[str]:
    words = {word.lower() for word in _WORD.findall(text)}
    return frozenset(_stem(word) for word in words - _EMPTY)


def _stem(word: str) -> str:
    for ending in ("ing", "ies", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)].removesuffix("y")
    return word.removesuffix("y")


def _voice(document: Document) -> Iterator[Fault]:
    bare = _QUOTED.sub("", document.field("description"))
    for found in _FIRST_PERSON.finditer(bare):
        if found["i"] and _NUMERAL.search(bare[: found.start()]):
            continue
        message = f"the description speaks in the first person: {found[0]!r}"
        yield Fault(message, document.line_of("description"))
        return


def _greedy(document: Document) -> Iterator[Fault]:
    for key in ("description", "when_to_use"):
        if found := _GREEDY.search(document.field(key)):
            yield Fault(f"{key} claims too much: {found[0]!r}", document.line_of(key))


RULES = (
    Rule(
        id="description-short",
        severity="warning",
        draft="error",
        hint="Say what it does, when to use it and in which words users ask for it.",
        check=_short,
    ),
    Rule(
        id="trigger-missing",
        severity="warning",
        draft="error",
        hint='Add "Use when ..." with the phrases that a user would type.',
        check=_no_when,
    ),
    Rule(
        id="title-restated",
        severity="warning",
        draft="error",
        hint="Say what it does, when, and in whose words; a title triggers nothing.",
        check=_restated,
    ),
    Rule(
        id="first-person",
        severity="warning",
        draft="error",
        hint="Write in the third person, outside of quoted phrases.",
        check=_voice,
    ),
    Rule(
        id="greedy-description",
        severity="warning",
        draft="error",
        hint="Name the tasks that it is for; a skill that always fits drowns the others.",
        check=_greedy,
    ),
)
