from __future__ import annotations

import dataclasses

import pytest
from helpers.tree import ROOT

from memskill.match.cases import recalibrated, returned, run_cases
from memskill.match.floorfile import floor_in_force, floor_path, write_floor
from memskill.models.calibration import Calibration
from memskill.pipeline.deciding import models_in_use, open_deciding
from memskill.pipeline.matching import Matching
from memskill.records import Floor
from memskill.sources.tasks import read_tasks

TASKS = read_tasks(ROOT / "data" / "tasks" / "fixture.jsonl").tasks


@pytest.fixture
def shortlist_only(team):
    return dataclasses.replace(team, reranker="none")


def test_no_floor_is_needed(shortlist_only):
    deciding = open_deciding(shortlist_only)
    decision = deciding.decide("pods crash in a loop", None)
    # Two skills are limited to projects; without one all are seen.
    assert {one.name for one in decision.candidates} <= deciding.names
    assert len(decision.candidates) == len(deciding.names) == 8
    assert set(decision.seconds) == {"encode", "shortlist", "rerank"}


def test_a_damaged_floor_does_not_stop_what_can_mend_it(shortlist_only):
    shortlist_only.state_dir.mkdir()
    floor_path(shortlist_only).write_text("value = ")
    assert open_deciding(shortlist_only).decide("pods", None).candidates


def test_scores_can_be_made_anew_from_logits(shortlist_only):
    floor = floor_in_force(shortlist_only, *models_in_use(shortlist_only))
    fit = Calibration.from_mapping(floor.calibration)
    cases = run_cases(open_deciding(shortlist_only).decide, TASKS)
    for one, again in zip(cases, recalibrated(cases, fit), strict=True):
        scores, made = ([(c.name, c.score) for c in x.decision.candidates] for x in (one, again))
        assert made == scores


@pytest.mark.parametrize("calibration", [{}, Calibration(kind="platt", a=0.5, b=2.0).as_mapping()])
def test_an_evaluation_returns_what_a_match_returns(shortlist_only, calibration):
    encoder, reranker = models_in_use(shortlist_only)
    floor = Floor(
        value=0.3,
        encoder_fingerprint=encoder,
        reranker_fingerprint=reranker,
        origin="floor.toml",
        calibration=calibration,
    )
    write_floor(shortlist_only, floor)
    matching = Matching(shortlist_only)
    for case in run_cases(open_deciding(shortlist_only).decide, TASKS):
        found = matching.match(case.task.text, project=case.task.project).matches
        names = [(one.name, one.score) for one in returned(case, 0.3, 3)]
        assert names == [(one.name, one.score) for one in found]


def test_a_switched_off_reranker_has_a_fingerprint_of_its_own(shortlist_only):
    assert models_in_use(shortlist_only)[1] == "none"
