from __future__ import annotations

import json

import pytest
from helpers.drafting import make_node

from memskill.draft.compose import ReplyRejected, asker, compose
from memskill.draft.prompt import build_prompt
from memskill.errors import DraftRejected, NotSkillWorthy
from memskill.models.chat import ChatReply, OutOfReplies, Usage

GOOD = json.dumps({"title": "T", "description": "Does it.", "steps": [{"do": "Run it."}]})
USAGE = Usage(input_tokens=10, output_tokens=2)


class Queue:
    """Answers with what it was given, and keeps what it was asked."""

    name, cacheable = "queue", True

    def __init__(self, *replies: str) -> None:
        self.replies, self.asked = list(replies), []

    def complete(self, system, prompt, schema):
        self.asked.append(prompt)
        if not self.replies:
            raise OutOfReplies("no more")
        return ChatReply(text=self.replies.pop(0), usage=USAGE)


def run(model, gate=lambda body: ()):
    prompt = build_prompt(make_node(), [], b"s" * 32)
    return compose(prompt, asker(model), gate, "exports/q1")


def test_the_first_reply_that_passes_is_taken():
    made = run(Queue(GOOD))
    assert (made.body.title, made.repairs, made.usage) == ("T", 0, USAGE)


def test_a_faulty_reply_is_sent_back_with_every_fault():
    model = Queue("nonsense", GOOD)
    made = run(model)
    assert (made.repairs, made.usage) == (1, USAGE + USAGE)
    assert "- the reply is not one JSON object" in model.asked[1]


def test_faults_of_the_gate_are_sent_back_too():
    verdicts = [["line 3: angle-brackets: <"], []]
    model = Queue(GOOD, GOOD)
    assert run(model, lambda body: verdicts.pop(0)).repairs == 1
    assert "angle-brackets" in model.asked[1]


def test_there_are_at_most_two_repairs_and_the_last_reply_is_kept():
    model = Queue("a", "b", "c", GOOD)
    with pytest.raises(ReplyRejected) as caught:
        run(model)
    assert (len(model.asked), caught.value.reply) == (3, "c")
    assert caught.value.reasons == ("the reply is not one JSON object",)
    assert isinstance(caught.value, DraftRejected)


def test_one_replayed_reply_with_faults_is_rejected_for_its_faults():
    with pytest.raises(ReplyRejected, match="last of 1 replies has 2 fault"):
        run(Queue(GOOD), lambda body: ["one", "two"])


def test_no_reply_at_all_is_the_models_error():
    with pytest.raises(OutOfReplies):
        run(Queue())


def test_a_refusal_ends_it_at_once():
    model = Queue('{"not_skill_worthy": "only talk"}', GOOD)
    with pytest.raises(NotSkillWorthy, match="only talk"):
        run(model)
    assert len(model.asked) == 1
