"""Failures that teach nothing about a tool, each with the reason under which it is counted."""

from __future__ import annotations

import re

from memskill.lessons.command import Command
from memskill.lessons.kinds import COMPARERS, SEARCHERS, looks_only
from memskill.sources.transcripts.calls import ToolCall

_MISSING = re.compile(
    r"no such file or directory|does not exist|file not found|cannot find (?:the )?(?:path|file)"
    r"|not a directory|is a directory|cannot access|os error 2\b|enoent|no matches found: "
    r"|did not match any",
    re.I,
)
# 128 + signal: interrupt, kill, terminate, broken pipe.
_SIGNALS = {130: "interrupted", 137: "killed", 143: "killed", 141: "pipe-closed"}
# Their status is what they were asked for.
_ASKING = frozenset(
    (
        *(("systemctl", f"is-{what}") for what in ("active", "enabled", "failed")),
        *(("systemctl", "status"), ("gh", "pr checks"), ("gh", "run watch"), ("gh", "run view")),
    )
)
_NOTHING = re.compile(r"nothing to commit|nothing added to commit")
_TIMED = re.compile(r"(?:^|[\s;&|(])g?timeout\s")


def excuse(call: ToolCall, command: Command | None) -> str | None:
    """Return why a failed call is no failure of its tool, or None where it is one.

    Args:
        call: A call that the harness reports as failed.
        command: The simple command that is blamed; None for a tool that is no shell.
    """
    if call.stopped:
        return call.stopped
    if command is None:
        missing = call.action == "read" and _MISSING.search(call.output[:2_000])
        return "missing-path" if missing else None
    code = call.exit_code
    if code == 124 and _TIMED.search(call.command):
        return "timeout"
    if code in _SIGNALS:
        return _SIGNALS[code]
    if code == 1 and _is_answer(call, command):
        return "empty-result"
    if command.key in _ASKING:
        return "empty-result"
    if command.key == ("git", "commit") and _NOTHING.search(call.output[-2_000:]):
        return "nothing-to-do"
    if looks_only(command) and _MISSING.search(call.output[-2_000:]):
        return "missing-path"
    return None


def _is_answer(call: ToolCall, command: Command) -> bool:
    """Tell whether exit 1 says "no": nothing found, files differ, a test that is false."""
    if command.tool in SEARCHERS or command.tool in COMPARERS:
        return True
    if command.tool == "git":
        asks = {"--quiet", "--exit-code", "-q"} & set(command.arguments)
        return command.subcommand == "grep" or (command.subcommand == "diff" and bool(asks))
    return looks_only(command) and not call.output.strip()


def is_wrong_path(symptom: str, before: tuple[str, ...], after: tuple[str, ...]) -> bool:
    """Tell whether a fix only names another path than the one that was not there."""
    if not _MISSING.search(symptom):
        return False
    swapped = set(before) ^ set(after)
    return bool(swapped) and all("/" in word or "." in word for word in swapped)
