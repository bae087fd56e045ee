from __future__ import annotations

import dataclasses
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.match.grouping import components, group_key, split_by_group
from memskill.records import Task

names = st.sampled_from("abcdef")
tasks = st.builds(
    lambda text, expected, group: Task(
        text=text,
        expected=tuple(sorted(expected)),
        group=group,
        kind="match" if expected else "none",
    ),
    st.text(st.sampled_from("xyz "), min_size=1, max_size=4),
    st.sets(names, max_size=2),
    st.sampled_from(["", "g1", "g2", "g3"]),
)
sets = st.lists(tasks, min_size=1, max_size=40)


def classes(found):
    return [bool(t.expected) for t in found], [not t.expected for t in found]


def split(found, seed=0, share=0.5):
    first, second = split_by_group(found, classes(found), share=share, seed=seed)
    return [found[i] for i in first], [found[i] for i in second]


def test_a_group_comes_before_the_skill_and_the_skill_before_the_text():
    task = Task(text="Do it", expected=("a",), forbidden=("b",), group="g", kind="near_miss")
    keys = [
        task,
        dataclasses.replace(task, group=""),
        dataclasses.replace(task, group="", expected=()),
        dataclasses.replace(task, group="", expected=(), forbidden=()),
    ]
    assert [group_key(one) for one in keys[:3]] == ["g", "a", "b"]
    assert group_key(keys[3]) not in ("g", "a", "b", "do it")


def test_equal_texts_are_together_whatever_their_case_and_group():
    one, other = (
        Task(text=t, expected=("a",), group=g) for t, g in (("Fix it", "g"), ("fix  IT", "h"))
    )
    third = Task(text="fix them", expected=("a",), group="h")
    assert len(set(components([one, other, third]))) == 1


def test_a_common_skill_joins_groups_only_where_asked():
    pair = [Task(text=t, expected=("a",), group=t) for t in ("one", "two")]
    assert len(set(components(pair))) == 2
    assert len(set(components(pair, by_skill=True))) == 1


@given(sets, st.integers(0, 5))
def test_a_split_cuts_no_group_no_text_and_no_skill(found, seed):
    parts = split(found, seed)
    assert sum(map(len, parts)) == len(found)
    for key in (
        lambda t: {t.group} - {""},
        lambda t: set(t.expected),
        lambda t: {" ".join(t.text.casefold().split())},
    ):
        first, second = (set().union(*map(key, part)) for part in parts)
        assert not first & second


@given(sets, st.randoms())
def test_the_order_of_the_tasks_does_not_move_the_split(found, order):
    mixed = list(found)
    order.shuffle(mixed)

    def texts(pairs):
        return [sorted((t.text, t.expected, t.group) for t in part) for part in split(pairs)]

    assert texts(found) == texts(mixed)


@pytest.mark.parametrize("share", [0.3, 0.5, 0.7])
def test_parts_get_their_share_of_each_class(share):
    found = [Task(text=f"r{i}", expected=(f"s{i % 40}",)) for i in range(100)]
    found += [Task(text=f"w{i}", expected=(), kind="none") for i in range(50)]
    random.Random(0).shuffle(found)
    first, second = split(found, share=share)
    for is_class in (lambda t: bool(t.expected), lambda t: not t.expected):
        inside, outside = (sum(map(is_class, part)) for part in (first, second))
        assert inside / (inside + outside) == pytest.approx(share, abs=0.05)


def test_another_seed_is_another_split():
    found = [Task(text=f"r{i}", expected=(f"s{i}",)) for i in range(40)]
    assert split(found, seed=1) != split(found, seed=2)
    assert split(found, seed=1) == split(found, seed=1)
