from __future__ import annotations

import re

import pytest
from helpers.drafting import NOTE, make_draft, make_node
from helpers.tree import ROOT
from hypothesis import given
from hypothesis import strategies as st

from memskill.draft.extract import compose_extractive
from memskill.draft.lint import lint_text, told
from memskill.draft.render import render_skill
from memskill.errors import NotSkillWorthy

NOTES = sorted((ROOT / "data" / "vault" / "notes").rglob("*.md"))
UNWORTHY = {"q88", "meeting-2026-04"}


def node_of(path):
    text = path.read_text(encoding="utf-8")
    _, front, body = text.split("---\n", 2)
    query = re.search(r"^query: (.*)$", front, re.M)[1].strip('"')
    return make_node(body, query, project=path.parent.name, query_id=path.stem)


@pytest.mark.parametrize("profile", ["flat", "spec"])
@pytest.mark.parametrize("path", [p for p in NOTES if p.stem not in UNWORTHY], ids=lambda p: p.stem)
def test_each_fixture_note_with_a_procedure_gives_a_draft_that_passes_lint(path, profile):
    node = node_of(path)
    draft = make_draft(compose_extractive(node), node)
    findings = lint_text(
        render_skill(draft, profile), profile=profile, is_draft=True, folder=draft.name, note=node
    )
    assert [told(f) for f in findings if f.severity == "error"] == []


@pytest.mark.parametrize("stem", sorted(UNWORTHY))
def test_a_meeting_and_a_history_are_refused_with_the_reason(stem):
    (path,) = [p for p in NOTES if p.stem == stem]
    with pytest.raises(NotSkillWorthy, match="no step in"):
        compose_extractive(node_of(path))


def test_steps_carry_their_checks_and_failure_branches():
    steps = compose_extractive(make_node()).steps
    assert [step.do.split()[0] for step in steps] == ["Pause", "Release", "Resume"]
    assert steps[1].on_failure == "If it fails, restart the broker 2.14.1."
    assert steps[2].check == "The queue should fall to 0."


def test_pitfalls_come_from_the_note():
    assert compose_extractive(make_node()).pitfalls == (
        "Never delete `/var/export/spool`: it is the only copy.",
    )


def test_the_description_says_when_in_the_words_of_the_query():
    description = compose_extractive(make_node()).description
    assert description.startswith("Handles stuck export queue: pauses the workers")
    assert "Use when the export queue is stuck after a deploy" in description


def test_a_query_that_asks_for_the_title_gets_the_steps_into_the_description():
    note = (
        "# Rotating the signing key\n\n1. Pause the signer: `signctl pause`.\n2. Make a new key.\n"
    )
    node = make_node(note, "How do we rotate the signing key?")
    draft = make_draft(compose_extractive(node), node)
    assert draft.body.description == (
        "Rotates the signing key: pauses the signer and makes a new key. "
        "Use when someone asks 'how do we rotate the signing key'."
    )
    findings = lint_text(render_skill(draft), is_draft=True, folder=draft.name, note=node)
    assert [told(f) for f in findings if f.severity == "error"] == []


def test_a_label_before_a_step_is_not_taken_for_what_is_done():
    note = "# Outage\n\n## Fix\n- Double charges: switch the flag off.\n- Then stop the queue.\n"
    description = compose_extractive(make_node(note + "- See `x`.\n")).description
    assert description.startswith("Handles outage: switches the flag off and stops the queue.")


BARE = (
    "1. Run `exportctl unlock`.\n2. Run `brokerctl restart`.\n",
    "- x\n\n```sh\nexportctl unlock\n```\n\n```sh\nbrokerctl restart\n```\n",
)


@pytest.mark.parametrize("note", BARE, ids=["spans", "blocks"])
def test_a_note_of_bare_commands_is_no_title_restated(note):
    node = make_node(note, "The export queue is stuck after a deploy.")
    draft = make_draft(compose_extractive(node), node)
    findings = lint_text(render_skill(draft), is_draft=True, folder=draft.name, note=node)
    assert [told(f) for f in findings if f.severity == "error"] == []


def test_a_message_in_the_note_becomes_a_sign():
    body = compose_extractive(make_node(NOTE.replace("stops with", "failed with")))
    assert body.when_to_use == "A log or a user shows 'lock wait timeout'."


