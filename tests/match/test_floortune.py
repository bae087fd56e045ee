from __future__ import annotations

import dataclasses
import itertools

import pytest
from helpers.decisions import case, decision, right, scored, world, wrong
from hypothesis import given, settings
from hypothesis import strategies as st

from memskill.errors import EvaluationRefused
from memskill.match import floortune
from memskill.match.cases import recalibrated
from memskill.match.floortune import tune
from memskill.match.target import parse_target
from memskill.models.calibration import Calibration
from memskill.records import Task
from memskill.sources.tasks import tasks_fingerprint

TENTH = parse_target("false_fire<=0.1")


def fitted(cases, target=TENTH, **options):
    return tune(cases, target, **{"rounds": 50, "fitted_at": "2026-01-01T00:00:00Z"} | options)


def test_a_floor_is_bound_to_what_made_it():
    cases = world(60)
    floor = fitted(cases, seed=7).floor
    assert (floor.encoder_fingerprint, floor.reranker_fingerprint) == ("e" * 64, "r" * 64)
    assert floor.data_fingerprint == tasks_fingerprint(c.task for c in cases)
    assert (floor.seed, floor.fitted_at) == (7, "2026-01-01T00:00:00Z")
    assert Calibration.from_mapping(floor.calibration).kind == "platt"


def test_the_same_tasks_and_seed_give_the_same_fit_in_any_order():
    one, same = fitted(world(60)), fitted(world(60))
    assert one == same
    mixed = fitted(world(60)[::-1])
    assert (mixed.floor, mixed.fitted.tasks) == (one.floor, one.fitted.tasks)


def test_another_seed_is_another_split():
    cases = world(60, gap=2)
    assert fitted(cases, seed=1).floor.value != fitted(cases, seed=2).floor.value


def test_the_held_out_part_takes_no_part_in_the_fit(monkeypatch):
    """Leak test: whatever the held-out part's models say, calibration and floor stay."""
    cases = world(60, gap=2)
    seen = []
    plain = floortune.fit
    monkeypatch.setattr(
        floortune, "fit", lambda given, *rest: seen.append(given) or plain(given, *rest)
    )
    before = fitted(cases)
    texts = {one.task.text for one in seen[0]}
    assert 0 < len(texts) < len(cases)
    ruined = [
        one
        if one.task.text in texts
        else dataclasses.replace(one, decision=decision(scored("other", 9.0)))
        for one in cases
    ]
    after = fitted(ruined)
    assert after.floor == before.floor
    assert after.fitted == before.fitted
    assert after.held_out != before.held_out


@settings(max_examples=10)
@given(st.integers(0, 1000), st.sampled_from([0.4, 0.5, 0.6]))
def test_no_group_and_no_skill_is_in_both_parts(seed, share):
    cases = world(80, groups=20)
    seen = []

    def split(tasks, classes, **options):
        seen.append(floortune_split(tasks, classes, **options))
        return seen[0]

    floortune_split = floortune.split_by_group
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(floortune, "split_by_group", split)
        fitted(cases, seed=seed, share=share, rounds=2)
    first, second = ([cases[place].task for place in part] for part in seen[0])
    assert not {t.group for t in first} & {t.group for t in second}
    assert not {n for t in first for n in t.expected} & {n for t in second for n in t.expected}


def test_the_report_is_of_the_scores_that_the_floor_brings():
    result = fitted(world(60))
    assert result.held_out.measures["recall"].value > 0.85
    assert result.held_out.measures["false_fire"].value < 0.15
    assert result.held_out.measures["ece"].value < 0.25
    assert result.fitted.right + result.held_out.right == 60
    assert all(case.cause for case in result.wrong)


def test_what_made_the_scores_before_does_not_matter():
    cases = world(60, gap=2)
    shifted = recalibrated(cases, Calibration(kind="platt", a=0.3, b=5.0))
    assert [c.decision.candidates[0].score for c in cases] != [
        c.decision.candidates[0].score for c in shifted
    ]
    assert fitted(shifted).floor == fitted(cases).floor


def test_a_candidate_that_the_reranker_passed_over_is_no_answer():
    cases = world(60)
    passed = dataclasses.replace(scored("zzz", -50.0), logit=float("-inf"), score=0.0)
    more = [
        dataclasses.replace(one, decision=decision(*one.decision.candidates, passed))
        for one in cases
    ]
    assert fitted(more).floor == fitted(cases).floor


@pytest.mark.parametrize(
    ("cases", "missing"),
    [
        (world(12), "the fitted part has 6 tasks that a skill fits, it needs 10"),
        ([c for c in world(60) if c.task.expected], "has 0 tasks that no skill fits"),
        ([c for c in world(60) if not c.task.expected], "has 0 tasks that a skill fits"),
        (world(60, groups=2), "groups of tasks that a skill fits, it needs 3"),
    ],
)
def test_too_few_tasks_are_refused_with_what_is_missing(cases, missing):
    with pytest.raises(EvaluationRefused) as caught:
        fitted(cases)
    assert any(missing in reason for reason in caught.value.reasons)


