from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.draft.sentences import commands, role, split_sentences
from memskill.draft.words import GERUND_TO_BASE, PAST_TO_BASE, third_person


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("Run it. Then stop.", ["Run it.", "Then stop."]),
        ("See `a. B` first. Go on.", ["See `a. B` first.", "Go on."]),
        ("Use e.g. Vim at 3 a.m. Berlin time.", ["Use e.g. Vim at 3 a.m. Berlin time."]),
        ("Version 1.2.3 is out. Take it.", ["Version 1.2.3 is out.", "Take it."]),
        ("", []),
    ],
)
def test_full_stops_inside_code_numbers_and_abbreviations_end_nothing(text, sentences):
    assert split_sentences(text) == sentences


@pytest.mark.parametrize(
    ("sentence", "done"),
    [
        ("Drain the worker.", ["Drain the worker."]),
        ("Then, restart the consumer.", ["Restart the consumer."]),
        ("To drain a node, run `x`.", ["To drain a node, run `x`."]),
        ("You must rotate the key.", ["Rotate the key."]),
        ("The fix was to raise the limit.", ["Raise the limit."]),
        ("What worked was draining w3.", ["Drain w3."]),
        ("We drained w3, then restarted the broker.", ["Drain w3.", "Restart the broker."]),
        ("On `node-07` we ran `dmesg`.", ["On `node-07`, run `dmesg`."]),
    ],
)
def test_told_and_asked_actions_become_commands(sentence, done):
    assert [command.do for command in commands(sentence)] == done


def test_what_was_seen_is_kept_apart_from_what_was_done():
    (command,) = commands("We ran `x` and it showed two rows.")
    assert command == ("Run `x`.", "It showed two rows.")


@pytest.mark.parametrize(
    "sentence",
    [
        "Restart loops are common here.",
        "We decided to wait until June.",
        "I would say it was the sum of many small ones.",
        "We tried a bigger machine.",
        "People ask this once a quarter.",
        "The consumer restarted three times.",
        "",
    ],
)
def test_talk_and_what_machines_did_is_no_step(sentence):
    assert commands(sentence) == []


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Never delete the spool.", "pitfall"),
        ("We put it back, which made it worse.", "pitfall"),
        ("If the lag stays, restart the broker.", "failure"),
        ("Check that the lag falls.", "check"),
        ("The count has to be zero.", "check"),
        ("To be sure, we compared the sums.", "check"),
        ("Stop the job.", "step"),
        ("It was a long night.", "talk"),
    ],
)
def test_each_sentence_has_one_role(sentence, expected):
    assert role(sentence) == expected


@pytest.mark.parametrize(
    ("verb", "third", "past", "gerund"),
    [
        ("rotate", "rotates", "rotated", "rotating"),
        ("push", "pushes", "pushed", "pushing"),
        ("copy", "copies", "copied", "copying"),
        ("stop", "stops", "stopped", "stopping"),
        ("run", "runs", "ran", "running"),
        ("free", "frees", None, None),
        ("deploy", "deploys", "deployed", "deploying"),
    ],
)
def test_verb_forms_follow_the_rules_of_english(verb, third, past, gerund):
    assert third_person(verb) == third
    assert PAST_TO_BASE.get(past, verb) == verb
    assert GERUND_TO_BASE.get(gerund, verb) == verb


@given(st.text(max_size=300))
def test_any_sentence_has_a_role(text):
    assert role(text) in ("step", "check", "failure", "pitfall", "talk")
    assert all(command.do for command in commands(text, subjectless=True))
