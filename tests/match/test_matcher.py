"""From a shortlist to a decision: what is reranked, calibrated, kept and said."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from helpers.serving import fake_matcher
from helpers.vaults import write_skill

from memskill.match.catalogue import Catalogue
from memskill.match.policy import Reach
from memskill.match.snapshot import Snapshot
from memskill.models.calibration import Calibration
from memskill.models.fakes import OverlapReranker
from memskill.records import Floor


class NotingReranker(OverlapReranker):
    """Notes what it is asked."""

    def __init__(self, evidence_names=()):
        super().__init__(evidence_names)
        self.asked: list[tuple[str, list[str], np.ndarray]] = []

    def rerank(self, task, texts, evidence):
        self.asked.append((task, list(texts), evidence))
        return super().rerank(task, texts, evidence)


class FixedReranker(OverlapReranker):
    """Gives every text the same logit."""

    def __init__(self, logit: float) -> None:
        super().__init__()
        self.logit = logit

    def rerank(self, task, texts, evidence):
        return np.full(len(texts), self.logit)


@pytest.fixture
def snapshot(settings):
    write_skill(settings, "mow", "Mows the lawn when the grass is high. Not for hedges.")
    write_skill(settings, "cut", "Cuts hedges and trees.")
    write_skill(settings, "paint", "Paints fences white.")
    matcher = fake_matcher()
    return Catalogue(settings, matcher.encoder, matcher.hybrid).current()


def floor_of(matcher, value=0.5, **more) -> Floor:
    return Floor(
        value=value,
        encoder_fingerprint=matcher.encoder.fingerprint,
        reranker_fingerprint=matcher.reranker_fingerprint,
        origin="set by hand",
        **more,
    )


def answer(matcher, snapshot, task="mow the high grass", value=0.5, **more):
    return matcher.answer(snapshot, task, None, floor_of(matcher, value), **more)


def test_the_reranker_reads_the_positive_texts_with_the_evidence_it_names(snapshot):
    reranker = NotingReranker(("negative", "cosine", "lexical"))
    answer(fake_matcher(reranker=reranker), snapshot, "trim hedges")
    ((task, texts, evidence),) = reranker.asked
    assert task == "trim hedges"
    assert not any("Not for" in text for text in texts)
    assert (evidence.shape, evidence.dtype) == ((3, 3), np.float32)
    mow = next(i for i, text in enumerate(texts) if text.startswith("Mows"))
    assert evidence[mow, 0] > 0
    assert evidence[mow, 2] == 0


def test_nothing_near_asks_no_reranker(snapshot):
    reranker = NotingReranker()
    matcher = fake_matcher(reranker=reranker)
    matcher = dataclasses.replace(
        matcher, hybrid=dataclasses.replace(matcher.hybrid, recall_cut=1e9)
    )
    assert answer(matcher, snapshot).candidates == ()
    assert reranker.asked == []


def reach_of(reranker, lift):
    """Return a policy by which `reranker` lifts to a logit of hybrid + lift at most."""
    reach = Reach(reranker=reranker.fingerprint, slope=1.0, bias=0.0, lift=lift)
    return dataclasses.replace(fake_matcher().hybrid, reach=reach)


def test_what_cannot_reach_the_floor_is_not_reranked(snapshot):
    hybrids = sorted(one.hybrid for one in answer(fake_matcher(), snapshot).candidates)
    reranker = NotingReranker()
    # A floor of 0.5 is a logit of 0: what lies above the lowest of three hybrids reaches it.
    lift = -(hybrids[0] + hybrids[1]) / 2
    matcher = fake_matcher(reranker=reranker, hybrid=reach_of(reranker, lift))
    found = answer(matcher, snapshot)
    assert len(reranker.asked[0][1]) == len(found.candidates) == 2
    assert found.cut == pytest.approx(-lift, abs=1e-3)
    # Who fits a floor sees what lies below the one in force.
    answer(matcher, snapshot, whole=True)
    assert len(reranker.asked[1][1]) == 3
    # A lower floor is reached from further below.
    answer(matcher, snapshot, value=0.01)
    assert len(reranker.asked[2][1]) == 3


def test_an_explanation_shows_what_cannot_reach_the_floor_and_keeps_none_of_it(snapshot):
    reranker = FixedReranker(5.0)
    matcher = fake_matcher(reranker=reranker, hybrid=reach_of(reranker, -1e3))
    assert answer(matcher, snapshot).candidates == ()
    shown = answer(matcher, snapshot, explain=True)
    assert [one.rerank_score for one in shown.candidates] == [5.0] * 3
    assert all("below the recall cut" in one.reason for one in shown.candidates)
    assert shown.matches(3) == []


def test_where_nothing_can_reach_the_floor_sql_is_not_asked_and_the_answer_is_the_same(
    snapshot, monkeypatch
):
    reranker = NotingReranker()
    matcher = fake_matcher(reranker=reranker, hybrid=reach_of(reranker, -1e3))
    asked: list[int] = []
    reading = Snapshot.reading

    def noting(self):
        asked.append(1)
        return reading(self)

    monkeypatch.setattr(Snapshot, "reading", noting)
    assert answer(matcher, snapshot).candidates == ()
    assert asked == []
    # A named skill, an explanation, and who fits a floor are answered by SQL.
    assert len(answer(matcher, snapshot, "use the mow skill").candidates) == 1
    assert len(answer(matcher, snapshot, explain=True).candidates) == 3
    assert len(answer(matcher, snapshot, whole=True).candidates) == 3
    assert len(asked) == 3


def test_a_known_vector_is_not_made_again(snapshot, monkeypatch):
    matcher = fake_matcher()
    vector = matcher.encoder.encode(["mow the high grass"])[0]
    expected = answer(matcher, snapshot).candidates
    monkeypatch.setattr(type(matcher.encoder), "encode", None)
    assert answer(matcher, snapshot, vector=vector).candidates == expected


def test_a_named_skill_is_reranked_though_it_is_far_and_gets_no_score_for_it(settings):
    write_skill(settings, "paint-fences", "Colours wood.")
    write_skill(settings, "mow", "Mows the lawn.")
    reranker = NotingReranker()
    matcher = fake_matcher(reranker=reranker)
    hybrid = dataclasses.replace(matcher.hybrid, recall_cut=1e9)
    matcher = dataclasses.replace(matcher, hybrid=hybrid)
    snapshot = Catalogue(settings, matcher.encoder, hybrid).current()
    found = answer(matcher, snapshot, "what is paint-fences made of", explain=True)
    assert [(one.name, one.named) for one in found.candidates] == [
        ("paint-fences", True), ("mow", False),
    ]  # fmt: skip
    assert reranker.asked[0][1] == ["Colours wood."]
    assert found.matches(3) == []


def test_the_floor_counts_what_reaches_it(snapshot):
    exact = answer(fake_matcher(reranker=FixedReranker(0.0)), snapshot, value=0.5)
    assert [one.kept for one in exact.candidates] == [True] * 3
    above = answer(fake_matcher(reranker=FixedReranker(0.0)), snapshot, value=0.5001)
    assert [one.kept for one in above.candidates] == [False] * 3
    assert all("below the floor" in one.reason for one in above.candidates)


def test_ties_at_four_places_go_by_name_before_the_limit(snapshot):
    found = answer(fake_matcher(reranker=FixedReranker(1.0)), snapshot)
    assert [match.name for match in found.matches(2)] == ["cut", "mow"]
    assert {one.score for one in found.candidates} == {0.7311}


def test_the_activation_is_applied_once(snapshot):
    for logit, score in ((-3.0, 0.0474), (0.0, 0.5), (4.0, 0.982)):
        found = answer(fake_matcher(reranker=FixedReranker(logit)), snapshot)
        assert {(one.rerank_score, one.score) for one in found.candidates} == {(logit, score)}


def test_a_floor_brings_its_own_calibration(snapshot):
    matcher = fake_matcher(reranker=FixedReranker(1.0))
    fit = Calibration(kind="platt", a=2.0, b=-2.0).as_mapping()
    found = matcher.answer(snapshot, "x", None, floor_of(matcher, calibration=fit))
    assert {one.score for one in found.candidates} == {0.5}


def test_without_a_reranker_the_shortlist_decides_and_says_so(snapshot):
    matcher = fake_matcher(reranker=None)
    found = answer(matcher, snapshot, value=0.0)
    assert matcher.reranker_fingerprint == "none"
    assert {one.rerank_score for one in found.candidates} == {None}
    hybrids = [one.hybrid for one in found.candidates]
    assert hybrids == sorted(hybrids, reverse=True)
    expected = matcher.hybrid.calibration.apply(hybrids)
    assert [one.score for one in found.candidates] == [round(float(s), 4) for s in expected]


def test_matched_on_is_the_field_of_the_best_clause(settings):
    folder = settings.skills_dir / "mow"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(
        "---\ndescription: Looks after lawns.\nwhen_to_use: Use when moles dig.\n---\n"
    )
    matcher = fake_matcher()
    snapshot = Catalogue(settings, matcher.encoder, matcher.hybrid).current()
    found = {
        task: answer(matcher, snapshot, task, value=0.0).matches(1)[0].matched_on
        for task in ("looks after lawns", "moles dig")
    }
    assert found == {"looks after lawns": "description", "moles dig": "when_to_use"}


def test_what_is_sent_away_is_said(snapshot):
    found = answer(fake_matcher(), snapshot, "hedges", value=0.99)
    mow = next(one for one in found.candidates if one.name == "mow")
    assert "sends away" in mow.reason
    assert mow.negative_clause == "Not for hedges."


def test_explain_changes_no_score(snapshot):
    plain = answer(fake_matcher(), snapshot)
    shown = answer(fake_matcher(), snapshot, explain=True)
    assert [dataclasses.replace(one, words=()) for one in shown.candidates] == list(
        plain.candidates
    )
    best = shown.candidates[0]
    assert (best.name, set(best.words)) == ("mow", {"grass", "high", "mow"})


def test_every_stage_is_timed(snapshot):
    found = answer(fake_matcher(), snapshot)
    assert list(found.seconds) == ["encode", "shortlist", "rerank"]
    assert min(found.seconds.values()) > 0


@pytest.mark.parametrize("names", [(), ("cosine", "clause")])
def test_warm_runs_both_models_once(names):
    reranker = NotingReranker(names)
    dataclasses.replace(fake_matcher(), reranker=reranker).warm()
    ((_, texts, evidence),) = reranker.asked
    assert evidence.shape == (len(texts), len(names)) == (1, len(names))
    dataclasses.replace(fake_matcher(), reranker=None).warm()
