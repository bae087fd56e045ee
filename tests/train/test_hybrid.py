"""The choice of the hybrid's weights, on scores small enough to count by hand."""

from __future__ import annotations

import numpy as np

from memskill.train.hybrid import first_right


def test_the_rank_of_the_best_right_skill_counts_ties_against_it() -> None:
    scores = np.array([[3.0, 2.0, 1.0], [3.0, 3.0, 1.0], [3.0, -np.inf, 1.0]])
    right = np.array([[False, True, True], [False, True, False], [False, True, False]])
    assert list(first_right(scores, right)) == [2, 2, 2**31 - 1]
