"""The two fields that are matched, made from a note: what it does, when, in whose words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memskill.draft import forms
from memskill.draft.bodies import Step
from memskill.draft.hostile import is_injection, plain_line
from memskill.draft.markdown import Block
from memskill.draft.sentences import bare, split_sentences
from memskill.draft.words import GERUND_TO_BASE, VERBS, third_person

MAX_DESCRIPTION = 1024
# Listings cut at 1,536; what is read by a person and a small encoder should be far below.
_MAX_PART = 400
# Stands for ' inside texts that are themselves put between '.
_APOSTROPHE = "\u2019"
_HOW = re.compile(
    r"^(?:how (?:to|do (?:we|i|you)|can (?:we|i|you)|should (?:we|i|you)|did (?:we|i))|"
    r"runbook|procedure|playbook|guide|notes?)\b[:,]?\s*(?:(?:for|to|on)\s+)?",
    re.I,
)
_FIRST_PERSON = re.compile(r"\b(?:i|we|my|our|us|me|you|your)\b", re.I)
_POINTS_BACK = re.compile(r"\b(?:it|this|that|there|they|them)\b", re.I)
# What opens like this does not go on after "when" as it stands.
_NO_CLAUSE = re.compile(r"^(?:since|after|before|on|in|at|around|during|for|with|to|from)\b", re.I)
_NOT_FOR = re.compile(
    r"^(?:not (?:for|meant for)|only for|(?:this|it) (?:does not apply|is not (?:meant )?for|"
    r"only applies))\b",
    re.I,
)
_LABEL = re.compile(r"^[^:`]{2,40}: (?=[a-z])")
_SHORT_END = re.compile(
    r"[,;:(]| with `| so that | because | until | as | in `| if | when | before | that | which |\. "
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What a note is about: its first heading, its query and its blocks."""

    title: str
    query: str
    blocks: tuple[Block, ...]

    def heading(self) -> str:
        """Return the title of the skill's body: the note's, else its query's first sentence."""
        text = self.title or next(iter(split_sentences(self.query)), "")
        return plain_line(text)[:120].strip().rstrip(".") or "Untitled"


def describe(subject: Subject, steps: tuple[Step, ...], symptoms: list[str]) -> tuple[str, str]:
    """Return `description` and `when_to_use`, each one line within its limit."""
    states, questions = _query_parts(subject.query)
    when = [_condition(state) for state in states]
    asks = list(questions)
    if not when and not asks:
        asks = [_decapital(subject.heading().rstrip("?."))]
    clauses = when + ([f"someone asks {_quoted(asks)}"] if asks else [])
    parts = [f"{_what(subject, steps)}.", f"Use when {' or when '.join(clauses)}."]
    parts += _limits(subject)[:1]
    description = _within(parts, MAX_DESCRIPTION)
    return description, _when_to_use(subject, symptoms)


def _what(subject: Subject, steps: tuple[Step, ...]) -> str:
    """Return what it does in the third person: the title's doing or topic, then the steps'."""
    heading = subject.heading()
    query = next(iter(split_sentences(plain_line(subject.query))), "")
    told = _told_title(plain_line(subject.title)) or _told_title(query)
    named = subject.title and not forms.CONDITION.match(heading)
    lead = told or (f"Handles {_decapital(heading)}" if named else _like(heading))
    short = [phrase for step in steps if (phrase := _short(step.do))][:3]
    if len(short) >= 2:
        listed = f"{', '.join(short[:-1])} and {short[-1]}"
        return f"{lead}: {listed}" if told or subject.title else listed[0].upper() + listed[1:]
    if told and len(_words(subject.query) - _words(heading)) > 2:
        return lead
    # Better the bare commands than only the title again.
    first_lines = (step.code.split("\n")[0] if step.code else step.do for step in steps[:2])
    heads = [_decapital(plain_line(line)[:80].rstrip(" .:;")) for line in first_lines]
    return f"{lead} ({'; '.join(heads)})"


def _like(heading: str) -> str:
    return f"Handles a case like '{_decapital(heading)}'"


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[a-z]{4,}", text.lower()))


def _told_title(title: str) -> str:
    """Return "Rotating keys", "How to rotate keys" or "Rotate keys" as "Rotates keys"."""
    rest = _HOW.sub("", title).rstrip("?.! ")
    first, _, after = rest.partition(" ")
    verb = GERUND_TO_BASE.get(first.lower(), first.lower())
    # A verb for its own sake: "Setting payments right", not "Fix" or "Search stuck".
    if is_injection(title):
        return ""
    known = verb in VERBS and (first.lower() in GERUND_TO_BASE or _HOW.match(title) is not None)
    if not known or not after or len(rest) > 160 or _FIRST_PERSON.search(rest):
        return ""
    return f"{third_person(verb).capitalize()} {after}"


