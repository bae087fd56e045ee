"""Gemini CLI: one JSON document, or (newer) one JSON a line; a message carries its tool calls.

Of the lines, the first is the session's head, and a message stands there again, whole, each time
that it has changed: its text and each of its calls count once. `$set` changes the head, and
`$rewindTo` takes messages out of the conversation, but what they say has happened.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import cast

from memskill.sources.transcripts.events import Action, Event, Span, Stop
from memskill.sources.transcripts.injected import injected_row, strip_injected
from memskill.sources.transcripts.protocol import Container, Dropped, Row, State
from memskill.sources.transcripts.values import (
    arguments_json,
    blocks_text,
    child,
    moment,
    plain,
    remembered,
    rows,
    said,
    target_of,
    text,
)

_ACTIONS: dict[str, Action] = {
    "run_shell_command": "shell",
    "replace": "edit",
    "write_file": "edit",
    "read_file": "read",
    "read_many_files": "read",
    "list_directory": "read",
    "glob": "read",
    "search_file_content": "read",
}
# The harness reports a command field by field, its code behind the output.
_EXIT = re.compile(
    r"^Exit Code: (-?\d{1,5})[ \t]*"
    r"(?:\n(?:Signal|Background PIDs|Process Group PGID): [^\n]*)*\s*\Z",
    re.M,
)
_FIELD = re.compile(
    r"^(?:Output|Stdout|Stderr|Error): (.*?)(?=^(?:Stdout|Stderr|Error|Exit Code|Signal|Background"
    r" PIDs|Process Group PGID): |\Z)",
    re.M | re.S,
)
_NONE = ("(empty)", "(none)")
_STOPS: tuple[tuple[str, Stop], ...] = (
    ("Command was cancelled by user", "interrupted"),
    ("Command was automatically cancelled because it exceeded the timeout", "timeout"),
)
_TYPES = frozenset(("user", "gemini", "info", "error", "warning"))
# Of a call that has not ended; the message stands in the file again when it has.
_UNFINISHED = frozenset(("validating", "scheduled", "awaiting_approval", "executing"))
# Messages and calls that are remembered as taken: only the newest few ever stand there again.
_MOST_TAKEN = 400


class Gemini:
    """Sessions of `~/.gemini/tmp/<hash of the root>/chats/session-*.json`."""

    name = "gemini"
    container: Container = "document"
    array = ("messages",)

    def sniff(self, head: Row) -> bool:
        """Tell by the document's keys."""
        return "sessionId" in head and ("messages" in head or "projectHash" in head)

    def skip(self, raw: bytes) -> str | None:
        """Leave nothing unread."""
        return None

    def events(self, row: Row, span: Span, state: State) -> Iterator[Event | Dropped]:
        """Yield what one message says, with the calls in it."""
        yield from _message(row, span, state)


class GeminiLines:
    """Sessions of `~/.gemini/tmp/<project>/chats/session-*.jsonl`, and their subagents."""

    name = "gemini-jsonl"
    container: Container = "lines"
    array = ()

    def sniff(self, head: Row) -> bool:
        """Tell by the session's head, a change of it, or a message."""
        if "$set" in head or "$rewindTo" in head:
            return True
        if "type" in head:
            return head["type"] in _TYPES and {"id", "timestamp", "content"} <= head.keys()
        # With messages in it, it is the document that older versions write.
        return {"sessionId", "projectHash"} <= head.keys() and not head.get("messages")

    def skip(self, raw: bytes) -> str | None:
        """Leave nothing unread."""
        return None

    def events(self, row: Row, span: Span, state: State) -> Iterator[Event | Dropped]:
        """Yield what one row says for the first time."""
        if "$rewindTo" in row:
            yield Dropped("rewind")
        elif "$set" in row:
            changed = child(row, "$set")
            _head(changed, state)
            # The history as the model sees it: masked, summed up, and told before.
            yield Dropped("checkpoint" if changed.get("messages") else "session-head")
        elif "type" in row:
            yield from _message(row, span, state)
        else:
            _head(row, state)
            yield Dropped("session-head" if "sessionId" in row else "other-row")
            for message in rows(row, "messages"):
                yield from _message(message, span, state)


def _head(row: Row, state: State) -> None:
    """Take what the session's head says about all of its messages."""
    for key in ("sessionId", "projectHash"):
        state[key] = text(row, key) or said(state, key)
    folders = row.get("directories")
    if isinstance(folders, list) and folders and not said(state, "cwd"):
        state["cwd"] = str(cast("list[object]", folders)[0])