def test_code_under_a_step_belongs_to_it():
    note = "1. Stop it:\n\n   ```bash\n   svc stop\n   ```\n\n2. Start it with `svc start`.\n"
    steps = compose_extractive(make_node(note)).steps
    assert [(step.do, step.code) for step in steps] == [
        ("Stop it:", "svc stop"),
        ("Start it with `svc start`.", ""),
    ]


@pytest.mark.parametrize(
    ("fence", "code", "do"),
    [
        ("bash", "x", "Run this:"),
        ("", "kubectl get pods -A", "Run this:"),
        ("yaml", "a: b", "Use this (Settings):"),
        ("", "a/\n  b/", None),
    ],
)
def test_a_block_that_nothing_announces_is_a_step_only_where_it_says_what_to_do(fence, code, do):
    note = f"# T\n\n1. Stop `a`.\n2. Start `b`.\n\n## Settings\n\n```{fence}\n{code}\n```\n"
    steps = compose_extractive(make_node(note)).steps
    assert [step.do for step in steps[2:]] == ([do] if do else [])


def test_a_branch_goes_to_the_step_that_it_names():
    note = "## Fix\n1. Stop `a`.\n2. Start `a`.\n3. Look at `b`.\n\nIf step 2 fails, ask Mia.\n"
    steps = compose_extractive(make_node(note)).steps
    assert [step.on_failure for step in steps] == ["", "If step 2 fails, ask Mia.", ""]


def test_commands_in_a_table_become_steps_with_their_last_cell_as_check():
    note = (
        "| Stage | Command | Expect |\n|---|---|---|\n"
        "| lake | `ctl count --lake` | 5 rows |\n| hub | `ctl count --hub` | 6 rows |\n"
    )
    steps = compose_extractive(make_node(note)).steps
    assert (steps[0].do, steps[0].check) == ("Lake: run `ctl count --lake`.", "Expect: 5 rows.")


def test_a_story_becomes_steps_in_its_order():
    note = (
        "On Monday exports hung. We paused the workers with `exportctl pause --all` and then "
        "released the lock. The queue fell to 0 within a minute. If it hangs again, call Mia. "
        "We tried a reboot, which did not help.\n"
    )
    body = compose_extractive(make_node(note))
    assert [step.do for step in body.steps] == [
        "Pause the workers with `exportctl pause --all`.",
        "Release the lock.",
    ]
    assert body.steps[1].check == "The queue fell to 0 within a minute."
    assert body.steps[1].on_failure == "If it hangs again, call Mia."
    assert body.pitfalls == ("We tried a reboot, which did not help.",)


def test_a_note_of_megabytes_gives_a_draft_that_a_person_can_read():
    story = "We paused `a --b` and then restarted the broker. If it fails, stop it. "
    body = compose_extractive(make_node(NOTE + story * 20_000 + "x" * 10_000))
    assert len(repr(body)) < 60_000


def test_a_part_too_long_to_be_one_is_left_out_and_told():
    note = f"1. Stop `a`.\n2. Start `b`.\n   ```\n   {'x' * 9000}\n   ```\n"
    assert "9000 characters was left out" in compose_extractive(make_node(note)).steps[1].code


def test_empty_items_are_passed_over():
    note = "1. \n2. Stop `a`.\n-\n3. Start `b`.\n- \n"
    assert len(compose_extractive(make_node(note)).steps) == 2


def test_a_note_without_any_check_gets_a_mark_for_the_reviewer():
    body = compose_extractive(make_node("1. Stop `a`.\n2. Start `b`.\n"))
    assert body.verification == (
        "TODO(human): the note names no check; say how to see that it worked.",
    )


def test_steps_beyond_the_limit_are_told_not_dropped_in_silence():
    note = "".join(f"{i}. Stop `svc{i}`.\n" for i in range(1, 26))
    body = compose_extractive(make_node(note))
    assert len(body.steps) == 20
    assert "TODO(human): 5 further steps of the note were left out." in body.pitfalls


@given(st.text(max_size=600))
def test_any_note_is_drafted_or_refused(text):
    try:
        body = compose_extractive(make_node(text, query=text[:80]))
    except NotSkillWorthy:
        return
    assert len(body.description) <= 1024
    assert "\n" not in body.description + body.when_to_use
