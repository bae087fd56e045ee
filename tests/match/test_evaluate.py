from __future__ import annotations

import dataclasses

import pytest
from helpers.decisions import case, decision, right, scored, world, wrong

from memskill.errors import EvaluationRefused
from memskill.match.cases import run_cases
from memskill.match.evaluate import compare, evaluate
from memskill.records import Task


def timeless(report):
    return dataclasses.replace(report, latency={})


def test_the_report_says_what_it_rests_on():
    cases = [case(right(1, group="g"), a=1), case(right(2, group="g"), a=2), case(wrong(3), a=0)]
    report = evaluate(cases, floor=0.5, floor_origin="shipped", rounds=50)
    assert (report.tasks, report.groups, dict(report.kinds)) == (3, 2, {"match": 2, "none": 1})
    assert (report.encoder_fingerprint, report.reranker_fingerprint) == ("e" * 64, "r" * 64)
    assert (report.floor, report.floor_origin) == (0.5, "shipped")


def test_the_same_cases_give_the_same_report():
    one, other = (evaluate(world(30), floor=0.6, seed=3) for _ in range(2))
    assert timeless(one) == timeless(other)


def test_intervals_hold_their_value():
    report = evaluate(world(60, gap=1.5), floor=0.6)
    assert len(report.measures) > 10
    for name, one in report.measures.items():
        assert one.low <= one.value <= one.high, name


def test_without_a_floor_decisions_are_left_out():
    report = evaluate(world(10), floor=None, rounds=20)
    assert "recall" not in report.measures
    assert "recall@1" in report.measures
    assert all(row.decision_right is None for row in report.by_group)


def test_groups_are_told_apart():
    cases = [case(right(1, group="x"), a=3), case(right(2, group="y"), b=3, a=1)]
    cases.append(case(Task(text="alone", expected=(), kind="none"), a=-3))
    rows = {row.group: row for row in evaluate(cases, floor=0.5, rounds=20).by_group}
    assert list(rows) == ["", "x", "y"]
    assert (rows["x"].recall_at_1, rows["y"].recall_at_1, rows[""].recall_at_1) == (1.0, 0.0, None)
    assert (rows["x"].decision_right, rows["y"].decision_right) == (1.0, 0.0)
    assert rows[""].decision_right == 1


@pytest.mark.parametrize(
    ("task", "logits", "floor", "cause"),
    [
        (wrong(1), {"a": 2}, 0.5, "false fire"),
        (right(1), {"b": 2}, 0.5, "not shortlisted"),
        (right(1), {"b": 5, "c": 4, "d": 3, "a": 2}, 0.5, "outranked"),
        (right(1), {"a": -2}, 0.5, "below the floor"),
        (right(1), {"b": 3, "a": 2}, 0.5, "not first"),
        (right(1), {"b": 3, "a": 2}, None, "not first"),
        (right(1), {"b": 3}, None, "not shortlisted"),
        (Task(text="t", expected=("b",), forbidden=("a",), kind="near_miss"),
         {"b": 3, "a": 2}, 0.5, "false fire"),
    ],
)  # fmt: skip
def test_every_wrong_case_has_its_cause(task, logits, floor, cause):
    [found] = evaluate([case(task, **logits)], floor=floor, rounds=5).wrong
    assert (found.cause, found.task) == (cause, task.text)


def test_right_cases_are_not_listed():
    cases = [case(right(1), a=2), case(wrong(2), a=-2), case(wrong(3))]
    assert evaluate(cases, floor=0.5, rounds=5).wrong == []


def test_a_wrong_case_explains_the_right_skill_wherever_it_stood():
    logits = {name: 9.0 - place for place, name in enumerate("bcdefg")} | {"a": 1.0}
    [found] = evaluate([case(right(1), **logits)], floor=0.5, rounds=5).wrong
    assert [row.name for row in found.candidates] == [*"bcdef", "a"]
    last = found.candidates[-1]
    assert (last.place, last.label, last.kept) == (7, "right", False)
    assert [row.kept for row in found.candidates[:4]] == [True, True, True, False]
    assert found.returned == ("b", "c", "d")


def test_what_was_shortlisted_but_not_reranked_has_a_place_behind():
    one = case(right(1), b=2.0)
    one = dataclasses.replace(
        one, decision=dataclasses.replace(one.decision, passed_over=("c", "a"))
    )
    report = evaluate([one], floor=0.5, rounds=5)
    assert report.measures["recall@3"].value == 1
    assert report.measures["recall"].value == 0
    assert report.wrong[0].cause == "passed over"


def test_times_are_told_by_stage():
    cases = [
        dataclasses.replace(
            case(right(n)), decision=decision(scored("a", 1), encode=n / 1e3, rerank=0.5)
        )
        for n in (1, 2, 3)
    ]
    latency = evaluate(cases, floor=0.5, rounds=5).latency
    assert list(latency) == ["encode", "rerank", "total"]
    assert latency["encode"].p50_ms == pytest.approx(2)
    assert latency["rerank"].p95_ms == pytest.approx(500)


def test_nothing_to_evaluate_is_refused():
    with pytest.raises(EvaluationRefused, match="no task"):
        evaluate([], floor=0.5)


def test_cases_keep_the_order_of_their_tasks_and_state_their_project():
    asked = []

    def decide(text, project):
        asked.append((text, project))
        return decision(scored("a", 1.0))

    tasks = [right(2, project="p"), right(1)]
    told = []
    cases = run_cases(decide, tasks, lambda done, total: told.append((done, total)))
    assert asked == [("right 2", "p"), ("right 1", None)]
    assert [c.task for c in cases] == tasks
    assert told == [(1, 2), (2, 2)]


def both(first, second, **options):
    options = {"names": ("one", "two"), "floors": (0.5, 0.5), "rounds": 200} | options
    return compare(first, second, **options)


def test_a_setting_does_not_differ_from_itself():
    found = both(world(20), world(20))
    for name, one in found.differences.items():
        assert (one.value, one.low, one.high) == (0, 0, 0), name
    assert (found.only_first, found.only_second) == ((), ())


def test_a_better_setting_is_better_beyond_chance():
    good, bad = world(60, gap=5), world(60, gap=0.5)
    found = both(good, bad)
    assert found.differences["recall@1"].low > 0
    assert found.differences["false_fire"].high < 0
    assert len(found.only_first) > len(found.only_second)


def test_what_is_hard_for_both_drops_out_of_a_difference():
    # Both settings fail on the same half of the tasks; the second fails on one task more.
    first = [case(right(n), **({"a": 2.0} if n % 2 else {"b": 2.0})) for n in range(100)]
    second = [first[0], case(right(1), b=2.0), *first[2:]]
    paired = both(first, second).differences["recall@1"]
    alone = evaluate(first, floor=0.5, rounds=200).measures["recall@1"]
    assert paired.value == pytest.approx(0.01)
    assert paired.high - paired.low < (alone.high - alone.low) / 3


def test_different_tasks_cannot_be_compared():
    with pytest.raises(EvaluationRefused, match="same tasks"):
        both(world(5), world(6))


def test_without_floors_the_order_is_compared():
    found = both([case(right(1), a=1, b=-1)], [case(right(1), b=1, a=-1)], floors=(None, 0.5))
    assert found.only_first == ("right 1",)
    assert "recall" not in found.differences
