"""The commands between a failure and its success, and which of them can have mended it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from memskill.lessons.command import Command, commands_of
from memskill.lessons.kinds import STAGE, judges_work, looks_only
from memskill.sources.transcripts.calls import ToolCall

# So few commands on the way are the fix, whatever they are; of more, those that have to do with it.
MOST_UNRELATED = 2
# Shorter words ("add", "run") stand in many commands.
_LEAST_WORD = 4
_WORD = re.compile(rf"[A-Za-z0-9_]{{{_LEAST_WORD},60}}")
# Shell lines that change files as an edit tool does, without saying which.
_SHELL_EDIT = re.compile(
    r"\bsed\s+(?:-\w+\s+){0,4}-i|\bperl\s+-\w{0,4}i|\bpatch\s|\bgit (?:apply|checkout|restore|stash"
    r"|revert|cherry-pick)\b|\b(?:cat|echo|printf)\b[^|;&\n]{0,200}>{1,2}\s*(?!/dev/)[\w.~/$\"']"
    r"|\btee\s|\b(?:python3?|node|ruby)\s+-?\s*<<"
)
_WRITES = frozenset(("--fix", "--write", "-w", "-i", "--in-place", "--fix-all", "--apply"))


def edits(text: str) -> bool:
    """Tell whether a shell line writes into files as an edit tool does."""
    return _SHELL_EDIT.search(text) is not None


def steps_between(between: Sequence[ToolCall], key: tuple[str, str]) -> list[str]:
    """Return the commands on the way that can have changed something, each once, in order.

    Args:
        between: The calls between the failure and its success.
        key: Tool and sub-command that failed: another try of the same is no step.
    """
    found: list[str] = []
    for call in between:
        if call.action != "shell" or call.failed:
            continue
        for command in commands_of(call.command)[0]:
            idle = command.tool in STAGE or looks_only(command) or only_checks(command)
            if not idle and command.key != key and command.line not in found:
                found.append(command.line)
    return found


def asked_steps(between: Sequence[ToolCall], failed: ToolCall) -> list[str]:
    """Return the commands on the way that the failure's own output told to run."""
    # One word, such as "make", stands in many outputs; quoted, it is told.
    return [
        step
        for step in steps_between(between, ("", ""))
        if step in failed.output
        and (" " in step or any(f"{q}{step}{q}" in failed.output for q in "`'\""))
    ]


def related(steps: list[str], failed: Command, symptom: str) -> list[str]:
    """Return the steps that have to do with a failure: same tool, or a word in common.

    Few steps are returned as they are, see `MOST_UNRELATED`.
    """
    if len(steps) <= MOST_UNRELATED:
        return steps
    told = {word.lower() for word in _WORD.findall(f"{symptom} {failed.line}")}
    return [
        step
        for step in steps
        if step.split(" ", 1)[0] == failed.tool
        or told & {word.lower() for word in _WORD.findall(step)}
    ]


def only_checks(command: Command) -> bool:
    """Tell whether a command judges the work and leaves it as it is: no formatter, no `--fix`."""
    formats = "format" in command.subcommand or command.subcommand == "fmt"
    checks = "--check" in command.shape or "--check-formatted" in command.shape
    if (formats and not checks) or _WRITES & set(command.shape):
        return False
    return judges_work(command)
