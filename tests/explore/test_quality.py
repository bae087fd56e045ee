"""What labelled tasks say of single skills."""

from __future__ import annotations

import numpy as np

from memskill.explore.quality import confusions, disagreements, greedy, place_skills
from memskill.match.cases import Case
from memskill.match.decision import Decision, Scored
from memskill.records import Task


def case(text, expected, scores, kind="match"):
    candidates = [
        Scored(
            name=name, score=score, rerank_score=None, cosine=0.0, clause=0.0, lexical=0.0,
            negative=0.0, matched_on="description",
        )
        for name, score in scores.items()
    ]  # fmt: skip
    candidates.sort(key=lambda one: (-one.score, one.name))
    task = Task(text=text, expected=tuple(expected), kind=kind if expected else "none")
    decision = Decision(
        candidates=tuple(candidates), encoder_fingerprint="e", reranker_fingerprint="r"
    )
    return Case(task=task, decision=decision)


def test_a_disagreement_says_which_side_is_right():
    before = [case("t", ["a"], {"a": 0.2, "b": 0.9}), case("u", ["b"], {"a": 0.2, "b": 0.9})]
    after = [case("t", ["a"], {"a": 0.9, "b": 0.2}), case("u", ["b"], {"a": 0.9, "b": 0.2})]
    found = disagreements(before, after)
    assert [(one.task, one.by_shortlist, one.by_rerank, one.right) for one in found] == [
        ("t", "b", "a", "rerank"),
        ("u", "b", "a", "shortlist"),
    ]


def test_a_change_between_two_wrong_skills_mends_nothing():
    found = disagreements([case("t", [], {"a": 0.9})], [case("t", [], {"b": 0.9})])
    assert [one.right for one in found] == ["neither"]


def test_finding_nothing_is_right_where_nothing_fits():
    found = disagreements([case("t", [], {"a": 0.9})], [case("t", [], {})])
    assert [(one.by_rerank, one.right) for one in found] == [("", "rerank")]
    found = disagreements([case("t", ["a"], {"a": 0.9})], [case("t", ["a"], {})])
    assert [one.right for one in found] == ["shortlist"]


def test_equal_orders_do_not_disagree():
    cases = [case("t", ["a"], {"a": 0.9}), case("u", [], {})]
    assert disagreements(cases, cases) == []


def test_a_confusion_is_a_pair_with_its_margin():
    found = confusions(
        [
            case("t", ["a"], {"a": 0.9, "b": 0.8, "c": 0.1}),
            case("u", ["a"], {"a": 0.5, "b": 0.8}),
            case("v", ["c"], {"c": 0.9, "a": 0.1}),
            case("w", [], {"a": 0.3}),
        ]
    )
    assert [(one.right, one.wrong, one.tasks, one.beaten) for one in found] == [
        ("a", "b", 2, 1),
        ("c", "a", 1, 0),
    ]
    assert np.isclose(found[0].margin, -0.1)


def test_a_greedy_skill_stands_first_where_nothing_fits():
    cases = [
        case("t", [], {"a": 0.4, "b": 0.1}),
        case("u", [], {"a": 0.6}),
        case("v", ["b"], {"a": 0.7, "b": 0.2}),
        case("w", ["a"], {"a": 0.9}),
    ]
    found = greedy(cases, ["a", "b", "unseen"])
    assert [(g.name, g.seen, g.first, g.fires, g.highest) for g in found] == [
        ("a", 3, 3, 2, 0.7),
        ("b", 1, 0, 0, 0.0),
        ("unseen", 0, 0, 0, 0.0),
    ]


def _unit(*values):
    vector = np.zeros(384, dtype=np.float32)
    vector[: len(values)] = values
    return vector / np.linalg.norm(vector)


def test_skills_alike_in_meaning_are_near_on_the_map():
    found = {
        one.name: one
        for one in place_skills({"a": _unit(1, 0.1), "b": _unit(1, 0.2), "far": _unit(0, 0, 1)})
    }
    near = np.hypot(found["a"].x - found["b"].x, found["a"].y - found["b"].y)
    far = np.hypot(found["a"].x - found["far"].x, found["a"].y - found["far"].y)
    assert near < far / 5
    assert (found["a"].nearest, found["b"].nearest) == ("b", "a")
    assert np.isclose(found["a"].cosine, _unit(1, 0.1) @ _unit(1, 0.2))


def test_the_map_is_the_same_whatever_the_order():
    vectors = {name: _unit(*row) for name, row in zip("abcd", np.eye(4) + 0.1, strict=True)}
    assert place_skills(vectors) == place_skills(dict(reversed(vectors.items())))


def test_a_map_of_one_or_no_skill_is_no_error():
    assert place_skills({}) == []
    alone = place_skills({"a": _unit(1)})[0]
    assert (alone.x, alone.y, alone.nearest) == (0.0, 0.0, "")
