"""Skills that a task names outright."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.match.naming import named_skills

NAMES = frozenset({"rollback-release", "debug-kubernetes-pods", "handover", "git", "x-1-y"})


@pytest.mark.parametrize(
    ("task", "named"),
    [
        ("use rollback-release now", ["rollback-release"]),
        ("Use ROLLBACK-RELEASE.", ["rollback-release"]),
        ("run 'rollback-release', then debug-kubernetes-pods", ["debug-kubernetes-pods",
                                                                "rollback-release"]),
        ("x-1-y it", ["x-1-y"]),
        ("the handover skill", ["handover"]),
        ("skill: handover", ["handover"]),
        ("`git` please", ["git"]),
        # One-word names are ordinary words.
        ("write the handover", []),
        ("git push fails", []),
        ("roll back the release", []),
        ("a rollback-release-plan", []),
        ("my-rollback-release", []),
        ("", []),
    ],
)  # fmt: skip
def test_a_name_counts_where_it_stands_as_a_name(task, named):
    assert named_skills(task, NAMES) == named


@given(st.text(max_size=300))
def test_only_known_names_come_back_in_order(task):
    found = named_skills(task, NAMES)
    assert found == sorted(set(found))
    assert set(found) <= NAMES