def _short(do: str) -> str:
    """Return the bare doing of a step in the third person, or nothing where it is only code."""
    # "Double charges: switch the flag off" does what stands behind its label.
    do = _LABEL.sub("", do)
    prefix = forms.PREFIX.match(do)
    do = do[prefix.end() :] if prefix else do
    if do.startswith("Run `"):
        return ""
    cut = _SHORT_END.search(do)
    head = plain_line(do[: cut.start()] if cut else do).rstrip(" .")
    first, _, after = head.partition(" ")
    verb = first.lower()
    fits = 2 <= len(head.split()) <= 12 and len(head) <= 80
    if verb not in VERBS or not fits or forms.PRONOUN.match(head) or _FIRST_PERSON.search(head):
        return ""
    # "Build and look" has two verbs to turn.
    after = re.sub(
        r"\band (\w+)", lambda m: f"and {third_person(m[1])}" if m[1] in VERBS else m[0], after
    )
    return f"{third_person(verb)} {after}"


def _query_parts(query: str) -> tuple[list[str], list[str]]:
    """Return the query's statements and its questions, those that say something by themselves."""
    states: list[str] = []
    questions: list[str] = []
    for sentence in split_sentences(plain_line(query)):
        if len(sentence.split()) < 4 or is_injection(sentence):
            continue
        (questions if sentence.endswith("?") else states).append(sentence.rstrip(".?! "))
    if states:
        # "How is it rebuilt?" says nothing without the statement before it.
        questions = [q for q in questions if not _POINTS_BACK.search(q)]
    return states[:2], questions[:2]


def _condition(state: str) -> str:
    """Return a statement as what follows "when"."""
    clause = re.sub(r"^(?:if|when|whenever) ", "", bare(state), flags=re.I)
    if _FIRST_PERSON.search(clause) or _NO_CLAUSE.match(clause):
        return f"someone says {_quoted([clause])}"
    return _decapital(clause)


def _quoted(texts: list[str]) -> str:
    quoted = [f"'{_decapital(text).replace(chr(39), _APOSTROPHE)}'" for text in texts]
    return " or ".join(quoted)


def _decapital(text: str) -> str:
    """Return the text with a small first letter, unless its first word is a name or an acronym."""
    first = text.split(" ", 1)[0]
    if first == "I" or any(c.isupper() or c.isdigit() for c in first[1:]):
        return text
    return text[:1].lower() + text[1:]


def _limits(subject: Subject) -> list[str]:
    """Return the note's own sentences about what it is not for."""
    found = (
        sentence
        for block in subject.blocks
        if block.kind in ("paragraph", "item")
        for sentence in split_sentences(block.text)
        if _NOT_FOR.search(sentence) and len(sentence) <= _MAX_PART
    )
    return [plain_line(sentence).rstrip(".") + "." for sentence in found]


def _when_to_use(subject: Subject, symptoms: list[str]) -> str:
    """Return the signs of the case: what its symptoms section says, and messages in quotes."""
    parts: list[str] = []
    signs = [plain_line(s).rstrip(".") for s in symptoms if 4 <= len(s.split()) <= 40]
    parts += [f"Signs: {s}." for s in signs[:1]] + [f"{s}." for s in signs[1:2]]
    if messages := _messages(subject):
        quoted = " or ".join(f"'{m}'" for m in messages[:3])
        parts.append(f"A log or a user shows {quoted}.")
    if not parts and subject.title:
        parts.append(f"Fits tasks about '{_decapital(subject.heading().rstrip('.?'))}'.")
    return _within(parts, MAX_DESCRIPTION // 2)


def _messages(subject: Subject) -> list[str]:
    """Return the messages that the note quotes, as somebody would paste them."""
    found: list[str] = []
    for block in subject.blocks:
        if block.kind not in ("paragraph", "item"):
            continue
        for span in forms.SPAN.finditer(block.text):
            text = plain_line(span[0])
            wordy = 2 <= len(text.split()) <= 12 and not forms.looks_like_command(span[0][1:-1])
            if wordy and forms.MESSAGE_BEFORE.search(
                block.text[max(0, span.start() - 80) : span.start()]
            ):
                found.append(text.replace("'", _APOSTROPHE))
    return list(dict.fromkeys(found))


def _within(parts: list[str], limit: int) -> str:
    """Join whole parts as long as they fit; the first is cut at a word if it must be."""
    text = ""
    for part in parts:
        longer = f"{text} {part}".strip()
        if len(longer) <= limit:
            text = longer
        elif not text:
            text = part[: limit - 1].rsplit(" ", 1)[0].rstrip(",;:") + "…"
    return text
