"""Ranked lists for the reranker: a task, its hybrid shortlist, and how right each skill is.

Three sources: graded lists as judged, whole; tasks with their own skill (and their near miss)
against neighbours from the shortlist; and true no-match tasks against their nearest. Only skills
that are right for some task stand in them: one that is only ever wrong would be learned as such,
word by word, and the skills that are held out for the report are of this kind. Two more
lists are made of each second one by sending away: a skill gets a negative clause in the words of
another one, so that the weight of `negative` is learned on thousands of pairs and not on the few
skills that route.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from memskill.train.data import GradedTask, TrainingData
from memskill.train.evidence import EVIDENCE, Catalogue, Hybrid
from memskill.train.kinds import Array, need

# How right a graded skill is, as a target of the binary loss.
TARGETS: Mapping[int, float] = {0: 0.0, 1: 0.15, 2: 1.0}
# A neighbour that nobody graded is right in one task of five.
UNKNOWN = 0.08
_NEGATIVE = EVIDENCE.index("negative")


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedList:
    """One task with some skills; rows of `evidence` and `targets` follow `skills`."""

    task: str
    skills: tuple[str, ...]
    targets: tuple[float, ...]
    # float32 (skills, len(EVIDENCE)).
    evidence: Array
    weight: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ListOptions:
    """What the lists are made of."""

    # Neighbours per own task, drawn from these shortlist ranks.
    neighbours: int = 3
    ranks: tuple[int, int] = (3, 16)
    # Of the nearest skills of a no-match task.
    nearest: int = 6
    no_match_repeats: int = 3
    judged_repeats: int = 2
    # Share of own-task lists that a sending-away variant is made of.
    routed: float = 0.25
    # Share of own tasks that become a list.
    own_share: float = 0.6
    # The encoder has seen these tasks: how much nearer it holds a right skill, and how much
    # farther a near miss, than for tasks it has not seen. Taken off again, else the reranker
    # would learn to trust cosines more than they deserve.
    optimism: float = 0.04
    pessimism: float = 0.0
    seed: int = 7


def make_lists(
    data: TrainingData,
    catalogue: Catalogue,
    task_vectors: Mapping[str, Array],
    hybrid: Hybrid,
    options: ListOptions,
) -> list[RankedList]:
    """Return the training lists, in a fixed order.

    Args:
        data: Tasks of the training split.
        catalogue: All skills of the data.
        task_vectors: Unit vector by task text.
        hybrid: Weights of the hybrid shortlist.
        options: See there.
    """
    taught = frozenset(id_ for task in data.tasks for id_ in task.right)
    maker = _Maker(catalogue, task_vectors, hybrid, options, taught)
    lists: list[RankedList] = []
    for task in data.tasks:
        if task.kind in ("none", "borderline", "body_trap") and task.closed and not task.right:
            lists += maker.no_match(task) * options.no_match_repeats
        elif task.closed:
            lists += maker.routed(task) * options.no_match_repeats
        elif len(task.grades) > 1:
            lists += maker.graded(task) * options.judged_repeats
        else:
            lists += maker.own(task)
    return lists


class _Maker:
    def __init__(
        self,
        catalogue: Catalogue,
        vectors: Mapping[str, Array],
        hybrid: Hybrid,
        options: ListOptions,
        taught: frozenset[str],
    ) -> None:
        self.catalogue, self.vectors, self.options = catalogue, vectors, options
        self.row = {id_: place for place, id_ in enumerate(catalogue.ids) if id_ in taught}
        self.hybrid = hybrid
        self.taught = list(self.row.values())
        self.core = [place for place in self.taught if catalogue.skills[place].core]
        self.random = random.Random(options.seed)

    def graded(self, task: GradedTask) -> list[RankedList]:
        """The graded skills, with their grades."""
        ids = [id_ for id_ in task.grades if id_ in self.row]
        return [self._list(task, ids, [TARGETS[task.grades[id_]] for id_ in ids])] if ids else []

    def own(self, task: GradedTask) -> list[RankedList]:
        """The own skill against neighbours that are somewhat farther down the shortlist."""
        (own, grade), = task.grades.items()  # fmt: skip
        if own not in self.row or self.random.random() > self.options.own_share:
            return []
        ranked, evidence = self._ranked(task, self.taught)
        pool = [place for place in ranked[slice(*self.options.ranks)] if place != self.row[own]]
        drawn = sorted(self.random.sample(pool, min(self.options.neighbours, len(pool))))
        if grade == 0:
            # The near miss: its own skill is wrong, of the others nothing is known.
            drawn = drawn[:1]
        rows = [self.row[own], *drawn]
        ids = [self.catalogue.ids[place] for place in rows]
        targets = [TARGETS[grade], *[UNKNOWN] * len(drawn)]
        seen = evidence[rows]
        seen[0] += self._unseen(grade)
        found = RankedList(task=task.text, skills=tuple(ids), targets=tuple(targets), evidence=seen)
        if grade == 2 and self.random.random() < self.options.routed:
            return [found, self._sent_away(found)]
        return [found]

    def no_match(self, task: GradedTask) -> list[RankedList]:
        """The nearest skills of the catalogue the task is labelled against, all wrong."""
        ranked, _ = self._ranked(task, self.core)
        named = [self.row[id_] for id_ in task.grades if id_ in self.row]
        places = list(dict.fromkeys([*ranked[: self.options.nearest], *named[:2]]))
        ids = [self.catalogue.ids[place] for place in places]
        return [self._list(task, ids, [0.0] * len(ids))]

    def routed(self, task: GradedTask) -> list[RankedList]:
        """A family of skills that send work to each other: all but the expected are wrong."""
        ranked, _ = self._ranked(task, self.core)
        skills = self.catalogue.skills
        others = [at for at in self.taught if task.pool and skills[at].family == task.pool]
        rest = [self.row[id_] for id_ in task.grades if id_ in self.row and not others]
        places = [*others, *rest, *([] if task.right else ranked[:3])]
        ids = [self.catalogue.ids[place] for place in places]
        return [self._list(task, ids, [TARGETS[task.grades.get(id_, 0)] for id_ in ids])]

    def _sent_away(self, found: RankedList) -> RankedList:
        """Return the list as if each skill sent work to a neighbour of its.

        The own skill sends away what its nearest neighbour does: it stays right, though its
        negative clause is near. The neighbours send away what the own skill does.
        """
        np = need("numpy")
        evidence = np.array(found.evidence)
        lead = float(self.random.gauss(0.0, 0.05))
        own, others = evidence[0], evidence[1:]
        if len(others):
            own[_NEGATIVE] = max(others[:, 0].max(), others[:, 1].max()) * 0.95
            others[:, _NEGATIVE] = max(own[0], own[1]) * 0.95 + lead
        targets = (found.targets[0], *[0.0] * len(others))
        return RankedList(task=found.task, skills=found.skills, targets=targets, evidence=evidence)

    def _ranked(self, task: GradedTask, places: Sequence[int]) -> tuple[list[int], Array]:
        """Return the places by hybrid score, best first, and the evidence of all skills."""
        np = need("numpy")
        evidence = self._evidence(task.text)
        scores = self.hybrid.score(evidence)
        some = np.array(places)
        order = np.argsort(-scores[some], kind="stable")[:64]
        return [int(place) for place in some[order]], evidence

    def _unseen(self, grade: int) -> Array:
        """Return what turns evidence of a task seen in training into that of an unseen one."""
        np = need("numpy")
        by = -self.options.optimism if grade == 2 else self.options.pessimism
        return np.array([by, by, 0.0, 0.0], dtype=np.float32)

    def _list(self, task: GradedTask, ids: Sequence[str], targets: Sequence[float]) -> RankedList:
        evidence = self._evidence(task.text)[[self.row[id_] for id_ in ids]]
        for place, id_ in enumerate(ids):
            if task.grades.get(id_) == 2 and not task.closed:
                evidence[place] += self._unseen(2)
        return RankedList(
            task=task.text, skills=tuple(ids), targets=tuple(targets), evidence=evidence
        )

    def _evidence(self, text: str) -> Array:
        return self.catalogue.evidence([text], self.vectors[text][None, :])[0]
