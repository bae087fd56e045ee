"""Claude Code: one JSON a line; a subagent's file has the same shape and an `agentId`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from memskill.sources.transcripts.events import Action, Event, Span, Stop
from memskill.sources.transcripts.injected import injected_row, strip_injected
from memskill.sources.transcripts.protocol import Container, Dropped, Row, State
from memskill.sources.transcripts.values import (
    TARGETS,
    arguments_json,
    blocks_text,
    child,
    moment,
    plain,
    rows,
    target_of,
    text,
)

_ACTIONS: dict[str, Action] = {
    "Bash": "shell",
    "PowerShell": "shell",
    "Edit": "edit",
    "MultiEdit": "edit",
    "Write": "edit",
    "NotebookEdit": "edit",
    "Read": "read",
    "Glob": "read",
    "Grep": "read",
    "LS": "read",
}
_TYPES = frozenset(
    ("user", "assistant", "system", "progress", "summary", "file-history-snapshot")
) | {"queue-operation", "last-prompt", "attachment"}
_ROW_TYPE = re.compile(
    rb'"type"\s*:\s*"(progress|system|file-history-snapshot|queue-operation|summary|last-prompt'
    rb'|custom-title|ai-title|agent-name|permission-mode|pr-link|attachment)"'
)
_EXIT = re.compile(r"\s*Exit code (\d{1,3})\b\n?")
# How a result that never ran to its own end starts, as the harness words it.
_STOPS: tuple[tuple[str, Stop], ...] = (
    ("The user doesn't want to proceed", "refused"),
    ("The user doesn't want to take this action", "refused"),
    ("Permission to use", "refused"),
    ("Claude requested permissions", "refused"),
    ("This command requires approval", "refused"),
    ("Sibling tool call errored", "cancelled"),
    ("Cancelled: parallel tool call", "cancelled"),
    ("[Request interrupted by user", "interrupted"),
    ("Command was aborted", "interrupted"),
    ("Command timed out", "timeout"),
)


class ClaudeCode:
    """Sessions of `~/.claude/projects/<folder>/<session>.jsonl` and their subagents."""

    name = "claude-code"
    container: Container = "lines"
    array = ()

    def sniff(self, head: Row) -> bool:
        """Tell by its row types together with a session or row id."""
        known = head.get("type") in _TYPES
        ids = ("sessionId", "uuid", "leafUuid", "messageId")
        return known and any(key in head for key in ids)

    def skip(self, raw: bytes) -> str | None:
        """Drop rows that hold no message: most of a file is progress."""
        if b'"message"' in raw:
            return None
        found = _ROW_TYPE.search(raw)
        return found[1].decode() if found else "other-row"

    def events(self, row: Row, span: Span, state: State) -> Iterator[Event | Dropped]:
        """Yield the texts, calls and results of one message."""
        kind = text(row, "type")
        if kind not in ("user", "assistant"):
            yield Dropped(kind or "other-row")
            return
        if reason := _not_said(row):
            yield Dropped(reason)
            return
        session = text(row, "sessionId") or str(state.get("session", ""))
        state["session"] = session
        base = Event(
            kind="user" if kind == "user" else "assistant",
            session=session,
            span=span,
            # Older versions keep subagents in the session's own file and do not name them.
            agent=(text(row, "agentId") or "sidechain") if row.get("isSidechain") else "",
            at=moment(row.get("timestamp")),
            cwd=text(row, "cwd"),
            branch=text(row, "gitBranch"),
        )
        message = child(row, "message")
        content = message.get("content")
        if isinstance(content, str):
            yield from _spoken(base, content)
            return
        details = row.get("toolUseResult")
        for block in rows(message, "content"):
            yield from _block(base, block, details)


def _not_said(row: Row) -> str | None:
    if row.get("isCompactSummary") or text(row, "agentId").startswith("acompact"):
        return "compaction-summary"
    if row.get("isMeta"):
        return "meta"
    if row.get("isApiErrorMessage"):
        return "api-error"
    return "transcript-only" if row.get("isVisibleInTranscriptOnly") else None


def _block(base: Event, block: Row, details: object) -> Iterator[Event | Dropped]:
    kind = text(block, "type")
    if kind == "text":
        yield from _spoken(base, text(block, "text"))
    elif kind == "tool_use":
        yield _call(base, block)
    elif kind == "tool_result":
        yield from _result(base, block, details)
    else:
        yield Dropped(kind or "other-block")


def _spoken(base: Event, said: str) -> Iterator[Event | Dropped]:
    said, reasons = strip_injected(said)
    yield from map(Dropped, reasons)
    if base.kind == "user" and (reason := injected_row(said)):
        yield Dropped(reason)
    elif said.strip():
        yield Event(
            kind=base.kind, session=base.session, span=base.span, agent=base.agent, at=base.at,
            cwd=base.cwd, branch=base.branch, text=said,
        )  # fmt: skip
    elif not reasons:
        yield Dropped("empty")


def _call(base: Event, block: Row) -> Event:
    arguments = child(block, "input")
    tool = text(block, "name")
    action = _ACTIONS.get(tool, "other")
    return Event(
        kind="call", session=base.session, span=base.span, agent=base.agent, at=base.at,
        cwd=base.cwd, branch=base.branch, call_id=text(block, "id"), tool=tool, action=action,
        command=_told(action, arguments),
        target=target_of(arguments),
    )  # fmt: skip


def _told(action: Action, arguments: Row) -> str:
    if action == "shell":
        return text(arguments, "command")
    if action == "read":
        # What was read says the target; the rest is how.
        arguments = {key: value for key, value in arguments.items() if key not in TARGETS}
    return arguments_json(arguments) if arguments else ""


def _result(base: Event, block: Row, details: object) -> Iterator[Event | Dropped]:
    given, reasons = strip_injected(plain(blocks_text(block.get("content"))))
    yield from map(Dropped, reasons)
    failed = block.get("is_error") is True
    head = given.lstrip().removeprefix("<tool_use_error>").lstrip()[:60]
    stopped = _stop(head) if failed else ""
    if isinstance(details, dict):
        seen = cast("Row", details)
        if seen.get("interrupted") is True:
            stopped = "interrupted"
        elif seen.get("backgroundTaskId"):
            stopped = "running"
    code = _EXIT.match(given) if failed else None
    yield Event(
        kind="result", session=base.session, span=base.span, agent=base.agent, at=base.at,
        cwd=base.cwd, branch=base.branch, call_id=text(block, "tool_use_id"),
        text=given[code.end() :] if code else _bare(given), failed=failed, stopped=stopped,
        exit_code=int(code[1]) if code else None,
    )  # fmt: skip


def _stop(head: str) -> Stop:
    for prefix, stop in _STOPS:
        if head.startswith(prefix):
            return stop
    return ""


def _bare(given: str) -> str:
    return given.removeprefix("<tool_use_error>").removesuffix("</tool_use_error>")
