"""Calls joined with their results, and the chunks (L0) that a session leaves as evidence."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import NamedTuple, cast

from memskill.sources.identity import node_sha
from memskill.sources.transcripts.events import Action, Event, Span, Stop
from memskill.sources.transcripts.protocol import State
from memskill.sources.transcripts.scope import scope_of
from memskill.sources.transcripts.values import remembered, said

# Of an output: so many characters of its head and of its tail are kept, in whole lines.
OUTPUT_PART = 2_000
CHUNK_CHARS = 2_000
# Longer than the secrets that stand in one line.
_MARGIN = 1_000
_GAP = "\n\n[...]\n\n"
# Calls whose result never came (a command in the background, a killed session) are let go.
_MOST_WAITING = 500
# `toolu_` and 24 characters, `call_` and 24: no two are alike. "call_7" is another case.
_DRAWN_ID = 24
# Shorter remarks ("Now let me run the tests.") are nothing that anybody would look for.
_LEAST_REMARK = 60
# Commands that only look: when they succeed, what they show is in the files that they show.
_LOOKING = re.compile(
    r"\s*(?:cd [^&;|]{0,200}&&\s*)?(?:ls|cat|head|tail|sed -n|find|grep|rg|egrep|wc|stat|tree|pwd"
    r"|which|echo|nl|file|git (?:status|log|diff|show|branch)|jq|sort|uniq|du|date)\b"
)


class ToolCall(NamedTuple):
    """A call with its outcome: what lessons are made of. A tuple, as `Event` is."""

    # A session that is read from two files counts once, and so does what a fork of it repeats.
    id: str
    session: str
    agent: str
    scope: str
    branch: str
    # UTC, ISO 8601; empty where the format has no times.
    at: str
    # Of the call; it ends behind its result, where that lies in the same file.
    path: str
    line: int
    byte_start: int
    byte_end: int | None
    tool: str
    action: Action
    command: str
    target: str
    exit_code: int | None
    failed: bool
    stopped: Stop
    # Of a failure: its output, cut; empty for a success.
    output: str
    # The L0 node that shows it; empty where none was kept.
    node_sha: str


class Chunk(NamedTuple):
    """A piece of a session, kept as an L0 node, and where it stands."""

    sha: str
    session: str
    scope: str
    author: str
    at: str
    text: str
    span: Span


class Joiner:
    """Turns events into calls and chunks. Between two runs, calls that wait lie in `state`."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._scope = said(state, "scope")
        packed = remembered(state, "waiting")
        self._waiting = {call_id: _unpacked(text) for call_id, text in packed.items()}

    def close(self) -> None:
        """Put the calls that wait for their results into the state, oldest first."""
        self._state["waiting"] = {key: _packed(call) for key, call in self._waiting.items()}

    def take(self, event: Event) -> Iterator[ToolCall | Chunk]:
        """Yield what one event completes."""
        if not self._scope and event.cwd:
            self._scope = self._state["scope"] = scope_of(event.cwd, event.branch)
        if event.kind == "call":
            # Last, also where a call is repeated.
            self._waiting.pop(event.call_id, None)
            self._waiting[event.call_id] = event
            if len(self._waiting) > _MOST_WAITING:
                del self._waiting[next(iter(self._waiting))]
        elif event.kind == "result":
            yield from self._joined(event)
        elif event.kind == "user" or len(event.text.strip()) >= _LEAST_REMARK:
            for part in pieces(event.text):
                yield self._chunk(event, part, event.span, event.at)

    def bare(self, events: list[Event]) -> list[Event]:
        """Return the events without the outputs that nothing is made of, and these cut.

        What is left out is most of a session: files that were read, listings, searches.
        """
        calls: dict[str, Event] = {}
        kept: list[Event] = []
        for event in events:
            if event.kind == "call":
                calls[event.call_id] = event
            elif event.kind == "result" and event.text:
                call = calls.get(event.call_id) or self._waiting.get(event.call_id)
                wanted = call is not None and (event.failed or _is_evidence(call, event))
                text = _margined(event.text) if wanted else ""
                if text is not event.text:
                    event = event._replace(text=text)
            kept.append(event)
        return kept

    def _joined(self, result: Event) -> Iterator[ToolCall | Chunk]:
        if result.stopped == "running" and result.exit_code is None:
            return
        call = self._waiting.pop(result.call_id, None)
        if call is None:
            return
        output = clip(result.text)
        sha, span = "", call.span
        if call.span.path == result.span.path:
            span = span._replace(end=result.span.end, last=result.span.last)
        if _is_evidence(call, result):
            shown, at = _shown(call, result, output), result.at or call.at
            # Of two files, the one that shows how it ended.
            place = span if call.span.path == result.span.path else result.span
            chunk = self._chunk(result, shown, place, at)
            sha = chunk.sha
            yield chunk
        yield ToolCall(
            id=_identity(call),
            session=call.session, agent=call.agent, scope=self._scope,
            branch=call.branch or result.branch, at=call.at,
            path=call.span.path, line=call.span.line, byte_start=call.span.start, byte_end=span.end,
            tool=call.tool, action=call.action, command=call.command, target=call.target,
            exit_code=result.exit_code, failed=result.failed, stopped=result.stopped,
            output=output if result.failed else "", node_sha=sha,
        )  # fmt: skip

    def _chunk(self, event: Event, text: str, span: Span, at: str) -> Chunk:
        return Chunk(
            sha=node_sha("L0", "", "", "", text), session=event.session, at=at, text=text,
            scope=self._scope, span=span,
            author="user" if event.kind == "user" else "agent",
        )  # fmt: skip


