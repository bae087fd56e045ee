"""A failed call as what it is known by, or the reason why it is no failure of its tool."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from memskill.lessons.blame import blamed
from memskill.lessons.command import Command
from memskill.lessons.excuses import excuse
from memskill.lessons.signature import first_line, signature_of, symptom_of, without_names
from memskill.sources.transcripts.calls import ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A failed call that stands for something, with what it is known by."""

    call: ToolCall
    # None for a tool that is no shell.
    command: Command | None
    tool: str
    subcommand: str
    symptom: str
    signature: str

    @property
    def lesson_id(self) -> str:
        """The identity of what it could teach: tool, sub-command, signature and scope."""
        parts = (self.tool, self.subcommand, self.signature, self.call.scope)
        return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()


def failure_of(call: ToolCall) -> Failure | str:
    """Return a failed call as a failure, or the reason why it is none."""
    command = blamed(call) if call.action == "shell" else None
    if call.action == "shell" and command is None:
        return "no-command"
    if reason := excuse(call, command):
        return reason
    # What is no shell says what is wrong at once; text of files may follow.
    symptom = symptom_of(call.output) if command else first_line(call.output)
    if not symptom:
        return "no-output"
    names = names_of(call)
    return Failure(
        call=call,
        command=command,
        tool=command.tool if command else call.tool,
        subcommand=command.subcommand if command else "",
        symptom=without_names(symptom, names),
        signature=signature_of(symptom, names),
    )


def names_of(call: ToolCall) -> tuple[str, ...]:
    """Return the names of the branch that a call was made on."""
    return (call.branch, call.branch.rsplit("/", 1)[-1])
