"""Rules that hold a draft to its note: what can be run, opened or fetched must stand there."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from memskill.draft.facts import Facts, facts_of, occurs
from memskill.draft.rules.base import Document, Fault, Rule
from memskill.sources.safety import printable

_TODO = "TODO(human)"


def _ungrounded(
    pick: Callable[[Facts], tuple[str, ...]], what: str
) -> Callable[[Document], Iterator[Fault]]:
    def check(document: Document) -> Iterator[Fault]:
        note = document.note_text
        if note is None:
            return
        marked = _marked_lines(document)
        for fact, line in _facts_with_lines(document, pick):
            if line not in marked and not occurs(fact, note):
                yield Fault(f"the {what} is not in the note: {printable(fact, 100)}", line)

    return check


def _facts_with_lines(
    document: Document, pick: Callable[[Facts], tuple[str, ...]]
) -> Iterator[tuple[str, int]]:
    for row in document.rows:
        if row.kind != "fence":
            for fact in pick(facts_of(row.text, code=row.kind == "code")):
                yield fact, row.number


def _marked_lines(document: Document) -> frozenset[int]:
    """Return the lines that a TODO(human) covers: its own, and the code block right below."""
    marked: set[int] = set()
    covered = False
    for row in document.rows:
        if row.kind == "prose" and row.text.strip():
            covered = _TODO in row.text
        if covered or _TODO in row.text:
            marked.add(row.number)
    return frozenset(marked)


_HINT = "Use what the note says, or mark the line TODO(human) for the reviewer."

RULES = (
    Rule(
        id="ungrounded-command",
        severity="warning",
        draft="error",
        hint=_HINT,
        check=_ungrounded(lambda facts: facts.commands, "command"),
    ),
    Rule(
        id="ungrounded-path",
        severity="warning",
        draft="error",
        hint=_HINT,
        check=_ungrounded(lambda facts: facts.paths, "path"),
    ),
    Rule(
        id="ungrounded-url",
        severity="warning",
        draft="error",
        hint=_HINT,
        check=_ungrounded(lambda facts: facts.urls, "URL"),
    ),
    Rule(
        id="ungrounded-version",
        severity="warning",
        draft="error",
        hint=_HINT,
        check=_ungrounded(lambda facts: facts.versions, "version or figure"),
    ),
)
