"""Asks a chat model for a draft until it passes, at most three times."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from memskill.draft.bodies import DraftBody
from memskill.draft.parse import SCHEMA, parse_reply
from memskill.draft.prompt import Prompt, repair_prompt
from memskill.errors import DraftRejected, NotSkillWorthy
from memskill.models.chat import ChatModel, ChatReply, OutOfReplies, Usage

MAX_REPAIRS = 2
Ask = Callable[[Prompt], ChatReply]


@dataclass(frozen=True, slots=True, kw_only=True)
class Composed:
    """A body that passed the gate, and what it took."""

    body: DraftBody
    usage: Usage
    # 0: the first reply passed.
    repairs: int = 0


class ReplyRejected(DraftRejected):
    """No reply passed; `reply` is the last one as it came, kept for diagnosis."""

    def __init__(self, message: str, *, reasons: Sequence[str], reply: str) -> None:
        super().__init__(message, hint="`mem help lint` explains each rule.", reasons=reasons)
        self.reply = reply


def compose(
    prompt: Prompt, ask: Ask, gate: Callable[[DraftBody], Sequence[str]], address: str
) -> Composed:
    """Return the first body that passes the gate.

    Args:
        prompt: What to ask first.
        ask: Answers a prompt; see `asker`.
        gate: Returns every fault of a body as a line; none means that it passes.
        address: The note's, for messages.

    Raises:
        ReplyRejected: Neither the first reply nor two repairs of it passed; `reasons` are the
            faults of the last one.
        NotSkillWorthy: The model says that the note holds no procedure.
        ModelError: The model gave no usable text.
    """
    usage = Usage()
    current = prompt
    reply = ChatReply(text="")
    faults: Sequence[str] = ()
    asked = 0
    for repairs in range(MAX_REPAIRS + 1):
        try:
            reply = ask(current)
        except OutOfReplies:
            # One replayed reply that has faults is a draft with faults, not a broken model.
            if not faults:
                raise
            break
        usage = usage + reply.usage
        parsed = parse_reply(reply.text)
        if parsed.refusal is not None:
            raise NotSkillWorthy(
                f"{address}: the model found no procedure: {parsed.refusal[:500]}",
                hint="Write down what to do and how to see that it worked, or leave it a note.",
            )
        faults = parsed.faults
        if parsed.body is not None:
            faults = gate(parsed.body)
            if not faults:
                return Composed(body=parsed.body, usage=usage, repairs=repairs)
        asked = repairs + 1
        current = repair_prompt(prompt, reply.text, faults)
    raise ReplyRejected(
        f"{address}: the last of {asked} replies has {len(faults)} fault(s); nothing was written",
        reasons=faults,
        reply=reply.text,
    )


def asker(model: ChatModel) -> Ask:
    """Return a function that asks the model for a draft."""
    return lambda prompt: model.complete(prompt.system, prompt.text, SCHEMA)