def _identity(call: Event) -> str:
    """Return the sha of a call's session, agent and call id, or of the call id and its time.

    A resumed or forked session is a file with a new session id that repeats the older one's
    rows: long ids are drawn at random, so that one that stands there at the same time is the same.
    """
    drawn = len(call.call_id) >= _DRAWN_ID and call.at
    parts = (call.call_id, call.at) if drawn else (call.session, call.agent, call.call_id)
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()


def _margined(text: str) -> str:
    """Return an output with its middle left out, but for more than `clip` will keep of it.

    Secrets are looked for in what this returns: none that `clip` would cut in two is cut here,
    and a text with a key that spans lines stays whole.
    """
    if len(text) <= 2 * (OUTPUT_PART + _MARGIN) or "PRIVATE KEY" in text:
        return text
    return f"{text[: OUTPUT_PART + _MARGIN]}{_GAP}{text[-OUTPUT_PART - _MARGIN :]}"


def clip(text: str) -> str:
    """Return an output with its middle left out, in whole lines where they are short enough."""
    text = text.strip("\n")
    if len(text) <= 2 * OUTPUT_PART + 100:
        return text
    head, tail = text[:OUTPUT_PART], text[-OUTPUT_PART:]
    head = head[: head.rfind("\n") + 1] or head
    tail = tail[tail.find("\n") + 1 :] or tail
    return f"{head.rstrip()}\n[...]\n{tail}"


def pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces of at most `CHUNK_CHARS`, cut at paragraphs, lines or blanks."""
    text = text.strip()
    while len(text) > CHUNK_CHARS:
        cuts = (text.rfind(mark, CHUNK_CHARS // 2, CHUNK_CHARS) for mark in ("\n\n", "\n", " "))
        cut = next((place for place in cuts if place > 0), CHUNK_CHARS)
        if piece := text[:cut].strip():
            yield piece
        text = text[cut:].strip()
    if text:
        yield text


def _is_evidence(call: Event, result: Event) -> bool:
    if result.failed:
        return not result.stopped
    return call.action == "shell" and not _LOOKING.match(call.command)


def _shown(call: Event, result: Event, output: str) -> str:
    code = "" if result.exit_code is None else f" {result.exit_code}"
    outcome = f"failed{code}" if result.failed else "succeeded"
    told = call.command if call.action == "shell" else f"{call.tool} {call.command}"
    return f"$ {told}\n[{outcome}]\n{output}".rstrip()


_KEPT = (
    "session",
    "agent",
    "at",
    "cwd",
    "branch",
    "call_id",
    "tool",
    "action",
    "command",
    "target",
)


def _packed(call: Event) -> str:
    return json.dumps([*(getattr(call, name) for name in _KEPT), list(call.span)])


def _unpacked(packed: str) -> Event:
    *texts, span = cast("list[object]", json.loads(packed))
    values = dict(zip(_KEPT, cast("list[str]", texts), strict=True))
    action = cast("Action", values.pop("action"))
    place = Span(*cast("tuple[str, int, int, int, int]", span))
    return Event(kind="call", span=place, action=action, **values)  # pyright: ignore[reportArgumentType]