def _message(row: Row, span: Span, state: State) -> Iterator[Event | Dropped]:
    kind = text(row, "type")
    session = said(state, "sessionId") or said(state, "session")
    # Mostly the root's path is kept as a hash only.
    hashed = f"gemini-{said(state, 'projectHash')[:8]}" if said(state, "projectHash") else ""
    base = Event(
        kind="user" if kind == "user" else "assistant", session=session, span=span,
        at=moment(row.get("timestamp")), cwd=said(state, "cwd") or hashed,
    )  # fmt: skip
    if kind not in ("user", "gemini"):
        yield Dropped(kind or "other-row")
        return
    spoken, reasons = strip_injected(_parts_text(row.get("content")))
    # Not for secrecy: it only tells whether a message stands there again as it was.
    mark = f"{zlib.crc32(spoken.encode('utf-8', 'replace')):08x}"
    if not _is_new(state, "shown", text(row, "id"), mark):
        yield Dropped("told-again")
    else:
        yield from map(Dropped, reasons)
        if kind == "user" and (reason := injected_row(spoken)):
            yield Dropped(reason)
        elif spoken.strip():
            yield Event(
                kind=base.kind, session=session, span=span, at=base.at, cwd=base.cwd, text=spoken
            )
        elif not reasons and not row.get("toolCalls"):
            # Results stand with their calls, and for the model in a user's row once more.
            yield Dropped("tool-answer" if kind == "user" else "empty")
    for call in rows(row, "toolCalls"):
        if text(call, "status") in _UNFINISHED:
            yield Dropped("call-unfinished")
        elif _is_new(state, "ended", text(call, "id"), "1"):
            yield from _call(base, call)


def _is_new(state: State, key: str, name: str, mark: str) -> bool:
    """Tell whether a thing was not taken yet as it is now, and remember it."""
    if not name:
        return True
    taken = remembered(state, key)
    new = taken.pop(name, None) != mark
    taken[name] = mark
    if len(taken) > _MOST_TAKEN:
        del taken[next(iter(taken))]
    return new


def _parts_text(content: object) -> str:
    """Return the text of a content: a text, a part, or a list of them."""
    return text(cast("Row", content), "text") if isinstance(content, dict) else blocks_text(content)


def _call(base: Event, call: Row) -> Iterator[Event]:
    arguments, tool = child(call, "args"), text(call, "name")
    action = _ACTIONS.get(tool, "other")
    at = moment(call.get("timestamp")) or base.at
    yield Event(
        kind="call", session=base.session, span=base.span, at=at, cwd=base.cwd, tool=tool,
        call_id=text(call, "id"), action=action, target=target_of(arguments),
        command=text(arguments, "command") if action == "shell" else arguments_json(arguments),
    )  # fmt: skip
    given, error = _given(call)
    code = _EXIT.search(given) if action == "shell" else None
    status = text(call, "status")
    stopped: Stop = "refused" if status == "cancelled" else ""
    if action == "shell":
        stopped = _stop(given) or stopped
        given = _fields(given)
    yield Event(
        kind="result", session=base.session, span=base.span, at=at, cwd=base.cwd,
        call_id=text(call, "id"), text=strip_injected(plain(given))[0], stopped=stopped,
        exit_code=int(code[1]) if code else None,
        failed=bool(code and int(code[1])) or error or status in ("error", "cancelled"),
    )  # fmt: skip


def _stop(given: str) -> Stop:
    for head, stop in _STOPS:
        if given.startswith(head):
            return stop
    return ""


def _given(call: Row) -> tuple[str, bool]:
    """Return what the tool gave back, and whether it is an error."""
    parts: list[str] = []
    error = False
    result = call.get("result")
    if isinstance(result, str):
        return result, False
    for part in rows({"result": [result] if isinstance(result, dict) else result}, "result"):
        answer = child(child(part, "functionResponse"), "response")
        error = error or bool(text(answer, "error"))
        parts += [text(answer, "output"), text(answer, "error"), text(part, "text")]
    return "\n".join(part for part in parts if part) or text(call, "resultDisplay"), error


def _fields(given: str) -> str:
    """Return the output and the error text of a command's report."""
    found = [part.strip() for part in _FIELD.findall(given)]
    return "\n".join(part for part in found if part not in _NONE) if found else given
