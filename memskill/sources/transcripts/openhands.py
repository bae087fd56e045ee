"""OpenHands: a folder with `base_state.json` and one `events/event-*.json` a row."""

from __future__ import annotations

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
    said,
    target_of,
    text,
    whole,
)

_SHELLS = frozenset(("terminal", "execute_bash", "bash"))
_EDITORS = frozenset(("file_editor", "str_replace_editor", "apply_patch"))
_KINDS = frozenset(("ActionEvent", "ObservationEvent", "MessageEvent", "SystemPromptEvent"))


class OpenHands:
    """Conversations of the OpenHands agent SDK."""

    name = "openhands"
    container: Container = "folder"
    array = ()

    def sniff(self, head: Row) -> bool:
        """Tell by an event's kind and source."""
        return head.get("kind") in _KINDS and "source" in head

    def skip(self, raw: bytes) -> str | None:
        """Leave nothing unread."""
        return None

    def events(self, row: Row, span: Span, state: State) -> Iterator[Event | Dropped]:
        """Yield what one event says."""
        kind = text(row, "kind")
        base = Event(
            kind="assistant", session=said(state, "session"), span=span,
            at=moment(row.get("timestamp")), cwd=said(state, "cwd"),
        )  # fmt: skip
        if kind == "MessageEvent":
            yield from _spoken(base, row)
        elif kind == "ActionEvent":
            yield from _acted(base, row)
        elif kind == "ObservationEvent":
            yield _observed(base, row, state)
        elif kind == "AgentErrorEvent":
            yield Event(
                kind="result", session=base.session, span=span, at=base.at, failed=True,
                call_id=text(row, "tool_call_id"), text=plain(text(row, "error")),
            )  # fmt: skip
        elif kind == "UserRejectObservation":
            yield Event(
                kind="result", session=base.session, span=span, at=base.at, failed=True,
                call_id=text(row, "tool_call_id"), stopped="refused",
            )  # fmt: skip
        else:
            reason = "compaction-summary" if "Condensation" in kind else kind or "other-row"
            yield Dropped(reason)


def _spoken(base: Event, row: Row) -> Iterator[Event | Dropped]:
    spoken, reasons = strip_injected(blocks_text(child(row, "llm_message").get("content")))
    yield from map(Dropped, reasons)
    by_user = text(row, "source") == "user"
    if by_user and (reason := injected_row(spoken)):
        yield Dropped(reason)
    elif spoken.strip():
        yield Event(
            kind="user" if by_user else "assistant", session=base.session, span=base.span,
            at=base.at, cwd=base.cwd, text=spoken,
        )  # fmt: skip


def _acted(base: Event, row: Row) -> Iterator[Event | Dropped]:
    thought = blocks_text(row.get("thought"))
    if thought.strip():
        yield Event(
            kind="assistant", session=base.session, span=base.span, at=base.at, cwd=base.cwd,
            text=thought,
        )  # fmt: skip
    arguments, tool = child(row, "action"), text(row, "tool_name")
    if arguments.get("is_input") is True:
        yield Dropped("poll-of-a-process")
        return
    reads = text(arguments, "command") in ("view", "find")
    action: Action = "shell" if tool in _SHELLS else "other"
    if tool in _EDITORS:
        action = "read" if reads else "edit"
    yield Event(
        kind="call", session=base.session, span=base.span, at=base.at, cwd=base.cwd, tool=tool,
        call_id=text(row, "tool_call_id"), action=action, target=target_of(arguments),
        command=text(arguments, "command") if action == "shell" else arguments_json(arguments),
    )  # fmt: skip


def _observed(base: Event, row: Row, state: State) -> Event:
    seen = child(row, "observation")
    metadata = child(seen, "metadata")
    code = whole(seen, "exit_code")
    code = whole(metadata, "exit_code") if code is None else code
    state["cwd"] = text(metadata, "working_dir") or base.cwd
    stopped: Stop = "timeout" if seen.get("timeout") is True else ""
    wrong = seen.get("is_error") is True or seen.get("error") is True
    if code == -1 and wrong:
        code = None
    elif code == -1:
        # Still running: what it wrote until a time limit that the agent or the tool set.
        code, stopped = None, stopped or "running"
    given = blocks_text(seen.get("content")) or text(seen, "output")
    return Event(
        kind="result", session=base.session, span=base.span, at=base.at,
        cwd=said(state, "cwd"), call_id=text(row, "tool_call_id"),
        text=strip_injected(plain(given))[0], exit_code=code,
        failed=bool(code) or wrong, stopped=stopped,
    )  # fmt: skip
