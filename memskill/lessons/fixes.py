"""What changed between a failure and the success that came after it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from typing import NamedTuple, cast

from memskill.lessons.command import Command, commands_of
from memskill.lessons.failures import names_of
from memskill.lessons.kinds import judges_work
from memskill.lessons.signature import symptom_of, without_names
from memskill.lessons.steps import asked_steps, edits, only_checks, related, steps_between
from memskill.sources.transcripts.calls import ToolCall
from memskill.sources.transcripts.protocol import Row

# Flags that only change how much a check tells, or how soon it stops.
_TELLS_MORE = re.compile(
    r"-v{1,3}|-[qsx]|--(?:verbose|quiet|silent|color|colour|no-color|trace|stacktrace|full-trace"
    r"|no-header|tb|reporter|bail|maxfail|durations|show-locals|stack-trace)(?:=.*)?"
)
# How tools say that they were called in a folder that is not theirs.
_ELSEWHERE = re.compile(
    r"no such file|enoent|not a git repository|not found|cannot find|could not (?:find|open|read)"
    r"|missing script|no rule to make|does not exist|no (?:configuration|pyproject|package\.json)",
    re.I,
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
    # Words that the command passed without.
    spared: tuple[str, ...] = ()


def command_fix(
    failed: Command, passed: Command, between: Sequence[ToolCall], call: ToolCall, after: ToolCall
) -> Fix | str | None:
    """Return what mended a shell command, the reason why nothing did, or None: another task.

    Args:
        failed: The command that failed.
        passed: One of the same tool and sub-command that passed.
        between: The calls between the two, in order.
        call: The call that failed; it gives the names that are the session's own.
        after: The call that passed.
    """
    names = names_of(call)
    files = edited_files(between)
    edited = bool(files) or any(map(edits_by_shell, between))
    if _unchanged(failed, passed):
        asked = asked_steps(between, call)
        every = asked or steps_between(between, failed.key)
        if files and not asked:
            every = [step for step in every if not step.startswith("git add")]
        steps = asked or related(every, failed, symptom_of(call.output))
        line = without_names(failed.line, names)[:_MAX_LINE]
        others = [step for step in steps if not edits(step)]
        if not every and not edited:
            return _moved(failed, call, [*between, after], names) or "flaky"
        if not others:
            # An edit alone is the daily round; of many steps none need have to do with it.
            return "work-in-progress" if edited else "unclear-fix"
        # What it asked for is the fix, whatever else was worked on meanwhile.
        told = _told(steps, [] if asked else files, line, names)
        return Fix(text=told, command="", edited=edited and not asked, steps=True)
    if not _same_task(failed, passed):
        return None
    if judges_work(failed) and only_checks(failed) and not only_checks(passed):
        return "work-in-progress"
    new = without_names(passed.line, names)
    old = without_names(failed.line, names)
    if len(new) + len(old) <= 2 * _MAX_LINE:
        text = f"Run `{new}` instead of `{old}`."
    else:
        text = without_names(_difference(failed, passed), names)
    if made := _made(steps_between(between, failed.key), failed, passed):
        step = without_names(made, names)[:_MAX_LINE]
        text = f"First run `{step}`; then {text[0].lower()}{text[1:]}"
    spared = tuple(word for word in failed.arguments if word not in passed.arguments)
    given = any(word not in failed.arguments for word in passed.arguments)
    return Fix(text=text, command=new[:_MAX_LINE], edited=edited, spared=() if given else spared)


def with_spared(fix: Fix, failed: Command, later: Sequence[ToolCall]) -> Fix:
    """Return a fix that left words out with the flag by which they were taken after all, if any."""
    if not fix.spared:
        return fix
    for call in later:
        if call.action != "shell" or call.failed:
            continue
        for command in commands_of(call.command)[1]:
            flags = [w for w in command.arguments if w.startswith("-")]
            new = flags and not set(flags) <= set(failed.arguments)
            if command.key == failed.key and new and set(fix.spared) <= set(command.arguments):
                name = " ".join(part for part in failed.key if part)
                words = " ".join((name, *flags, *fix.spared))[:_MAX_LINE]
                return replace(fix, text=f"{fix.text} What it left out, `{words}` takes.")
    return fix


def _unchanged(failed: Command, passed: Command) -> bool:
    """Tell whether two commands are one, but for how much a check of the work tells."""
    if failed.shape == passed.shape:
        return True
    if not judges_work(failed):
        return False
    old, new = ([w for w in c.shape if not _TELLS_MORE.fullmatch(w)] for c in (failed, passed))
    return old == new


def _made(steps: Sequence[str], failed: Command, passed: Command) -> str:
    """Return the step that made what only the new command names, such as its environment; or ""."""
    new = [word for word in passed.shape if word not in failed.shape]
    for step in reversed(steps):
        words = [word for word in step.split() if len(word) > 2 and not word.startswith("-")]
        if any(one == word or one.startswith(f"{word}/") for one in new for word in words[1:]):
            return step
    return ""


def _moved(
    failed: Command, call: ToolCall, later: Sequence[ToolCall], names: Sequence[str]
) -> Fix | None:
    """Return that a command ran in a wrong folder, where its output and a `cd` say so."""
    if not _ELSEWHERE.search(call.output[:4_000]):
        return None
    before = _folders([call])
    now = [folder for folder in _folders(later) if folder not in before]
    if not now or len(now[-1]) > _MAX_LINE // 2:
        return None
    line = without_names(f"cd {now[-1]} && {failed.line}", names)[:_MAX_LINE]
    old = without_names(failed.line, names)[:_MAX_LINE]
    return Fix(
        text=f"Run `{line}`: `{old}` does not work in every folder.", command=line, edited=False
    )


def _folders(calls: Sequence[ToolCall]) -> list[str]:
    """Return the folders that shell calls change into, in order."""
    every = (c for one in calls if one.action == "shell" for c in commands_of(one.command)[0])
    return [c.arguments[0] for c in every if c.tool in ("cd", "pushd") and c.arguments]


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


def edited_files(between: Sequence[ToolCall]) -> list[str]:
    """Return the names of the files that were edited on the way, each once."""
    targets = [c.target for c in between if c.action == "edit" and not c.failed and c.target]
    return list(dict.fromkeys(target.rsplit("/", 1)[-1] for target in targets))


def edits_by_shell(call: ToolCall) -> bool:
    """Tell whether a shell call that passed writes into files."""
    return call.action == "shell" and not call.failed and edits(call.command)


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
    change = _changed_arguments(failed.command, passed.command)
    if not change.related:
        return None
    if not reads and not change.names:
        others = [c for c in between if not c.failed and c.action in ("edit", "shell")]
        return "work-in-progress" if others else "flaky"
    if not reads and not change.telling:
        # The same wish in other words: what was wrong with the first ones, nobody can tell.
        return "other-arguments"
    parts: list[str] = []
    if reads:
        parts.append(f"call `{reads[-1].tool}` on the file")
    if change.names:
        words = ", ".join(f"`{name}`" for name in change.telling or change.names)
        other = "" if change.telling else "another "
        parts.append(f"call `{failed.tool}` with {other}{words}")
    elif reads:
        parts.append(f"call `{failed.tool}` as before")
    told = ", then ".join(parts)
    return Fix(text=f"{told[0].upper()}{told[1:]}.", command="", edited=False)


class _Change(NamedTuple):
    """How the arguments of two calls differ."""

    names: list[str]
    # Of these, what was added, or is no free text: `name` or `name=value`.
    telling: list[str]
    # Whether both calls want the same.
    related: bool


def _changed_arguments(before: str, after: str) -> _Change:
    try:
        old, new = json.loads(before or "{}"), json.loads(after or "{}")
    except ValueError:
        return _Change([], [], before == after)
    if not isinstance(old, dict) or not isinstance(new, dict):
        return _Change([], [], before == after)
    one, two = cast("dict[str, object]", old), cast("dict[str, object]", new)
    changed = sorted(key for key in {*one, *two} if one.get(key) != two.get(key))
    texts = [(str(one[key]), str(two[key])) for key in changed if key in one and key in two]
    alike = (SequenceMatcher(None, a, b).ratio() >= _LEAST_ALIKE for a, b in texts)
    telling = [_argument(key, two[key]) for key in changed if key in two and _tells(key, one, two)]
    return _Change(changed, telling, not texts or any(alike))


def _tells(key: str, one: Row, two: Row) -> bool:
    return key not in one or not isinstance(two[key], str)


def _argument(key: str, value: object) -> str:
    return f"{key}={json.dumps(value)}" if isinstance(value, bool) else key
