from __future__ import annotations

import contextlib

import pytest
from helpers.decisions import case, right, world, wrong
from hypothesis import given, settings
from hypothesis import strategies as st

from memskill.errors import EvaluationRefused, UsageError
from memskill.match.cases import facts_of
from memskill.match.target import choose_floor, parse_target


def facts(cases):
    return [facts_of(one, lambda c: c.score, 3) for one in cases]


def shares(found, floor):
    rights = [f.right >= floor for f in found if f.right_task]
    wrongs = [f.wrong >= floor for f in found if f.fire_task]
    given = [ok for f in found for value, ok in f.answers if value >= floor]
    return sum(rights) / len(rights), sum(wrongs), len(wrongs), given


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("false_fire<=0.05", "false_fire"),
        ("false_fire <= .05", "false_fire"),
        ("precision>=0.9", "precision"),
        ("cost=5:1", "cost"),
        ("cost=0.5:2", "cost"),
    ],
)
def test_a_target_is_read(text, kind):
    found = parse_target(text)
    assert found.kind == kind
    assert found.text == text.replace(" ", "")


@pytest.mark.parametrize(
    "text",
    ["", "recall>=0.9", "false_fire>=0.05", "precision<=0.9", "false_fire<=0", "precision>=1",
     "false_fire<=5", "cost=0:1", "cost=5", "cost=-1:2", "false_fire<=0.05; drop table floor",
     "false_fire<=nan", "false_fire<=1e-2"],
)  # fmt: skip
def test_any_other_target_is_refused(text):
    with pytest.raises(UsageError, match="target"):
        parse_target(text)


@given(st.text(max_size=40))
def test_no_text_breaks_the_parser(text):
    with contextlib.suppress(UsageError):
        assert parse_target(text).kind in ("false_fire", "precision", "cost")


@pytest.mark.parametrize(
    ("text", "least"),
    [("false_fire<=0.05", 19), ("false_fire<=0.01", 99), ("false_fire<=0.1", 9),
     ("precision>=0.9", 9), ("precision>=0.95", 19), ("cost=5:1", 1)],
)  # fmt: skip
def test_a_bound_says_how_many_cases_could_bear_it_out(text, least):
    assert parse_target(text).least_counted == least


@settings(max_examples=30)
@given(st.integers(0, 50), st.sampled_from([0.05, 0.1, 0.2]))
def test_false_fires_keep_the_bound_with_one_to_spare_and_no_lower_floor_does(seed, bound):
    found = facts(world(60, seed=seed, gap=2))
    floor = choose_floor(parse_target(f"false_fire<={bound}"), found)
    recall, fires, tasks, _ = shares(found, floor)
    assert (fires + 1) / (tasks + 1) <= bound + 1e-9
    lower = [f.right for f in found if f.right_task and f.right < floor]
    for value in lower:
        if shares(found, value)[0] > recall:
            assert (shares(found, value)[1] + 1) / (tasks + 1) > bound


@settings(max_examples=30)
@given(st.integers(0, 50))
def test_precision_is_kept_with_one_to_spare(seed):
    found = facts(world(60, seed=seed, gap=3))
    _, _, _, given = shares(found, choose_floor(parse_target("precision>=0.8"), found))
    assert (len(given) - sum(given) + 1) / (len(given) + 1) <= 0.2 + 1e-9


@settings(max_examples=30)
@given(st.integers(0, 50), st.sampled_from([(1, 1), (5, 1), (1, 5)]))
def test_no_floor_costs_less(seed, costs):
    found = facts(world(40, seed=seed, gap=2))

    def cost(floor):
        recall, fires, _, _ = shares(found, floor)
        return costs[0] * fires + costs[1] * (40 - round(recall * 40))

    best = cost(choose_floor(parse_target(f"cost={costs[0]}:{costs[1]}"), found))
    assert best <= min(cost(place / 100) for place in range(101)) + 1e-9


def test_the_bound_holds_on_new_tasks_on_average():
    target = parse_target("false_fire<=0.1")
    new = []
    for seed in range(600):
        try:
            floor = choose_floor(target, facts(world(30, seed=seed, gap=1)))
        except EvaluationRefused:
            new.append(0.0)  # without a floor nothing fires
            continue
        _, fires, tasks, _ = shares(facts(world(30, seed=10_000 + seed, gap=1)), floor)
        new.append(fires / tasks)
    assert 0.05 < sum(new) / len(new) <= 0.1


def test_the_floor_lies_between_its_neighbours_and_has_4_places():
    cases = [case(right(n), a=2.0) for n in range(9)] + [case(wrong(n), a=-2.0) for n in range(9)]
    floor = choose_floor(parse_target("false_fire<=0.1"), facts(cases))
    assert 0.1192 < floor < 0.8808
    assert floor == round(floor, 4)


def test_where_nothing_fires_every_answer_may_pass():
    cases = [case(right(n), a=-5.0) for n in range(9)] + [case(wrong(n)) for n in range(9)]
    assert choose_floor(parse_target("false_fire<=0.1"), facts(cases)) == 0


@pytest.mark.parametrize("target", ["false_fire<=0.1", "precision>=0.9"])
def test_a_floor_that_would_silence_every_right_skill_is_refused(target):
    cases = [case(right(n), b=1.0, a=0.0) for n in range(20)]
    cases += [case(wrong(n), b=1.0) for n in range(20)]
    with pytest.raises(EvaluationRefused, match="no floor reaches"):
        choose_floor(parse_target(target), facts(cases))


def test_saturated_scores_do_not_hide_a_false_fire():
    cases = [case(right(n), a=40.0) for n in range(20)] + [case(wrong(n), a=30.0) for n in range(9)]
    with pytest.raises(EvaluationRefused):
        choose_floor(parse_target("false_fire<=0.1"), facts(cases))
