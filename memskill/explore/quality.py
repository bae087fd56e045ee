"""What labelled tasks say of single skills: who takes whose place, and who takes too much."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memskill.match.cases import Case, is_fire_task
from memskill.match.decision import Scored

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """A task whose best skill by the shortlist is not the best one by the reranker."""

    task: str
    expected: tuple[str, ...]
    # "" where a side finds nothing worth a place.
    by_shortlist: str
    by_rerank: str
    # Which of the two is right: "shortlist", "rerank" or "neither".
    right: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """A pair of skills: the right one, and the wrong one that comes nearest to it."""

    right: str
    wrong: str
    # Tasks where `wrong` is the best wrong skill, and where it even beats the right one.
    tasks: int
    beaten: int
    # Mean of (score of the right one - score of the wrong one), in [-1, 1]; small is near.
    margin: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Greedy:
    """A skill, and how it behaves on tasks that are none of its business."""

    name: str
    # Tasks that it is not right for and in whose shortlist it stands; where it stands first.
    seen: int
    first: int
    # Those of `first` that nothing at all fits, and the highest score on any of them.
    fires: int
    highest: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A skill on the map of the catalogue: near on it means alike in meaning."""

    name: str
    x: float
    y: float
    # The most alike other skill, and the cosine with it, in [-1, 1].
    nearest: str
    cosine: float


def disagreements(shortlist: Sequence[Case], rerank: Sequence[Case]) -> list[Disagreement]:
    """Return the tasks whose first skill differs, in the order of the tasks."""
    found: list[Disagreement] = []
    for one, other in zip(shortlist, rerank, strict=True):
        before, after = _first(one), _first(other)
        if before == after:
            continue
        expected = one.task.expected
        sides = (("shortlist", before), ("rerank", after))
        right = next((side for side, name in sides if _is_right(name, expected)), "neither")
        found.append(
            Disagreement(
                task=one.task.text,
                expected=expected,
                by_shortlist=before,
                by_rerank=after,
                right=right,
            )
        )
    return found


def _is_right(name: str, expected: tuple[str, ...]) -> bool:
    # Where nothing fits, finding nothing is right.
    return name in expected if expected else not name


def _first(case: Case) -> str:
    return case.decision.candidates[0].name if case.decision.candidates else ""


def confusions(cases: Sequence[Case]) -> list[Confusion]:
    """Return the pairs (right, nearest wrong), nearest first, ties by name."""
    margins: dict[tuple[str, str], list[float]] = defaultdict(list)
    for case in cases:
        expected = set(case.task.expected)
        right = next((c for c in case.decision.candidates if c.name in expected), None)
        wrong = next((c for c in case.decision.candidates if c.name not in expected), None)
        if right and wrong:
            margins[right.name, wrong.name].append(right.score - wrong.score)
    found = [
        Confusion(
            right=right,
            wrong=wrong,
            tasks=len(values),
            beaten=sum(value < 0 for value in values),
            margin=sum(values) / len(values),
        )
        for (right, wrong), values in margins.items()
    ]
    return sorted(found, key=lambda one: (round(one.margin, 4), one.right, one.wrong))


def greedy(cases: Sequence[Case], names: Sequence[str]) -> list[Greedy]:
    """Return a row a skill: the one that stands first where it should not most often, first."""
    seen: dict[str, list[tuple[Case, Scored, bool]]] = {name: [] for name in names}
    for case in cases:
        for place, one in enumerate(case.decision.candidates):
            if one.name in seen and one.name not in case.task.expected:
                seen[one.name].append((case, one, place == 0))
    rows = [
        Greedy(
            name=name,
            seen=len(places),
            first=sum(first for _, _, first in places),
            fires=sum(first and is_fire_task(case.task) for case, _, first in places),
            highest=max((one.score for _, one, first in places if first), default=0.0),
        )
        for name, places in seen.items()
    ]
    return sorted(rows, key=lambda row: (-row.fires, -row.first, row.name))


def place_skills(vectors: Mapping[str, npt.NDArray[np.float32]]) -> list[Placed]:
    """Return the skills on the plane that keeps most of their spread, by name.

    The first two principal components of the vectors; a component's sign means nothing and is
    chosen so that its largest coordinate is positive. Pearson, "On lines and planes of closest
    fit", Philosophical Magazine 1901.

    Args:
        vectors: Name -> vector (384,), L2-normalised.
    """
    import numpy as np

    names = sorted(vectors)
    if not names:
        return []
    matrix = np.stack([vectors[name] for name in names]).astype(np.float64)
    centred = matrix - matrix.mean(axis=0)
    left, sizes, _ = np.linalg.svd(centred, full_matrices=False)
    places = np.zeros((len(names), 2))
    for axis in range(min(2, len(sizes))):
        column = left[:, axis] * sizes[axis]
        places[:, axis] = column * np.sign(column[np.abs(column).argmax()] or 1.0)
    alike = matrix @ matrix.T
    np.fill_diagonal(alike, -1.0)
    nearest = alike.argmax(axis=1)
    return [
        Placed(
            name=name,
            x=float(places[i, 0]),
            y=float(places[i, 1]),
            nearest=names[int(nearest[i])] if len(names) > 1 else "",
            cosine=float(alike[i, nearest[i]]),
        )
        for i, name in enumerate(names)
    ]
