"""SWE-agent: a `.traj` document with a list of steps (or, of a demonstration, its history).

The format records no exit codes, so no step of it is ever a failure.
"""

from __future__ import annotations

from collections.abc import Iterator

from memskill.sources.transcripts.events import Event, Span
from memskill.sources.transcripts.injected import strip_injected
from memskill.sources.transcripts.protocol import Container, Dropped, Row, State
from memskill.sources.transcripts.values import blocks_text, loaded, plain, said, text

_EDITS = (
    *("edit ", "create ", "insert "),
    *("str_replace_editor str_replace", "str_replace_editor create"),
)

_KEYS = frozenset(("history", "info", "environment", "replay_config"))


class SweAgent:
    """Trajectories that `sweagent run` writes."""

    name = "swe-agent"
    container: Container = "document"
    array = ("trajectory", "history")

    def sniff(self, head: Row) -> bool:
        """Tell by the document's keys."""
        # Some demonstrations hold their history alone.
        return "trajectory" in head or ("history" in head and head.keys() <= _KEYS)

    def skip(self, raw: bytes) -> str | None:
        """Leave nothing unread."""
        return None

    def events(self, row: Row, span: Span, state: State) -> Iterator[Event | Dropped]:
        """Yield the thought, the action and the observation of one step."""
        session = said(state, "session")
        if "action" not in row or "observation" not in row:
            yield from _history(row, span, session)
            return
        cwd = text(loaded(row.get("state")), "working_dir") or said(state, "cwd")
        state["cwd"] = cwd
        thought = strip_injected(text(row, "thought"))[0]
        if thought.strip():
            yield Event(kind="assistant", session=session, span=span, cwd=cwd, text=thought)
        action = text(row, "action").strip()
        if not action:
            yield Dropped("empty")
            return
        call_id = f"byte-{span.start}"
        edits = action.startswith(_EDITS)
        yield Event(
            kind="call", session=session, span=span, cwd=cwd, call_id=call_id,
            tool="edit" if edits else "bash", action="edit" if edits else "shell",
            command=action,
        )  # fmt: skip
        yield Event(
            kind="result", session=session, span=span, cwd=cwd, call_id=call_id,
            text=strip_injected(plain(text(row, "observation")))[0],
        )  # fmt: skip


def _history(row: Row, span: Span, session: str) -> Iterator[Event | Dropped]:
    role = text(row, "role")
    spoken = strip_injected(blocks_text(row.get("content")))[0]
    if role not in ("user", "assistant") or not spoken.strip():
        reason = "instructions" if role == "system" else role or "other-row"
        yield Dropped("empty" if role in ("user", "assistant") else reason)
        return
    # A demonstration shown to the model is nothing that happened in this session.
    if row.get("is_demo") is True:
        yield Dropped("demonstration")
        return
    kind = "user" if role == "user" else "assistant"
    yield Event(kind=kind, session=session, span=span, text=spoken)
