"""What became of a failure: its fix, or why it has none."""

from __future__ import annotations

from collections.abc import Sequence

from memskill.lessons.command import commands_of
from memskill.lessons.excuses import is_wrong_path
from memskill.lessons.failures import Failure, failure_of
from memskill.lessons.fixes import Fix, command_fix, tool_fix, with_spared
from memskill.lessons.kinds import judges_work
from memskill.lessons.signature import speaks_of_hook
from memskill.lessons.steps import asked_steps
from memskill.sources.transcripts.calls import ToolCall

# Calls of a thread that are looked at for a failure's fix.
WINDOW = 40
# Shell calls among them, other than reads and edits.
WINDOW_COMMANDS = 12
# Where a failure named its own fix, and that was done, the success may be this much further off.
ASKED = 10
# Calls that can matter behind a failure.
REACH = WINDOW * ASKED
_NEXT = "other-failure-next"


def outcome_of(
    thread: Sequence[ToolCall], at: int, start: int, failure: Failure
) -> tuple[Fix, ToolCall] | str | None:
    """Return the fix with its call, why there is none, "again", "flaky", or None: never mended.

    Args:
        thread: The calls of one thread, in order.
        at: The place of the failure.
        start: The place of the first of the equal failures that it ends.
        failure: The failure.
    """
    commands, reach = 0, 1
    for place in range(at + 1, min(at + 1 + REACH, len(thread))):
        call = thread[place]
        if place > at + WINDOW * reach:
            break
        if call.action == "shell" and failure.command:
            commands += 1
            if commands > WINDOW_COMMANDS * reach:
                break
            outcome = _met(thread[start:place], call, failure)
        elif not failure.command and call.tool == failure.tool:
            outcome = _met_tool(thread[start:place], call, failure)
        else:
            continue
        if outcome == _NEXT and (reach > 1 or asked_steps(thread[start:place], failure.call)):
            # What it asked for was done and helped: another check of the same command is red now.
            reach = ASKED
            continue
        if isinstance(outcome, Fix):
            if failure.command:
                later = thread[place : at + WINDOW]
                outcome = with_spared(outcome, failure.command, later)
            return outcome, call
        if outcome is not None:
            return outcome
    return _NEXT if reach > 1 else None


def _met(between: Sequence[ToolCall], call: ToolCall, failure: Failure) -> Fix | str | None:
    """Return what a later shell call says about a failure, or None: nothing."""
    command = failure.command
    if command is None:
        return None
    if call.failed:
        other = failure_of(call)
        if isinstance(other, str) or (other.tool, other.subcommand) != command.key:
            return None
        return "again" if other.lesson_id == failure.lesson_id else _NEXT
    # A status behind a pipe or a `;` says nothing: only commands that decide count as passed.
    passed = [c for c in commands_of(call.command)[1] if c.key == command.key]
    if not passed:
        return None
    fix = command_fix(command, passed[-1], between, failure.call, call)
    if not isinstance(fix, Fix):
        return fix
    if fix.command and is_wrong_path(failure.symptom, command.shape, passed[-1].shape):
        return "missing-path"
    # A hook judges the code under work as a test does: an edit alone is the daily round.
    hook = speaks_of_hook(failure.symptom) and not fix.steps
    if fix.edited and (judges_work(command) or hook):
        return "work-in-progress"
    return fix


def _met_tool(between: Sequence[ToolCall], call: ToolCall, failure: Failure) -> Fix | str | None:
    if not failure.call.target or call.target != failure.call.target:
        return None
    if call.failed:
        other = failure_of(call)
        if isinstance(other, str):
            return None
        return "again" if other.lesson_id == failure.lesson_id else _NEXT
    return tool_fix(failure.call, call, between)
