"""The one record that every transcript format is read into, and what a file gives beside it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

Kind = Literal["user", "assistant", "call", "result"]
# What a call does to the world: `read` changes nothing, `other` is unknown.
Action = Literal["shell", "edit", "read", "other"]
# Why a result says nothing about the command: it did not run to its own end.
Stop = Literal["", "refused", "interrupted", "cancelled", "timeout", "running"]


class Span(NamedTuple):
    """Where an event stands: the file, the 1-based lines and the bytes of that row or item."""

    path: str
    line: int
    start: int
    # Behind the last byte.
    end: int
    # The line that it ends in; only items of a document have several.
    last: int


class Event(NamedTuple):
    """One thing that was said, called or answered in a session.

    A `call` carries `tool`, `action`, `call_id`, and `command` for a shell; its `result` carries
    the same `call_id` and the outcome. What a format does not record stays empty or None.
    A tuple, for millions of them are made: a frozen dataclass takes four times as long.
    """

    kind: Kind
    session: str
    span: Span
    # A subagent's id; empty for the main thread.
    agent: str = ""
    # UTC, ISO 8601; empty where the format has no times.
    at: str = ""
    cwd: str = ""
    branch: str = ""
    # What was said; of a result, what the tool gave back.
    text: str = ""
    call_id: str = ""
    tool: str = ""
    action: Action = "other"
    # What the shell was told; of another tool, its arguments as canonical JSON.
    command: str = ""
    # The file that a tool works on.
    target: str = ""
    exit_code: int | None = None
    # The harness says so: a non-zero exit or its own error flag, never a word in the output.
    failed: bool = False
    stopped: Stop = ""


@dataclass(slots=True)
class FileCounts:
    """What was found in one file. `dropped` says why rows are no events; all are counts."""

    rows: int = 0
    events: int = 0
    commands: int = 0
    failures: int = 0
    dropped: Counter[str] = field(default_factory=Counter[str])
    # Kind -> secrets that were replaced; never their values.
    redactions: Counter[str] = field(default_factory=Counter[str])
