"""Pairs for the encoder: a task, a skill that is right for it, and the traps beside both."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memskill.train.data import TrainingData
from memskill.train.kinds import Array

_LETTERS = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One training example; ids name skills of the data it was made from."""

    task: str
    skill: str
    # A task in the skill's words that is not for it, or "".
    near_miss: str = ""
    # Skills that are wrong for the task (graded so), best first.
    wrong: tuple[str, ...] = ()


def make_pairs(data: TrainingData, *, splits: Sequence[str] = ("train",)) -> list[Pair]:
    """Return every (task, right skill) of some splits with its near miss and known wrong ones.

    Skills whose positive text is equal but for case and punctuation count as one: the first id
    stands for all, else each would be the other's negative.
    """
    same = equal_texts(data)
    near: dict[str, list[str]] = defaultdict(list)
    right: dict[tuple[str, str], tuple[str, ...]] = {}
    for task in data.of(*splits):
        wrong = tuple(same[id_] for id_, grade in task.grades.items() if grade == 0 and id_ in same)
        # A no-match task is a near miss of the skills it is nearest to.
        if (task.kind == "near_miss" and len(task.grades) == 1) or (task.closed and not task.right):
            for id_ in wrong:
                near[id_].append(task.text)
        for id_ in task.right:
            if id_ in same:
                key = (task.text, same[id_])
                right[key] = tuple(dict.fromkeys((*right.get(key, ()), *wrong)))
    pairs: list[Pair] = []
    turn: dict[str, int] = defaultdict(int)
    for (text, skill), wrong in right.items():
        misses = near.get(skill, [])
        miss = misses[turn[skill] % len(misses)] if misses else ""
        turn[skill] += 1
        pairs.append(Pair(task=text, skill=skill, near_miss=miss, wrong=wrong))
    return pairs


def equal_texts(data: TrainingData) -> dict[str, str]:
    """Return the id that stands for each skill: the first with the same letters and digits."""
    first: dict[str, str] = {}
    out: dict[str, str] = {}
    for id_, skill in data.skills.items():
        key = _LETTERS.sub("", skill.positive.casefold())[:400]
        out[id_] = first.setdefault(key, id_)
    return out


def mine_neighbours(
    pairs: Sequence[Pair],
    ids: Sequence[str],
    skill_vectors: Array,
    task_vectors: Array,
    *,
    ranks: tuple[int, int] = (3, 25),
    margin: float = 0.03,
    near_equal: float = 0.85,
) -> list[tuple[str, ...]]:
    """Return for each pair the neighbouring skills that may serve as hard negatives.

    A neighbour that is not the own skill is right in about one task of five, so the nearest
    `ranks[0]` are passed over, and so is whatever lies within `margin` of the right skill by the
    base encoder or is nearly the right skill itself.

    Args:
        pairs: The examples.
        ids: Skills, one per row of `skill_vectors`.
        skill_vectors: Unit vectors, `(skills, hidden)`.
        task_vectors: Unit vectors, one row per pair.
        ranks: First and last rank (from 0) by cosine to the task.
        margin: Least distance in cosine below the right skill.
        near_equal: Cosine between two skills above which they count as the same.
    """
    import numpy as np

    row: Mapping[str, int] = {id_: place for place, id_ in enumerate(ids)}
    out: list[tuple[str, ...]] = []
    for start in range(0, len(pairs), 512):
        block = pairs[start : start + 512]
        cosines = task_vectors[start : start + 512] @ skill_vectors.T
        best = np.argsort(-cosines, axis=1, kind="stable")[:, : ranks[1]]
        for place, pair in enumerate(block):
            own = row[pair.skill]
            near = best[place, ranks[0] :]
            same = skill_vectors[near] @ skill_vectors[own]
            low = cosines[place, near] < cosines[place, own] - margin
            low |= np.arange(ranks[0], ranks[0] + len(near)) >= ranks[1] - 8
            keep = near[low & (same < near_equal) & (near != own)]
            out.append(tuple(ids[int(i)] for i in keep))
    return out
