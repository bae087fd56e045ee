"""Whether anything can reach the shortlist's cut, from arrays: most tasks match nothing.

SQL decides what is shortlisted (`sql/macros/shortlist_skills.sql`); this only says beforehand, for
a tenth of the time, that no skill will come near enough, and errs on the side of asking SQL.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from memskill.store import ShortlistPolicy, SkillRows, Store

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Vector = npt.NDArray[np.float32]
    Places = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]

# Two float32 sums of 384 products of unit vectors, in whatever order, are nearer than this:
# each is off by at most 384 * 2**-24, as the sum of absolute products is at most 1 (1.01 by the
# check on the table).
_PRODUCT_ERROR = 2 * 384 * 2.0**-24 * 1.02


@dataclass(frozen=True, slots=True, kw_only=True)
class PreCut:
    """The shortlist's evidence as arrays over S skills; immutable, shared by all threads."""

    # float32 (R, 384): S whole texts, then all positive clauses by skill (the whole text where a
    # skill has none), then the negative ones.
    rows: Vector
    # Row at which each skill's positive clauses begin, (S,).
    positive: Places
    # Row at which negative clauses begin, and the place of the skill that they are of.
    negative: Places
    opposed: Places
    # Term -> nats; the empty term stands for every unknown one.
    idf: Mapping[str, float]
    # Term -> places of the skills that cover it, and how far.
    covers: Mapping[str, tuple[Places, Floats]]
    weights: Mapping[str, float]
    margin: float = field(init=False)

    def __post_init__(self) -> None:
        """Set by how much SQL's sum may lie above this one."""
        w = self.weights
        factors = w["cosine"] + w["clause"] + w["negative"] + 2 * w["opposed"]
        object.__setattr__(self, "margin", factors * _PRODUCT_ERROR + 1e-9)

    def bound(self, vector: Vector, terms: Iterable[str]) -> float:
        """Return what no skill's hybrid exceeds for a task, whatever its project; -inf for none.

        Args:
            vector: The task's, (384,), L2-normalised.
            terms: The distinct terms of the task, in code-point order.
        """
        import numpy as np

        count = len(self.positive)
        if not count:
            return -np.inf
        # Not `@`: BLAS wakes a thread a core for this and waits for the slowest.
        products = np.einsum("ij,j->i", self.rows, vector)
        cosine = products[:count].astype(np.float64)
        end = self.negative[0] if len(self.negative) else len(products)
        clause = np.maximum.reduceat(products[:end], self.positive).astype(np.float64)
        negative = np.zeros(count)
        if len(self.negative):
            negative[self.opposed] = np.maximum.reduceat(products, self.negative)
        w = self.weights
        hybrid = (
            w["cosine"] * cosine
            + w["clause"] * clause
            + w["lexical"] * self._lexical(terms, count)
            - w["negative"] * negative
            - w["opposed"] * np.maximum(0.0, negative - clause)
        )
        return float(hybrid.max()) + self.margin

    def _lexical(self, terms: Iterable[str], count: int) -> Floats:
        import numpy as np

        covered, mass = np.zeros(count), 0.0
        for term in terms:
            idf = self.idf.get(term, self.idf[""])
            mass += idf
            if found := self.covers.get(term):
                places, cover = found
                covered[places] += idf * cover
        return covered / mass if mass else covered


def build_precut(
    store: Store,
    skills: Sequence[SkillRows],
    vectors: Mapping[str, Vector],
    policy: ShortlistPolicy,
) -> PreCut:
    """Return the arrays of a frozen store's skills.

    Args:
        store: Where the views are held as tables; terms and their weights come from there.
        skills: All that are in it.
        vectors: Sha of an encoded text -> its vector.
        policy: The weights that the store was loaded with.
    """
    import numpy as np

    whole = [one.text_sha for one in skills]
    against = [_clauses(one, "negative") for one in skills]
    favour = [_clauses(one, "positive") or [one.text_sha] for one in skills]
    starts = np.cumsum([len(whole), *map(len, favour), *map(len, against)])[:-1]
    opposed = np.flatnonzero([len(shas) for shas in against])
    shas = [*whole, *itertools.chain(*favour, *against)]
    return PreCut(
        rows=np.stack([vectors[sha] for sha in shas]) if shas else np.empty((0, 0), np.float32),
        positive=starts[: len(whole)],
        negative=starts[len(whole) :][opposed],
        opposed=opposed,
        idf=store.term_weights(),
        covers=_covers(store, [one.skill.path for one in skills]),
        weights=policy.weights,
    )


def _clauses(one: SkillRows, polarity: str) -> list[str]:
    return [sha for clause, sha in one.clauses if clause.polarity == polarity]


def _covers(store: Store, paths: Sequence[str]) -> dict[str, tuple[Places, Floats]]:
    import numpy as np

    frame = store.term_covers(paths)
    terms, places, cover = (frame[name] for name in ("term", "place", "cover"))
    runs = terms.rle()
    stops = np.cumsum(runs.struct.field("len").to_numpy()).tolist()
    starts = [0, *stops][:-1]
    places, cover = places.to_numpy(), cover.to_numpy()
    names = runs.struct.field("value").to_list()
    return {
        name: (places[start:stop], cover[start:stop])
        for name, start, stop in zip(names, starts, stops, strict=True)
    }
