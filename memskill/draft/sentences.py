"""What a sentence of a note is: a step, a check, a failure branch, a pitfall, or talk.

Plain rules over English sentences. They ask for form, not for meaning: a sentence that fits no
form stays `talk` and does not become a step.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from memskill.draft import forms
from memskill.draft.words import CHECK_VERBS, GERUND_TO_BASE, PAST_TO_BASE, VERBS

Role = Literal["step", "check", "failure", "pitfall", "talk"]


class Command(NamedTuple):
    """One thing to do, and what was seen after it (may be empty)."""

    do: str
    seen: str = ""


def split_sentences(text: str) -> list[str]:
    """Return the sentences of one paragraph; full stops inside code spans end none."""
    # Spans become words of equal length, so that positions stay true.
    masked = forms.SPAN.sub(lambda m: "`" + "x" * (len(m[0]) - 2) + "`", text)
    found: list[str] = []
    start = 0
    for end in forms.SENTENCE_END.finditer(masked):
        # Only the last few characters can be an abbreviation.
        if forms.ABBREVIATION.search(masked[max(start, end.end() - 20) : end.end()].rstrip()):
            continue
        found.append(text[start : end.end()].strip())
        start = end.end()
    found.append(text[start:].strip())
    return [sentence for sentence in found if sentence]


def bare(sentence: str) -> str:
    """Return the sentence without "Then,", "On Tuesday" and the like before it."""
    return forms.LEAD.sub("", sentence.strip(), count=1).strip()


def commands(sentence: str, *, subjectless: bool = False) -> list[Command]:
    """Return the sentence as commands, one a thing that was or is to be done; else none.

    "We drained w3, then restarted the consumer." -> "Drain w3.", "Restart the consumer."

    Args:
        sentence: One sentence of a note.
        subjectless: Also take "Stopped the job", as lists of steps have it.
    """
    plain = bare(sentence)
    prefix = forms.PREFIX.match(plain)
    rest = bare(plain[prefix.end() :]) if prefix else plain
    before = plain[: prefix.end()].rstrip(" ,") + ", " if prefix else ""
    if _is_command(rest):
        return [Command(_capital(before + (_lower(rest) if before else rest)))]
    for opening in (forms.MODAL, forms.FIX, forms.WORKED):
        if (found := opening.match(rest)) and _is_command(rest[found.end() :]):
            return [Command(_capital(before + rest[found.end() :]))]
    if found := forms.WORKED.match(rest):
        return _told(rest[found.end() :], GERUND_TO_BASE, before)
    if found := forms.PERSON.match(rest):
        return _told(rest[found.end() :], PAST_TO_BASE, before)
    return _told(rest, PAST_TO_BASE, before) if subjectless else []


def role(sentence: str) -> Role:
    """Return what one sentence is; see the module's docstring."""
    plain = bare(sentence)
    if forms.PITFALL.search(plain):
        return "pitfall"
    if forms.CONDITION.match(plain):
        return "failure"
    if (
        _first_word(plain) in CHECK_VERBS
        or forms.CHECK_PURPOSE.match(plain)
        or forms.CHECK.search(plain)
    ):
        return "check"
    return "step" if commands(sentence) else "talk"


def _is_command(text: str) -> bool:
    """Say whether the text starts with a verb of doing that is not the subject's noun."""
    first, _, after = text.partition(" ")
    if first.lower().strip(",:;.") not in VERBS or not after.strip():
        return False
    # "Restart loops are common": a noun phrase with its verb close behind.
    return not any(forms.NOUN_AFTER.match(word) for word in after.split()[:3])


def _told(text: str, forms_of: dict[str, str], before: str = "") -> list[Command]:
    """Return a told action as commands, cut where a further verb of the same form follows."""
    verb = _first_word(text)
    # What was tried is what did not work, unless it was tried again.
    if verb not in forms_of or (verb == "tried" and not text.startswith("tried again")):
        return []
    cut = next((m for m in forms.AND_VERB.finditer(text) if m["verb"].lower() in forms_of), None)
    head = text[: cut.start()] if cut else text
    head, seen = _part_result(head)
    command = _capital(before + forms_of[verb] + head[len(verb) :]).rstrip(" .,;:") + "."
    rest = _told(text[cut.start("verb") :], forms_of) if cut else []
    return [Command(command, seen), *rest]


def _part_result(text: str) -> tuple[str, str]:
    """Cut "ran X and got Y" into what was done and what was seen."""
    masked = forms.SPAN.sub(lambda m: "`" + "x" * (len(m[0]) - 2) + "`", text)
    if found := forms.AND_RESULT.search(masked):
        seen = text[found.end() :].rstrip(" .,;:")
        return text[: found.start()], _capital(seen) + "."
    return text, ""


def _first_word(text: str) -> str:
    return text.split(" ", 1)[0].lower().strip(",:;.") if text else ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]
