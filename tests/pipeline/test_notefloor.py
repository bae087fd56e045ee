"""`mem floor tune --for notes` on small vaults: fitted on one part, bound to the encoder."""

from __future__ import annotations

import json

import pytest
from helpers.notes import fake_querying
from helpers.vaults import write_note

from memskill.errors import EvaluationRefused, UsageError
from memskill.match.notepolicy import own_path, own_policies
from memskill.models.fakes import HashEncoder
from memskill.pipeline import querying
from memskill.pipeline.ingest import ingest
from memskill.pipeline.notefloor import tune_notes

WORDS = (
    "anchor barrel candle drawer engine funnel garden hammer island jacket kettle ladder magnet"
    " needle orchard pencil quarry ribbon saddle timber umbrella violin walnut yarn zipper"
).split()


@pytest.fixture
def labelled(settings, tmp_path, monkeypatch):
    """A vault of notes about one thing each, and questions that do and do not name one."""
    monkeypatch.setattr(querying, "load_encoder", lambda settings: HashEncoder())
    rows = []
    for number, word in enumerate(WORDS):
        write_note(settings, f"p/{word}", f"The {word} was mended with {word} glue and {word} oil.")
        split = ("train", "final")[number % 2]
        row = {"expected": [f"p/{word}"], "group": word, "kind": "match", "split": split}
        rows.append({"task": f"how was the {word} mended", **row})
        row = {"expected": [], "group": f"no-{word}", "kind": "none", "split": split}
        rows.append({"task": f"price of {word[::-1]} number {number} abroad", **row})
    ingest(settings, encoder=HashEncoder())
    file = tmp_path / "questions.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return settings, file


def test_a_fit_is_written_into_the_vault_and_answers_at_once(labelled):
    settings, file = labelled
    tuned = tune_notes(settings, [file], "false_fire<=0.2", fit_on=("train",), report_on=("final",))
    (own,) = own_policies(settings)
    assert own.floor == tuned.policy.floor == tuned.fit.floor.value
    assert own.encoder_fingerprint == HashEncoder().fingerprint
    assert tuned.fit.held_out.measures["recall"].value > 0.5
    found = querying.Querying(settings).query("how was the anchor mended")
    assert found.hits[0].id == "p/anchor"


def test_the_same_questions_and_seed_give_the_same_bytes(labelled):
    settings, file = labelled
    written = []
    for _ in range(2):
        tune_notes(settings, [file], "false_fire<=0.2", seed=4)
        written.append(own_path(settings).read_bytes())
    assert written[0] == written[1]


def test_a_dry_run_writes_nothing(labelled):
    settings, file = labelled
    tuned = tune_notes(settings, [file], "false_fire<=0.2", dry_run=True)
    assert not tuned.written
    assert not own_path(settings).exists()


def test_a_fit_does_not_depend_on_the_one_in_force(labelled):
    settings, file = labelled
    plain = tune_notes(settings, [file], "false_fire<=0.2", dry_run=True).policy
    fake_querying(settings, floor=0.9)
    assert tune_notes(settings, [file], "false_fire<=0.2", dry_run=True).policy == plain


def test_too_few_questions_and_impossible_shares_are_refused(labelled, tmp_path):
    settings, file = labelled
    few = tmp_path / "few.jsonl"
    few.write_text("".join(file.read_text(encoding="utf-8").splitlines(keepends=True)[:8]))
    with pytest.raises(EvaluationRefused):
        tune_notes(settings, [few], "false_fire<=0.2")
    with pytest.raises(UsageError, match="share"):
        tune_notes(settings, [file], "false_fire<=0.2", share=0.9)
    assert not own_path(settings).exists()
