from __future__ import annotations

import numpy as np
import pytest
from helpers.decisions import case, decision, right, scored, world, wrong

from memskill.match.cases import Case
from memskill.match.statistics import statistics
from memskill.records import Task


def measured(cases, floor=0.5, **options):
    ones = np.ones(len(cases))
    found = statistics(cases, floor=floor, **options)
    return {name: statistic(ones) for name, (statistic, _) in found.items()}


def test_order_is_judged_before_the_floor():
    cases = [
        case(right(1), a=-3, b=-4),
        case(right(2), b=5, a=4),
        case(right(3), b=5, c=4, d=3, a=2),
        case(right(4), b=5),
    ]
    found = measured(cases, floor=0.99)
    assert found["recall@1"] == 0.25
    assert found["recall@3"] == 0.5
    assert found["recall@20"] == 0.75
    assert found["mrr"] == pytest.approx((1 + 1 / 2 + 1 / 4) / 4)
    assert found["ndcg@3"] == pytest.approx((1 + 1 / np.log2(3)) / 4)


def test_any_of_the_right_skills_counts():
    task = Task(text="t", expected=("a", "b"))
    found = measured([case(task, b=3, c=2)])
    assert (found["recall@1"], found["recall"]) == (1.0, 1.0)


def test_the_whole_decision():
    cases = [
        case(right(1), a=3),  # right
        case(right(2), a=-3),  # below the floor
        case(right(3), b=3, a=2),  # returned second
        case(wrong(4)),  # rightly nothing
        case(wrong(5, "borderline"), a=2),  # false fire
        case(wrong(6, "body_trap"), a=-2),  # rightly nothing
    ]
    found = measured(cases)
    assert found["recall"] == pytest.approx(2 / 3)
    assert found["precision"] == pytest.approx(2 / 4)
    assert found["first_right"] == pytest.approx(1 / 3)
    assert found["decision_right"] == pytest.approx(3 / 6)
    assert found["false_fire"] == pytest.approx(1 / 3)
    assert found["false_fire:none"] == 0
    assert found["false_fire:borderline"] == 1
    assert found["false_fire:body_trap"] == 0


def test_only_the_first_skills_can_be_returned():
    [found] = [measured([case(right(1), b=5, c=4, d=3, a=2)], limit=3)]
    assert (found["recall"], found["precision"]) == (0.0, 0.0)
    assert measured([case(right(1), b=5, c=4, d=3, a=2)], limit=4)["recall"] == 1


def test_a_score_at_the_floor_passes():
    one = case(right(1), a=1.0)
    floor = one.decision.candidates[0].score
    assert measured([one], floor=floor)["recall"] == 1
    assert measured([one], floor=floor + 1e-6)["recall"] == 0


def test_a_near_miss_forbids_its_skill_and_judges_no_other():
    task = Task(text="t", expected=(), forbidden=("a",), kind="near_miss")
    fired, other = case(task, a=3, b=2), case(task, b=3, a=-3)
    assert measured([fired])["false_fire:near_miss"] == 1
    found = measured([other])
    assert found["false_fire:near_miss"] == 0
    assert "precision" not in found  # b is unjudged: nothing that was returned says anything
    assert measured([fired])["precision"] == 0


def test_a_near_miss_of_one_skill_may_be_right_for_another():
    task = Task(text="t", expected=("b",), forbidden=("a",), kind="near_miss")
    found = measured([case(task, b=3, a=2)])
    assert (found["recall@1"], found["recall"], found["false_fire"]) == (1.0, 1.0, 1.0)
    assert found["decision_right"] == 0
    # It is in neither camp of a separation, which needs another task.
    assert "auroc" not in found


def test_routed_and_declined_tasks_are_judged_by_themselves():
    cases = [
        case(Task(text="1", expected=("b",), kind="routed"), b=2, a=1),
        case(Task(text="2", expected=("b",), kind="routed"), a=2, b=1),
        case(Task(text="3", expected=(), kind="declined"), a=-2),
        case(Task(text="4", expected=(), kind="declined"), a=2),
    ]
    assert measured(cases)["routing"] == 0.5


def test_separation_compares_best_scores_by_kind():
    cases = [case(right(i), a=i) for i in range(1, 6)]
    cases += [case(wrong(6), a=0.5), case(wrong(7, "borderline"), a=2.5)]
    found = measured(cases)
    assert found["auroc:none"] == 1
    assert found["auroc:borderline"] == pytest.approx(3 / 5)
    assert found["fires@80"] == pytest.approx(1 / 2)
    assert found["fires@90"] == pytest.approx(1 / 2)
    assert found["fires@80:none"] == 0


def test_a_task_without_candidates_counts_as_silent():
    cases = [case(right(1), a=1), case(wrong(2)), case(right(3))]
    found = measured(cases)
    assert (found["auroc"], found["recall"], found["false_fire"]) == (0.75, 0.5, 0.0)


def test_matched_on_looks_at_the_right_skill():
    task = Task(text="t", expected=("a",), matched_on="when_to_use")
    hit, miss = (scored("a", 1.0, matched_on=f) for f in ("when_to_use", "description"))
    above = scored("b", 2.0)
    cases = [Case(task=task, decision=decision(above, one)) for one in (hit, miss)]
    assert measured(cases)["matched_on"] == 0.5


def test_what_cannot_be_measured_is_left_out():
    assert set(measured([case(wrong(1), a=1)], floor=None)) == {"ece", "brier"}
    without = measured([case(right(1), a=1)], floor=None)
    assert not {"recall", "precision", "decision_right", "auroc", "matched_on"} & set(without)


def test_well_calibrated_scores_have_a_small_error():
    random = np.random.default_rng(0)
    cases = []
    for number in range(3000):
        logit = float(random.normal() * 2)
        name = "a" if random.random() < 1 / (1 + np.exp(-logit)) else "b"
        cases.append(case(right(number), **{name: logit}))
    assert measured(cases)["ece"] < 0.03
    shifted = [case(c.task, **{c.decision.candidates[0].name: 9.0}) for c in cases]
    assert measured(shifted)["ece"] > 0.4


def test_weights_of_one_case_twice_are_those_of_two_cases():
    cases = world(8)
    doubled = [*cases, cases[0], cases[1]]
    weights = np.array([2.0, 2.0] + [1.0] * (len(cases) - 2))
    once, twice = (statistics(c, floor=0.5) for c in (cases, doubled))
    assert once.keys() == twice.keys()
    for name, (statistic, _) in once.items():
        expected = twice[name][0](np.ones(len(doubled)))
        assert statistic(weights) == pytest.approx(expected), name
