"""Weights of notes search follow what labelled questions say."""

from __future__ import annotations

import numpy as np
import pytest

from memskill.errors import EvaluationRefused
from memskill.match.notefit import Evidence, as_case, fit_weights
from memskill.match.notepolicy import FEATURES
from memskill.records import Task


def question(number, *rows, expected=("p/right",)):
    """Return evidence; a row is (name, {feature: value})."""
    features = [[values.get(name, 0.0) for name in FEATURES] for _, values in rows]
    return Evidence(
        task=Task(text=f"q{number}", expected=expected),
        names=tuple(name for name, _ in rows),
        features=np.array(features),
        seconds={},
    )


def world(feature, seed=0, sign=1.0):
    random = np.random.default_rng(seed)
    return [
        question(
            n,
            ("p/right", {feature: sign * (0.7 + random.normal() / 20), "whole": random.random()}),
            ("p/wrong", {feature: sign * (0.3 + random.normal() / 20), "whole": random.random()}),
        )
        for n in range(30)
    ]


def test_what_tells_right_from_wrong_gets_the_weight():
    weights = fit_weights(world("passage"))
    assert weights["passage"] > 5 > abs(weights["whole"])
    assert weights["title"] == 0


def test_what_would_speak_against_a_hit_is_left_out():
    assert fit_weights(world("lexical", sign=-1.0))["lexical"] == 0


def test_a_lesson_may_be_less_likely_than_a_note():
    examples = [
        question(n, ("p/right", {"whole": 0.5}), ("lesson", {"whole": 0.5, "lesson": 1.0}))
        for n in range(20)
    ]
    assert fit_weights(examples)["lesson"] < 0


def test_labels_of_one_kind_are_refused():
    with pytest.raises(EvaluationRefused):
        fit_weights([question(0, ("p/wrong", {"whole": 0.5}))])


def test_two_levels_at_one_address_are_one_candidate():
    one = question(0, ("p/right", {"whole": 0.2}), ("p/right", {"whole": 0.9}))
    (candidate,) = as_case(one, dict.fromkeys(FEATURES, 1.0), "e" * 64).decision.candidates
    assert candidate.cosine == 0.9