@pytest.mark.parametrize(
    ("target", "count", "need"),
    [("false_fire<=0.05", 30, 19), ("false_fire<=0.01", 100, 99), ("precision>=0.99", 20, 99)],
)
def test_a_strict_target_needs_more_tasks(target, count, need):
    with pytest.raises(EvaluationRefused) as caught:
        fitted(world(count), parse_target(target))
    assert any(f"it needs {need}" in reason for reason in caught.value.reasons)


def test_the_tasks_own_splits_can_be_used():
    parts = [world(30, split="valid"), world(40, seed=1, split="final"), world(9, split="train")]
    named = [
        dataclasses.replace(
            one,
            task=dataclasses.replace(
                one.task, group=f"{one.task.split} {one.task.group}",
                text=f"{one.task.split} {one.task.text}",
            ),
        )
        for part in parts
        for one in part
    ]  # fmt: skip
    result = fitted(named, fit_on=["valid"], report_on=["final"])
    assert (result.fitted.tasks, result.held_out.tasks) == (60, 80)


def test_splits_that_share_a_group_are_refused_with_its_name():
    cases = [*world(30, split="valid"), *world(30, seed=1, split="final")]
    with pytest.raises(EvaluationRefused, match="lie in both parts") as caught:
        fitted(cases, fit_on=["valid"], report_on=["final"])
    assert "group 'g0'" in caught.value.reasons


def test_a_no_match_group_in_both_splits_is_only_reported_on(monkeypatch):
    cases = [
        *(case(right(n, f"a{n}", split="valid"), **{f"a{n}": 3 + n / 50}) for n in range(20)),
        *(case(right(50 + n, f"b{n}", split="final"), **{f"b{n}": 3 + n / 50}) for n in range(20)),
        *(case(wrong(n, group=f"w{n}", split="valid"), c=-3 - n / 50) for n in range(20)),
        *(case(wrong(50 + n, group=f"w{n + 12}", split="final"), c=-4.0) for n in range(20)),
    ]
    result = fitted(cases, fit_on=["valid"], report_on=["final"], target=parse_target("cost=1:1"))
    assert (result.fitted.wrong, result.held_out.wrong) == (12, 20)


@pytest.mark.parametrize(
    ("fit_on", "report_on"), [(["valid"], []), ([], ["final"]), (["valid"], ["valid"])]
)
def test_stated_parts_must_be_two(fit_on, report_on):
    with pytest.raises(EvaluationRefused, match="other splits"):
        fitted(world(30, split="valid"), fit_on=fit_on, report_on=report_on)


def test_decisions_of_several_models_are_refused():
    cases = world(60)
    cases[0] = dataclasses.replace(
        cases[0], decision=dataclasses.replace(cases[0].decision, encoder_fingerprint="f" * 64)
    )
    with pytest.raises(EvaluationRefused, match="2 pairs of models"):
        fitted(cases)


def warned(cases, part, **options):
    return [warning for warning in fitted(cases, **options).warnings if part in warning]


def test_a_sound_fit_has_no_warning():
    assert fitted(world(150)).warnings == ()


def test_one_greedy_skill_is_named():
    cases = world(60)
    greedy = [case(wrong(1000 + n), greedy=2.5 + n / 50) for n in range(24)]
    [warning] = warned([*cases, *greedy], "greedy", target=parse_target("false_fire<=0.3"))
    assert "skill 'greedy' alone makes" in warning


def test_false_fires_of_many_skills_name_none():
    names = itertools.cycle("abcdefgh")
    many = [case(wrong(1000 + n), **{next(names): 2.5 + n / 50}) for n in range(24)]
    assert not warned([*world(60), *many], "greedy", target=parse_target("false_fire<=0.3"))


def test_parts_that_disagree_are_told():
    easy = [
        *(case(right(n, "a", split="valid"), a=3 + n / 50) for n in range(30)),
        *(case(wrong(n, split="valid"), a=-3 - n / 50) for n in range(30)),
    ]
    hard = [
        *(case(right(100 + n, "a", split="final"), a=3 + n / 50) for n in range(30)),
        *(case(wrong(100 + n, split="final"), a=2.9 + n / 50) for n in range(30)),
    ]
    options = {"fit_on": ["valid"], "report_on": ["final"]}
    assert warned(easy + hard, "false_fire is 0.000", **options)
    assert warned(easy + hard, "the held-out part misses false_fire<=0.1", **options)


def test_a_skill_that_is_right_in_both_parts_is_told():
    tasks = [
        *(case(right(n, "a", split="valid"), a=3 + n / 50) for n in range(30)),
        *(case(wrong(n, split="valid"), a=-3 - n / 50) for n in range(30)),
        *(case(right(100 + n, "a", split="final"), a=3 + n / 50) for n in range(30)),
        *(case(wrong(100 + n, split="final"), a=-3 - n / 50) for n in range(30)),
    ]
    assert warned(tasks, "1 skills are right in both parts", fit_on=["valid"], report_on=["final"])


def test_near_misses_count_as_tasks_that_nothing_fits():
    cases = [one for one in world(60) if one.task.expected]
    cases += [
        case(
            Task(text=f"m{n}", expected=(), forbidden=("a",), kind="near_miss", group=f"m{n}"),
            a=-3 - n / 50,
            unjudged=5.0,
        )
        for n in range(60)
    ]
    result = fitted(cases)
    assert result.fitted.wrong + result.held_out.wrong == 60
    assert result.held_out.measures["false_fire:near_miss"].value == 0
