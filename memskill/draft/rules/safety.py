"""Rules on text that acts: on the shell, on the agent, on the reviewer's eyes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memskill.draft.hostile import (
    HTML,
    INJECTION,
    INLINE_SHELL,
    INVISIBLE,
    PIPE_TO_SHELL,
    SUBSTITUTION,
    without_spans,
)
from memskill.draft.rules.base import Document, Fault, Rule
from memskill.sources.redact import redact
from memskill.sources.safety import printable

_GRANTS = ("allowed-tools", "hooks")
# Every command, or every tool.
_WIDE_GRANT = re.compile(r"(?:^|[\s,\[\"'-])(?:Bash(?:\(\s*\*?(?::\*)?\s*\))?|\*)(?=$|[\s,\]\"'])")


def _inline_shell(document: Document) -> Iterator[Fault]:
    for number, line in document.body_lines:
        if INLINE_SHELL.search(line):
            yield Fault(f"runs when the skill is loaded: {printable(line, 60)}", number)


def _substitution(document: Document) -> Iterator[Fault]:
    for number, line in document.body_lines:
        if found := SUBSTITUTION.search(line):
            yield Fault(f"{found[0]} is replaced when the skill is loaded", number)


def _html(document: Document) -> Iterator[Fault]:
    for number, line in document.prose_lines:
        if HTML.search(without_spans(line)):
            yield Fault(f"raw HTML outside of code: {printable(line, 60)}", number)


def _invisible(document: Document) -> Iterator[Fault]:
    for number, line in document.body_lines:
        if found := INVISIBLE.search(line.rstrip("\r")):
            yield Fault(f"the invisible character U+{ord(found[0]):04X}", number)


def _injection(document: Document) -> Iterator[Fault]:
    yield from _lines_with(INJECTION, document, "speaks to the model, not about the work")


def _pipe_to_shell(document: Document) -> Iterator[Fault]:
    yield from _lines_with(PIPE_TO_SHELL, document, "runs what it fetches")


def _lines_with(pattern: re.Pattern[str], document: Document, what: str) -> Iterator[Fault]:
    for number, line in enumerate(document.lines, 1):
        if found := pattern.search(line):
            yield Fault(f"{what}: {printable(found[0], 60)}", number)


def _secrets(document: Document) -> Iterator[Fault]:
    for kind, count in redact(document.text).counts.items():
        # Entropy alone also finds sample data; the shaped kinds are what keys look like.
        if kind != "high-entropy":
            yield Fault(f"{count} of what looks like a secret of kind {kind}")


def _grants(document: Document) -> Iterator[Fault]:
    value = document.values.get("allowed-tools", "")
    texts = value if isinstance(value, list) else [value]
    for text in texts:
        if isinstance(text, str) and (found := _WIDE_GRANT.search(text)):
            granted = found[0].strip(" ,[\"'-")
            message = f"allowed-tools lets every use of {granted!r} pass unasked"
            yield Fault(message, document.line_of("allowed-tools"))
            return


RULES = (
    Rule(
        id="inline-shell",
        severity="warning",
        draft="error",
        hint="Part the ! from the backtick, unless it is meant to run at load.",
        check=_inline_shell,
    ),
    Rule(
        id="argument-substitution",
        severity="info",
        draft="error",
        hint="Name what is meant in words.",
        check=_substitution,
    ),
    Rule(
        id="raw-html",
        severity="info",
        draft="error",
        hint="Put it in backticks, or write Markdown.",
        check=_html,
    ),
    Rule(
        id="invisible-characters",
        severity="warning",
        draft="error",
        hint="Remove the character; it hides text from the person who reviews.",
        check=_invisible,
    ),
    Rule(
        id="injection-phrase",
        severity="warning",
        draft="error",
        hint="Remove the sentence, or say in a person's words what it is quoted for.",
        check=_injection,
    ),
    Rule(
        id="pipe-to-shell",
        severity="warning",
        draft="error",
        hint="Fetch to a file, look at it, then run it.",
        check=_pipe_to_shell,
    ),
    Rule(
        id="secret",
        severity="warning",
        draft="error",
        hint="Remove it and rotate the key; name the place where it is kept.",
        check=_secrets,
    ),
    Rule(
        id="wide-grant",
        severity="warning",
        draft="error",
        hint="Grant the one command that the skill needs, such as Bash(git status:*).",
        check=_grants,
    ),
)
