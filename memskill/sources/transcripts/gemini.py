"""Gemini CLI: one JSON document; each message carries its tool calls with their results."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memskill.sources.transcripts.events import Action, Event, Span, Stop
from memskill.sources.transcripts.injected import injected_row, strip_injected
from memskill.sources.transcripts.protocol import Container, Dropped, Row, State
from memskill.sources.transcripts.values import (
    arguments_json,
    blocks_text,
    child,
    moment,
    plain,
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
# The harness reports a command field by field.
_EXIT = re.compile(r"^Exit Code: (-?\d{1,5})\s*$", re.M)
_FIELD = re.compile(
    r"^(?:Output|Stdout|Stderr|Error): (.*?)(?=^(?:Stdout|Stderr|Error|Exit Code|Signal|Background"
    r" PIDs|Process Group PGID): |\Z)",
    re.M | re.S,
)
_NONE = ("(empty)", "(none)")


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
        kind = text(row, "type")
        session = said(state, "sessionId") or said(state, "session")
        base = Event(
            kind="user" if kind == "user" else "assistant", session=session, span=span,
            at=moment(row.get("timestamp")),
            # The root's path is kept as a hash only.
            cwd=f"gemini-{said(state, 'projectHash')[:8]}" if said(state, "projectHash") else "",
        )  # fmt: skip
        if kind not in ("user", "gemini"):
            yield Dropped(kind or "other-row")
            return
        spoken, reasons = strip_injected(blocks_text(row.get("content")))
        yield from map(Dropped, reasons)
        if kind == "user" and (reason := injected_row(spoken)):
            yield Dropped(reason)
        elif spoken.strip():
            yield Event(
                kind=base.kind, session=session, span=span, at=base.at, cwd=base.cwd, text=spoken
            )
        for call in rows(row, "toolCalls"):
            yield from _call(base, call)


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
        given = _fields(given)
    yield Event(
        kind="result", session=base.session, span=base.span, at=at, cwd=base.cwd,
        call_id=text(call, "id"), text=strip_injected(plain(given))[0], stopped=stopped,
        exit_code=int(code[1]) if code else None,
        failed=bool(code and int(code[1])) or error or status in ("error", "cancelled"),
    )  # fmt: skip


def _given(call: Row) -> tuple[str, bool]:
    """Return what the tool gave back, and whether it is an error."""
    parts: list[str] = []
    error = False
    for part in rows(call, "result"):
        answer = child(child(part, "functionResponse"), "response")
        error = error or bool(text(answer, "error"))
        parts += [text(answer, "output"), text(answer, "error"), text(part, "text")]
    return "\n".join(part for part in parts if part) or text(call, "resultDisplay"), error


def _fields(given: str) -> str:
    """Return the output and the error text of a command's report."""
    found = [part.strip() for part in _FIELD.findall(given)]
    return "\n".join(part for part in found if part not in _NONE) if found else given
