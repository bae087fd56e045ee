"""Which simple command of a line a failure belongs to."""

from __future__ import annotations

import re

from memskill.lessons.command import Command, commands_of
from memskill.lessons.kinds import STAGE, looks_only
from memskill.sources.transcripts.calls import ToolCall

_NAMED = re.compile(
    r"^(?:[\w./-]{0,60}(?:sh|bash|zsh): (?:line \d+: |\d+: |command not found: )?)?"
    r"([\w.+-]{1,40}): "
    r"|command not found: ([\w.+-]{1,40})",
    re.M,
)
# Phrases that only one tool prints, and what they say about the sub-command.
_VOICES: tuple[tuple[re.Pattern[str], str, str], ...] = (
    (re.compile(r"pre-commit|husky|commit-msg hook|commitlint|lint-staged", re.I), "git", "commit"),
    (re.compile(r"pre-push", re.I), "git", "push"),
    (re.compile(r"ignored by one of your \.gitignore", re.I), "git", "add"),
    (re.compile(r"nothing to commit|no changes added to commit", re.I), "git", "commit"),
    (re.compile(r"upstream branch|failed to push some refs|non-fast-forward", re.I), "git", "push"),
    (re.compile(r"^(?:fatal|error: pathspec|CONFLICT \()", re.M), "git", ""),
    (re.compile(r"^npm (?:err!|error)", re.I | re.M), "npm", ""),
    (re.compile(r"^Traceback \(most recent", re.M), "python", ""),
    (re.compile(r"^error(?:\[E\d+\])?: .*\n\s+-->|could not compile", re.M), "cargo", ""),
    (re.compile(r"^Error from server|The connection to the server", re.M), "kubectl", ""),
)


def blamed(call: ToolCall) -> Command | None:
    """Return the simple command that a failed line's status came from, or None for none at all.

    Among the commands that can decide the status: the one that the output names, else the one
    whose voice it is, else the last one; those that only set the stage come last.
    """
    every, candidates = commands_of(call.command)
    acting = [c for c in candidates if c.tool not in STAGE] or list(candidates)
    if not acting:
        return None
    output = call.output
    if "pre-commit" in output.lower() and call.exit_code is None:
        # A hook of the harness refused the whole line because of one of its commands.
        acting = [c for c in every if c.key == ("git", "commit")] or acting
    named = {name for found in _NAMED.findall(output[:4_000]) for name in found if name}
    if spoken := [c for c in acting if c.tool in named]:
        return spoken[-1]
    if stage := [c for c in candidates if c.tool in named and c.tool in STAGE]:
        return stage[-1]
    for voice, tool, subcommand in _VOICES:
        if voice.search(output) and (
            found := [c for c in acting if c.tool == tool and subcommand in ("", c.subcommand)]
        ):
            return found[-1]
    if "pipefail" in call.command:
        # Then a pipe's status is that of any of its commands, and what only shows hardly fails.
        acting = [c for c in acting if not looks_only(c)] or acting
    return acting[-1]
