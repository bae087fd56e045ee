"""pi: one JSON a line; `message` rows with the roles user, assistant, toolResult, bashExecution."""

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
    whole,
)

_ACTIONS: dict[str, Action] = {
    "bash": "shell",
    "edit": "edit",
    "write": "edit",
    "read": "read",
    "grep": "read",
    "find": "read",
    "ls": "read",
}
_ROLES = frozenset(("user", "assistant", "toolResult", "bashExecution"))
# The harness's own last line of a failed command.
_ENDED = re.compile(
    r"\s*Command (?:exited with code (\d{1,5})|(aborted)|(timed out)[^\n]{0,60})\s*\Z"
)


class Pi:
    """Sessions of `~/.pi/agent/sessions/<folder>/<time>_<id>.jsonl`."""

    name = "pi"
    container: Container = "lines"
    array = ()

    def sniff(self, head: Row) -> bool:
        """Tell by the session row, or by a message row without Claude Code's ids."""
        if head.get("type") == "session":
            return "cwd" in head and "id" in head
        role = text(child(head, "message"), "role")
        return head.get("type") == "message" and role in _ROLES and "uuid" not in head

    def skip(self, raw: bytes) -> str | None:
        """Leave nothing unread: rows are few and small."""
        return None

    def events(self, row: Row, span: Span, state: State) -> Iterator[Event | Dropped]:
        """Yield what one row says."""
        kind = text(row, "type")
        if kind == "session":
            state["session"] = text(row, "id")
            state["cwd"] = text(row, "cwd")
        if kind != "message":
            yield Dropped("compaction-summary" if "compact" in kind else kind or "other-row")
            return
        message = child(row, "message")
        role = text(message, "role")
        base = Event(
            kind="user" if role == "user" else "assistant", session=said(state, "session"),
            span=span, cwd=said(state, "cwd"),
            at=moment(row.get("timestamp")) or moment(message.get("timestamp")),
        )  # fmt: skip
        if role == "toolResult":
            yield from _result(base, message)
        elif role == "bashExecution":
            yield from _person_ran(base, message, text(row, "id"))
        elif role == "user":
            yield from _spoken(base, blocks_text(message.get("content")))
        elif role == "assistant":
            yield from _assistant(base, message)
        else:
            yield Dropped(role or "other-row")


def _assistant(base: Event, message: Row) -> Iterator[Event | Dropped]:
    if isinstance(message.get("content"), str):
        yield from _spoken(base, text(message, "content"))
    found = False
    for block in rows(message, "content"):
        found = True
        kind = text(block, "type")
        if kind == "text":
            yield from _spoken(base, text(block, "text"))
        elif kind == "toolCall":
            yield _call(base, block)
        else:
            yield Dropped(kind or "other-block")
    if not found:
        yield Dropped("empty")


def _spoken(base: Event, spoken: str) -> Iterator[Event | Dropped]:
    spoken, reasons = strip_injected(spoken)
    yield from map(Dropped, reasons)
    if base.kind == "user" and (reason := injected_row(spoken)):
        yield Dropped(reason)
    elif spoken.strip():
        yield Event(
            kind=base.kind, session=base.session, span=base.span, at=base.at, cwd=base.cwd,
            text=spoken,
        )  # fmt: skip


def _call(base: Event, block: Row) -> Event:
    arguments, tool = child(block, "arguments"), text(block, "name")
    action = _ACTIONS.get(tool, "other")
    return Event(
        kind="call", session=base.session, span=base.span, at=base.at, cwd=base.cwd,
        call_id=text(block, "id"), tool=tool, action=action, target=target_of(arguments),
        command=text(arguments, "command") if action == "shell" else arguments_json(arguments),
    )  # fmt: skip


def _result(base: Event, message: Row) -> Iterator[Event | Dropped]:
    given, reasons = strip_injected(plain(blocks_text(message.get("content"))))
    yield from map(Dropped, reasons)
    failed = message.get("isError") is True
    ended = _ENDED.search(given[-200:]) if failed else None
    stopped: Stop = ""
    code: int | None = None
    if ended:
        stopped = "interrupted" if ended[2] else "timeout" if ended[3] else ""
        code = int(ended[1]) if ended[1] else None
        given = given[: len(given) - len(ended[0])]
    yield Event(
        kind="result", session=base.session, span=base.span, at=base.at, cwd=base.cwd,
        call_id=text(message, "toolCallId"), text=given, failed=failed, stopped=stopped,
        exit_code=code,
    )  # fmt: skip


def _person_ran(base: Event, message: Row, row_id: str) -> Iterator[Event | Dropped]:
    """Yield the call and the result of a command that the person ran in the session."""
    call_id = row_id or f"byte-{base.span.start}"
    code = whole(message, "exitCode")
    yield Event(
        kind="call", session=base.session, span=base.span, at=base.at, cwd=base.cwd,
        call_id=call_id, tool="bash", action="shell", command=text(message, "command"),
    )  # fmt: skip
    yield Event(
        kind="result", session=base.session, span=base.span, at=base.at, cwd=base.cwd,
        call_id=call_id, text=strip_injected(plain(text(message, "output")))[0],
        exit_code=code, failed=bool(code),
        stopped="interrupted" if message.get("cancelled") is True else "",
    )  # fmt: skip
