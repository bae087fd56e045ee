from __future__ import annotations

import pytest
from helpers.decisions import case, right, world, wrong

from memskill.match.abstention import abstention_curve


def test_the_curve_starts_with_every_answer_and_falls():
    curve = abstention_curve(world(40), points=21)
    assert curve[0].floor == 0
    assert curve[0].answered == 1
    for field in ("answered", "recall", "false_fire"):
        values = [getattr(point, field) for point in curve]
        assert values == sorted(values, reverse=True), field
    assert [p.floor for p in curve] == sorted({p.floor for p in curve})
    assert len(curve) <= 21


def test_a_point_says_what_its_floor_does():
    cases = [case(right(1), a=2), case(right(2), b=1), case(wrong(3), a=0)]
    point = next(p for p in abstention_curve(cases) if p.floor == pytest.approx(0.7311))
    shares = (point.answered, point.recall, point.precision, point.false_fire)
    assert shares == (pytest.approx(2 / 3), 0.5, 0.5, 0)


def test_a_class_without_tasks_has_no_share():
    [zero, *_] = abstention_curve([case(wrong(1), a=1)])
    assert (zero.recall, zero.false_fire) == (None, 1.0)


def test_tasks_without_candidates_have_no_curve():
    assert abstention_curve([case(wrong(1))]) == []
