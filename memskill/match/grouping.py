"""Which tasks belong together, and parts that never cut through what does."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from memskill.records import Task


def group_key(task: Task) -> str:
    """Return what a task belongs to: its group, else its first skill, else only its own text."""
    first = next(iter((*task.expected, *task.forbidden)), "")
    return task.group or first or _text_key(task)


def components(tasks: Sequence[Task], *, by_skill: bool = False) -> list[int]:
    """Return the number of each task's component, from 0 in order of first appearance.

    Tasks of one group key are together, and so are tasks of the same text (letter case and
    white space apart): a task must not be fitted on under one group and reported on under
    another. With `by_skill`, tasks that a common skill is right for are together too.
    """
    parent: dict[str, str] = {}

    def root(key: str) -> str:
        parent.setdefault(key, key)
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for task in tasks:
        for key in (group_key(task), *(task.expected if by_skill else ())):
            parent[root(key)] = root(_text_key(task))
    numbers: dict[str, int] = {}
    return [numbers.setdefault(root(_text_key(task)), len(numbers)) for task in tasks]


def split_by_group(
    tasks: Sequence[Task], classes: Sequence[Sequence[bool]], *, share: float, seed: int
) -> tuple[list[int], list[int]]:
    """Return the places of two parts of `tasks`, whole components each, whatever their order.

    No skill is right in both parts. Components are dealt out largest first, each to the part
    that lacks most of what it holds; among equals the seed decides.

    Args:
        tasks: The labelled tasks.
        classes: For each class (tasks that something fits, tasks that nothing fits) which
            tasks are of it: the parts get `share` and the rest of each as nearly as they can.
        share: What the first part is to get, between 0 and 1.
        seed: Of the shuffle.
    """
    members: dict[int, list[int]] = {}
    for place, component in enumerate(components(tasks, by_skill=True)):
        members.setdefault(component, []).append(place)
    counts = np.array(classes, dtype=np.float64)  # (classes, tasks)
    totals = np.maximum(counts.sum(axis=1), 1.0)
    lacking = [share * counts.sum(axis=1), (1 - share) * counts.sum(axis=1)]
    parts: tuple[list[int], list[int]] = ([], [])
    keyed = [(-len(places), _shuffled(seed, tasks, places), places) for places in members.values()]
    for _, _, places in sorted(keyed):
        held = counts[:, places].sum(axis=1)
        need = [float((held / totals) @ (lack / totals)) for lack in lacking]
        part = 0 if need[0] >= need[1] else 1
        lacking[part] = lacking[part] - held
        parts[part].extend(places)
    return sorted(parts[0]), sorted(parts[1])


def _shuffled(seed: int, tasks: Sequence[Task], places: Sequence[int]) -> str:
    """Return a component's place in the shuffle, from its content and the seed alone."""
    key = min(f"{group_key(tasks[place])}\0{tasks[place].text}" for place in places)
    return hashlib.sha256(f"{seed}\0{key}".encode(errors="replace")).hexdigest()


def _text_key(task: Task) -> str:
    # \0 keeps a text apart from a group of the same words.
    return "\0" + " ".join(task.text.casefold().split())
