"""What changed between a failure and the success that came after it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, cast

from memskill.lessons.command import Command, commands_of
from memskill.lessons.kinds import STAGE, judges_work, looks_only
from memskill.lessons.signature import without_names
from memskill.sources.transcripts.calls import ToolCall

# Shell lines that change files as an edit tool does, without saying which.
_SHELL_EDIT = re.compile(
    r"\bsed\s+(?:-\w+\s+){0,4}-i|\bperl\s+-\w{0,4}i|\bpatch\s|\bgit (?:apply|checkout|restore|stash"
    r"|revert|cherry-pick)\b|\b(?:cat|echo|printf)\b[^|;&\n]{0,200}>{1,2}\s*(?!/dev/)[\w.~/$\"']"
    r"|\btee\s|\b(?:python3?|node|ruby)\s+-?\s*<<"
)
_MAX_STEPS = 3
_MAX_LINE = 160
_MAX_WORDS = 4
# Two values of one argument that have less in common are two wishes, not one and its mending.
_LEAST_ALIKE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Fix:
    """What mended a failure, as one sentence and as its parts."""

    text: str
    # The command that passed; "" where it is the one that failed, or no shell.
    command: str
    # Whether files were edited on the way, also by the shell.
    edited: bool
    # Whether commands on the way that edit nothing can have mended it.
    steps: bool = False


def command_fix(
    failed: Command, passed: Command, between: Sequence[ToolCall], call: ToolCall
) -> Fix | Literal["flaky"] | None:
    """Return what mended a shell command, "flaky" for nothing at all, or None: another task.

    Args:
        failed: The command that failed.
        passed: One of the same tool and sub-command that passed.
        between: The calls between the two, in order.
        call: The call that failed; it gives the names that are the session's own.
    """
    names = (call.branch, call.branch.rsplit("/", 1)[-1])
    files = _edited(between)
    edited = bool(files) or any(map(edits_by_shell, between))
    steps = _telling(_steps(between, failed), [call, *between], staged=bool(files))
    if failed.shape == passed.shape:
        if not steps and not edited:
            return "flaky"
        line = without_names(failed.line, names)[:_MAX_LINE]
        told = _told(steps, files, line, names)
        others = [step for step in steps if not _SHELL_EDIT.search(step)]
        return Fix(text=told, command="", edited=edited, steps=bool(others))
    if not _same_task(failed, passed):
        return None
    new = without_names(passed.line, names)
    old = without_names(failed.line, names)
    if len(new) + len(old) <= 2 * _MAX_LINE:
        text = f"Run `{new}` instead of `{old}`."
    else:
        text = without_names(_difference(failed, passed), names)
    return Fix(text=text, command=new[:_MAX_LINE], edited=edited)


def _difference(failed: Command, passed: Command) -> str:
    """Return what a long command was given and spared, as one sentence."""
    spared = [word for word in failed.shape if word not in passed.shape][:_MAX_WORDS]
    given = [word for word in passed.shape if word not in failed.shape][:_MAX_WORDS]
    parts = [
        f"{verb} {', '.join(f'`{word}`' for word in words)}"
        for verb, words in (("leave out", spared), ("add", given))
        if words
    ]
    name = " ".join(part for part in failed.key if part)
    return f"In `{name} …`, {' and '.join(parts) or 'put the words in another order'}."


def _same_task(failed: Command, passed: Command) -> bool:
    """Tell whether two commands of one tool are after the same thing."""
    old, new = set(failed.arguments), set(passed.arguments)
    plain_old = {word for word in old if not word.startswith("-")}
    plain_new = {word for word in new if not word.startswith("-")}
    if judges_work(failed):
        # Another target is another question; only flags may differ.
        return plain_old == plain_new
    if plain_old <= plain_new or (plain_new and plain_new <= plain_old):
        return True
    return len(old & new) >= 0.5 * len(old | new)


def _steps(between: Sequence[ToolCall], failed: Command) -> list[str]:
    """Return the commands on the way that can have changed something, each once."""
    found: list[str] = []
    for call in between:
        if call.action != "shell" or call.failed:
            continue
        for command in commands_of(call.command)[0]:
            idle = command.tool in STAGE or looks_only(command) or _only_checks(command)
            if not idle and command.key != failed.key and command.line not in found:
                found.append(command.line)
    return found


def _telling(steps: list[str], calls: Sequence[ToolCall], *, staged: bool) -> list[str]:
    """Return the steps that the failures themselves ask for, else all but staging of edits."""
    outputs = "\n".join(call.output for call in calls if call.failed)
    if asked := [step for step in steps if step in outputs]:
        return asked
    return [step for step in steps if not (staged and step.startswith("git add"))]


def _only_checks(command: Command) -> bool:
    """Tell whether a command judges the work and leaves it as it is: no formatter, no `--fix`."""
    writes = {"--fix", "--write", "-w", "-i", "--in-place", "--fix-all", "--apply"}
    formats = "format" in command.subcommand or command.subcommand == "fmt"
    checks = "--check" in command.shape or "--check-formatted" in command.shape
    if (formats and not checks) or writes & set(command.shape):
        return False
    return judges_work(command)


def _edited(between: Sequence[ToolCall]) -> list[str]:
    """Return the names of the files that were edited on the way, each once."""
    targets = [c.target for c in between if c.action == "edit" and not c.failed and c.target]
    return list(dict.fromkeys(target.rsplit("/", 1)[-1] for target in targets))


def edits_by_shell(call: ToolCall) -> bool:
    """Tell whether a shell call that passed writes into files."""
    return call.action == "shell" and not call.failed and bool(_SHELL_EDIT.search(call.command))


def _told(steps: list[str], files: list[str], line: str, names: Sequence[str]) -> str:
    parts: list[str] = []
    if steps:
        last = [without_names(step, names)[:_MAX_LINE] for step in steps[-_MAX_STEPS:]]
        parts.append("run " + ", then ".join(f"`{step}`" for step in last))
    if files:
        shown = ", ".join(f"`{name}`" for name in files[:_MAX_STEPS])
        more = f" and {len(files) - _MAX_STEPS} more" if len(files) > _MAX_STEPS else ""
        parts.append(f"mend what it reports (there: {shown}{more})")
    told = " and ".join(parts) or "mend what it reports"
    return f"First {told}; then `{line}` passes."


def tool_fix(failed: ToolCall, passed: ToolCall, between: Sequence[ToolCall]) -> Fix | str | None:
    """Return what mended a call of a tool that is no shell, on the same file.

    A text is the reason why nothing did; None means that the later call was after something else.
    """
    target = failed.target
    reads = [c for c in between if c.action == "read" and c.target == target and not c.failed]
    changed, related = _changed_arguments(failed.command, passed.command)
    if not related:
        return None
    if not reads and not changed:
        others = [c for c in between if not c.failed and c.action in ("edit", "shell")]
        return "work-in-progress" if others else "flaky"
    parts: list[str] = []
    if reads:
        parts.append(f"call `{reads[-1].tool}` on the file")
    if changed:
        words = ", ".join(f"`{name}`" for name in changed)
        parts.append(f"call `{failed.tool}` with another {words}")
    elif reads:
        parts.append(f"call `{failed.tool}` as before")
    told = ", then ".join(parts)
    return Fix(text=f"{told[0].upper()}{told[1:]}.", command="", edited=False)


def _changed_arguments(before: str, after: str) -> tuple[list[str], bool]:
    """Return the names of the arguments that changed, and whether both calls want the same."""
    try:
        old, new = json.loads(before), json.loads(after)
    except ValueError:
        return [], before == after
    if not isinstance(old, dict) or not isinstance(new, dict):
        return [], before == after
    one, two = cast("dict[str, object]", old), cast("dict[str, object]", new)
    changed = sorted(key for key in {*one, *two} if one.get(key) != two.get(key))
    texts = [(str(one[key]), str(two[key])) for key in changed if key in one and key in two]
    alike = (SequenceMatcher(None, a, b).ratio() >= _LEAST_ALIKE for a, b in texts)
    return changed, not texts or any(alike)
