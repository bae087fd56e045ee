"""Records with a face."""

from __future__ import annotations

import pytest

from memskill.explore.columns import _COLUMNS, Measure
from memskill.explore.shown import SHOWN_ROWS, Rows, Shown
from memskill.match.measures import Estimate
from memskill.records import Finding, Match, Node, Skill, Task

HOSTILE = "<script>alert(1)</script>&\"'"


def node(**changes):
    values = {"sha": "a" * 64, "level": "L1", "project": "infra", "query_id": "q1"}
    values |= {"query": "why?", "body": "because"} | changes
    return Node(**values)


def test_a_record_is_reached_through_its_face():
    found = Shown(node())
    assert found.address == "infra/q1"
    assert found.record == node()
    assert "address" in dir(found)


def test_a_missing_field_is_an_attribute_error():
    with pytest.raises(AttributeError, match="nothing"):
        Shown(node()).nothing  # noqa: B018


def test_a_face_is_one_line():
    assert repr(Shown(node(query="two\nlines"))) == "L1 infra/q1: two lines"


@pytest.mark.parametrize(
    "record",
    [
        node(query=HOSTILE, body=HOSTILE, project=HOSTILE, tags=(HOSTILE,)),
        Skill(path="p", name=HOSTILE, description=HOSTILE, when_to_use=HOSTILE),
        Match(name=HOSTILE, score=0.5, matched_on="description", when_to_use=HOSTILE),
        Task(text=HOSTILE, expected=(HOSTILE,)),
        Finding(rule=HOSTILE, severity="error", message=HOSTILE, hint=HOSTILE),
    ],
    ids=lambda record: type(record).__name__,
)
def test_hostile_text_is_escaped(record):
    assert "<script" not in Shown(record)._repr_html_()
    assert "<script" not in Rows(type(record), [record], HOSTILE)._repr_html_()


class _Asked:
    """Notes which fields are read; each of them is this again."""

    def __init__(self, names):
        self.names = names

    def __iter__(self):
        return iter(())

    def __getattr__(self, name):
        self.names.append(name)
        return self


@pytest.mark.parametrize("kind", list(_COLUMNS), ids=lambda kind: kind.__name__)
def test_columns_name_fields_that_exist(kind):
    for column in _COLUMNS[kind]:
        names = []
        column.value(_Asked(names))
        assert hasattr(kind, names[0])


def test_rows_index_slice_and_iterate():
    rows = Rows(Node, [node(query_id=f"q{n}") for n in range(5)], "notes")
    assert len(rows) == 5
    assert rows[1].query_id == "q1"
    assert [one.query_id for one in rows[3:]] == ["q3", "q4"]
    assert rows[3:].records == rows.records[3:]


def test_only_keeps_what_has_the_value_and_says_so():
    rows = Rows(Node, [node(), node(level="L2")], "2 notes")
    assert [one.level for one in rows.only(level="L2")] == ["L2"]
    assert rows.only(level="L2").title == "1 of: 2 notes; level L2"


def test_a_long_table_says_how_many_it_leaves_out():
    rows = Rows(Node, [node()] * (SHOWN_ROWS + 2), "notes")
    assert "... and 2 more" in repr(rows)
    assert "... and 2 more" in rows._repr_html_()
    assert len(rows.frame()) == SHOWN_ROWS + 2


def test_a_frame_has_every_digit_and_typed_columns():
    rows = Rows(
        Match, [Match(name="a", score=0.1234, matched_on="description", when_to_use="")], ""
    )
    assert rows.frame().to_dicts() == [
        {"score": 0.1234, "name": "a", "matched on": "description", "when to use": ""}
    ]


def test_a_frame_of_nothing_has_the_columns():
    assert Rows(Task, [], "none").frame().columns == [
        "kind", "task", "expected", "project", "split",
    ]  # fmt: skip


def test_a_measure_that_is_unknown_is_a_dash():
    one = Measure(name="routing", estimate=Estimate(value=None, low=None, high=None, count=0))
    last = repr(Rows(Measure, [one], "m")).splitlines()[-1]
    assert last.split() == ["routing", "-", "-", "-", "0"]
