"""Codex CLI rollouts: one JSON a line, `{timestamp, type, payload}`.

Until September 2025 the payloads stood there bare, without times, behind a first row with the
session's id; the working folder is then told only to the model.

A long command answers with the id of its process; its exit code arrives in an
`exec_command_end` or in the output of a later `write_stdin`, so both are led back to the call.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from memskill.sources.transcripts.events import Action, Event, Span, Stop
from memskill.sources.transcripts.injected import injected_row, strip_injected
from memskill.sources.transcripts.protocol import Container, Dropped, Row, State
from memskill.sources.transcripts.values import (
    arguments_json,
    blocks_text,
    child,
    loaded,
    moment,
    plain,
    remembered,
    said,
    target_of,
    text,
    whole,
)

_TYPES = frozenset(("session_meta", "response_item", "event_msg", "turn_context", "compacted"))
# Payloads that older versions write as rows of their own.
_BARE = frozenset(
    ("message", "reasoning", "function_call", "function_call_output", "local_shell_call")
) | {"custom_tool_call", "custom_tool_call_output", "web_search_call", "ghost_snapshot"}
_SHELLS = frozenset(("exec_command", "shell", "shell_command", "local_shell", "container.exec"))
_CALLS = frozenset(("function_call", "custom_tool_call", "local_shell_call"))
_OUTPUTS = frozenset(("function_call_output", "custom_tool_call_output"))
_UNREAD = re.compile(
    rb'"payload"\s*:\s*\{\s*"type"\s*:\s*"(reasoning|token_count|agent_reasoning)"'
)
_EXITED = re.compile(r"^(?:Process exited with code|Exit code:) (-?\d{1,5})", re.M)
_RUNNING = re.compile(r"^Process running with session ID (\d+)", re.M)
_PATCHED = re.compile(r"^\*\*\* (?:Update|Add|Delete) File: (.+)$", re.M)
_FOLDER = re.compile(
    r"<cwd>([^<\n]{1,1000})</cwd>|^Current working directory: ([^\n]{1,1000})", re.M
)
# What an editor says of itself stands before it.
_REQUEST = "## My request for Codex:"
_TIMED_OUT = "command timed out after"
_HEAD = 600
_REFUSED = ("rejected by user", "exec command rejected", "aborted by user", "command rejected")


class Codex:
    """Sessions of `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`."""

    name = "codex"
    container: Container = "lines"
    array = ()

    def sniff(self, head: Row) -> bool:
        """Tell by a known type beside a payload, or by the shape of an older row."""
        if head.get("type") in _TYPES and isinstance(head.get("payload"), dict):
            return True
        if head.get("record_type") == "state":
            return True
        if "type" not in head:
            return {"id", "timestamp", "instructions"} <= head.keys()
        item = "call_id" in head or ("role" in head and isinstance(head.get("content"), list))
        return head["type"] in _BARE and item and "uuid" not in head

    def skip(self, raw: bytes) -> str | None:
        """Drop sealed reasoning and token counts unread."""
        found = _UNREAD.search(raw[:200])
        return found[1].decode() if found else None

    def events(self, row: Row, span: Span, state: State) -> Iterator[Event | Dropped]:
        """Yield what one rollout row says."""
        kind, payload = text(row, "type"), child(row, "payload")
        if not payload:
            kind, payload = _wrapped(row, kind)
        if kind in ("session_meta", "turn_context"):
            if kind == "session_meta":
                state["session"] = text(payload, "id") or said(state, "session")
                state["branch"] = text(child(payload, "git"), "branch")
                state["at"] = moment(payload.get("timestamp"))
            state["cwd"] = text(payload, "cwd") or said(state, "cwd")
            yield Dropped(kind)
            return
        base = Event(
            kind="assistant", session=said(state, "session"), span=span,
            # A bare row has no time of its own: then the session's counts.
            at=moment(row.get("timestamp")) or said(state, "at"),
            cwd=said(state, "cwd"), branch=said(state, "branch"),
        )  # fmt: skip
        inner = text(payload, "type")
        if kind == "event_msg":
            yield from _ended(base, payload, state)
        elif kind != "response_item":
            yield Dropped("compaction-summary" if kind == "compacted" else kind or "other-row")
        elif inner == "message":
            yield from _message(base, payload, state)
        elif inner in _CALLS:
            yield from _call(base, payload, state)
        elif inner in _OUTPUTS:
            yield from _output(base, payload, state)
        else:
            yield Dropped(inner or "other-row")


def _wrapped(row: Row, kind: str) -> tuple[str, Row]:
    """Return the type and the payload that an older, bare row would have today."""
    if kind in _BARE:
        return "response_item", row
    if not kind and "id" in row and "timestamp" in row:
        return "session_meta", row
    return kind or text(row, "record_type"), {}


def _message(base: Event, payload: Row, state: State) -> Iterator[Event | Dropped]:
    role = text(payload, "role")
    if role not in ("user", "assistant"):
        yield Dropped("instructions")
        return
    spoken, reasons = strip_injected(blocks_text(payload.get("content")))
    yield from map(Dropped, reasons)
    if role == "user":
        spoken = spoken.rpartition(_REQUEST)[2]
        if not base.cwd and (folder := _FOLDER.search(spoken)):
            state["cwd"] = (folder[1] or folder[2]).strip()
    if role == "user" and (reason := injected_row(spoken)):
        yield Dropped(reason)
    elif spoken.strip():
        kind = "user" if role == "user" else "assistant"
        yield Event(
            kind=kind, session=base.session, span=base.span, at=base.at, cwd=base.cwd,
            branch=base.branch, text=spoken,
        )  # fmt: skip


def _call(base: Event, payload: Row, state: State) -> Iterator[Event | Dropped]:
    tool, call_id = text(payload, "name") or "local_shell", text(payload, "call_id")
    arguments = loaded(payload.get("arguments")) or child(payload, "action")
    patch = text(payload, "input")
    if tool == "write_stdin":
        process = arguments.get("session_id")
        remembered(state, "polls")[call_id] = str(process)
        yield Dropped("poll-of-a-process")
        return
    action: Action = "shell" if tool in _SHELLS else "edit" if tool == "apply_patch" else "other"
    command = _shell_text(arguments)
    if action == "shell" and command.startswith("apply_patch"):
        action, patch = "edit", command
    found = _PATCHED.search(patch)
    yield Event(
        kind="call", session=base.session, span=base.span, at=base.at, call_id=call_id,
        cwd=text(arguments, "workdir") or base.cwd, branch=base.branch,
        tool="apply_patch" if action == "edit" else tool, action=action,
        command=command if action == "shell" else patch[:400] or arguments_json(arguments),
        target=found[1] if found else target_of(arguments),
    )  # fmt: skip


def _shell_text(arguments: Row) -> str:
    """Return the command as a shell reads it, out of `bash -lc` where that is around it."""
    command = arguments.get("cmd", arguments.get("command"))
    if isinstance(command, list):
        words = [str(word) for word in cast("list[object]", command)]
        wrapped = len(words) == 3 and words[1] in ("-lc", "-c")
        return words[2] if wrapped else " ".join(words)
    return command if isinstance(command, str) else ""


def _output(base: Event, payload: Row, state: State) -> Iterator[Event | Dropped]:
    call_id = text(payload, "call_id")
    raw = payload.get("output")
    flagged = child(payload, "output").get("success") is False
    given = raw if isinstance(raw, str) else blocks_text(raw)
    code: int | None = None
    if given.startswith("{"):
        answer = loaded(given)
        code = whole(child(answer, "metadata"), "exit_code")
        given = text(answer, "output") or given
    elif isinstance(raw, dict):
        given = text(cast("Row", raw), "content")
    process = remembered(state, "polls").pop(call_id, None)
    if process is not None:
        # What a poll reads belongs to the call that started the process.
        call_id = remembered(state, "processes").get(process, "")
        if not call_id:
            yield Dropped("poll-of-a-process")
            return
    head = given[:_HEAD]
    if running := _RUNNING.search(head):
        remembered(state, "processes")[running[1]] = call_id
    if exited := _EXITED.search(head):
        code = int(exited[1])
        if process is not None:
            remembered(state, "processes").pop(process, None)
    if process is not None and code is None:
        yield Dropped("poll-of-a-process")
        return
    yield _result(base, call_id, _after_head(given), code, running is not None, head, flagged)


def _ended(base: Event, payload: Row, state: State) -> Iterator[Event | Dropped]:
    """Take the exit code from an `exec_command_end`; other event rows repeat response items."""
    code, call_id = whole(payload, "exit_code"), text(payload, "call_id")
    if text(payload, "type") != "exec_command_end" or code is None or not call_id:
        yield Dropped("event-row")
        return
    processes = remembered(state, "processes")
    for process in [p for p, call in processes.items() if call == call_id]:
        del processes[process]
    given = text(payload, "aggregated_output") or text(payload, "stdout") + text(payload, "stderr")
    yield _result(base, call_id, given, code, False, "")


def _result(
    base: Event, call_id: str, given: str, code: int | None, running: bool, head: str,
    flagged: bool = False,
) -> Event:  # fmt: skip
    lower = head.lower()
    refused = code is None and any(phrase in lower for phrase in _REFUSED)
    stopped: Stop = "refused" if refused else "running" if running and code is None else ""
    if code == 124 and _TIMED_OUT in (lower or given[:_HEAD].lower()):
        # The time limit is one that the agent gave with the call.
        stopped = "timeout"
    return Event(
        kind="result", session=base.session, span=base.span, at=base.at, call_id=call_id,
        text=strip_injected(plain(given))[0], exit_code=code,
        failed=bool(code) or refused or flagged, stopped=stopped,
    )  # fmt: skip


def _after_head(given: str) -> str:
    """Return the output without the lines that the harness puts before it."""
    at = given.find("\nOutput:\n", 0, _HEAD)
    return given[at + len("\nOutput:\n") :] if at >= 0 else given
