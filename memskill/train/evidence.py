"""The shortlist's evidence, in Python for training; `sql/macros/shortlist_skills.sql` is its twin.

For a task and a skill:

- `cosine`: inner product of the unit vectors of the task and of the skill's positive text.
- `clause`: the largest such product over the skill's positive clauses.
- `negative`: the largest over its negative clauses, 0 where it has none.
- `lexical`: the share in [0, 1] of the task's idf mass that the positive text covers:

      lexical = sum_{t in T} idf(t) * cover(t) / sum_{t in T} idf(t)
      cover(t) = min(1, tf * (K1 + 1) / (tf + K1 * (1 - B + B * length / MEAN_LENGTH)))
      idf(t)   = ln(1 + (N - df + 0.5) / (df + 0.5))

  T: the distinct terms of the task; tf, length: counts of `sources.terms` in the positive text;
  N and df: those of the shipped background lexicon plus those of the catalogue, so that eight
  skills do not make every word rare. K1 and B after Robertson and Zaragoza, 2009. A task without
  terms has share 0.

The hybrid score, by which the shortlist is ordered:

      opposed = max(0, negative - clause)
      hybrid  = w_cosine * cosine + w_clause * clause + w_lexical * lexical
                - w_negative * negative - w_opposed * opposed

Nothing depends on the other candidates of a task.
"""

from __future__ import annotations

import csv
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from memskill.match.policy import shipped_hybrid
from memskill.models.registry import WEIGHTS
from memskill.sources.terms import terms
from memskill.train.data import SkillText
from memskill.train.kinds import Array

K1 = 0.9
B = 0.4
# Mean count of terms in a positive text of the training catalogue; fixed, so that a skill's
# lexical share never moves when its neighbours do.
MEAN_LENGTH = 20.0
# Evidence in the order in which the reranker takes it.
EVIDENCE = ("cosine", "clause", "lexical", "negative")

Encode = Callable[[Sequence[str]], Array]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hybrid:
    """Weights of the hybrid score; `hybrid.json` beside the shipped models states them."""

    cosine: float = 1.0
    clause: float = 0.0
    lexical: float = 0.0
    negative: float = 0.0
    opposed: float = 0.0

    @classmethod
    def shipped(cls) -> Hybrid:
        """Return the weights in use."""
        return cls(**shipped_hybrid().policy.weights)

    def score(self, evidence: Array) -> Array:
        """Return the hybrid score of evidence `(..., len(EVIDENCE))`, shape `(...)`."""
        import numpy as np

        opposed = np.maximum(0.0, evidence[..., 3] - evidence[..., 1])
        return (
            self.cosine * evidence[..., 0]
            + self.clause * evidence[..., 1]
            + self.lexical * evidence[..., 2]
            - self.negative * evidence[..., 3]
            - self.opposed * opposed
        )

    def prior(self, scale: float) -> tuple[float, ...]:
        """Return the score times `scale` as weights of the evidence and of `opposed`."""
        weights = (self.cosine, self.clause, self.lexical, -self.negative, -self.opposed)
        return tuple(scale * weight for weight in weights)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lexicon:
    """Background document frequencies: in how many of `documents` texts a term occurs."""

    documents: int
    frequency: Mapping[str, int]

    @classmethod
    def count(cls, texts: Iterable[str], *, least: int = 2) -> Lexicon:
        """Return the frequencies over some texts; terms of fewer than `least` are left out."""
        seen: Counter[str] = Counter()
        number = 0
        for text in texts:
            number += 1
            seen.update(set(terms(text)))
        kept = {term: n for term, n in sorted(seen.items()) if n >= least}
        return cls(documents=number, frequency=kept)

    @classmethod
    def shipped(cls) -> Lexicon:
        """Return the background in use."""
        return cls.read(WEIGHTS / "lexicon" / "lexicon.csv")

    @classmethod
    def read(cls, path: Path) -> Lexicon:
        """Return a lexicon written by `write`."""
        with path.open(encoding="utf-8", newline="") as file:
            rows = [(row["term"], int(row["df"])) for row in csv.DictReader(file)]
        # The empty term carries the number of documents.
        counts = dict(rows)
        return cls(documents=counts.pop(""), frequency=counts)

    def write(self, path: Path) -> None:
        """Write `term,df` as CSV, terms in code-point order; the empty term counts documents."""
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerows(
                [("term", "df"), ("", self.documents), *sorted(self.frequency.items())]
            )


class Catalogue:
    """Skills with their vectors and terms, ready to be compared with tasks.

    Args:
        skills: The skills; their order is the column order of every answer.
        encode: Texts -> unit vectors `(n, hidden)`.
        lexicon: Background frequencies.
    """

    def __init__(self, skills: Sequence[SkillText], encode: Encode, lexicon: Lexicon) -> None:
        import numpy as np

        self.skills = list(skills)
        self.ids = [skill.id for skill in skills]
        self.vectors: Array = encode([skill.positive for skill in skills])
        self._positive = _ClauseBank(skills, "positive", encode)
        self._negative = _ClauseBank(skills, "negative", encode)
        self.has_negative: Array = np.array([count > 0 for count in self._negative.counts])
        bags = [Counter(terms(skill.positive)) for skill in skills]
        self._postings = _postings(bags)
        self._documents = lexicon.documents + len(bags)
        self._frequency = lexicon.frequency

    def evidence(self, texts: Sequence[str], vectors: Array) -> Array:
        """Return float32 `(tasks, skills, len(EVIDENCE))`; vectors are those of the tasks."""
        import numpy as np

        out = np.zeros((len(texts), len(self.skills), len(EVIDENCE)), dtype=np.float32)
        out[:, :, 0] = vectors @ self.vectors.T
        out[:, :, 1] = self._positive.best(vectors, out[:, :, 0])
        out[:, :, 3] = self._negative.best(vectors, out[:, :, 0] * 0.0)
        for row, text in enumerate(texts):
            out[row, :, 2] = self.lexical(text)
        return out

    def lexical(self, text: str) -> Array:
        """Return the lexical share of every skill for one task, float32 `(skills,)`."""
        import numpy as np

        share = np.zeros(len(self.skills), dtype=np.float32)
        mass = 0.0
        for term in sorted(set(terms(text))):
            rows, cover = self._postings.get(term, (None, None))
            found = self._frequency.get(term, 0) + (0 if rows is None else len(rows))
            idf = math.log(1 + (self._documents - found + 0.5) / (found + 0.5))
            mass += idf
            if rows is not None:
                share[rows] += np.float32(idf) * cover
        return share / np.float32(mass) if mass > 0 else share


class _ClauseBank:
    """All clauses of one polarity, one after another, with where each skill's begin."""

    def __init__(self, skills: Sequence[SkillText], polarity: str, encode: Encode) -> None:
        import numpy as np

        lists = [skill.clauses(polarity) for skill in skills]
        self.counts = [len(found) for found in lists]
        self._with = np.array(
            [place for place, count in enumerate(self.counts) if count], dtype=int
        )
        ends = np.cumsum([count for count in self.counts if count])
        self._starts = np.concatenate([[0], ends[:-1]]).astype(int) if len(ends) else ends
        flat = [text for found in lists for text in found]
        self._vectors: Array = encode(flat) if flat else None

    def best(self, vectors: Array, otherwise: Array) -> Array:
        """Return the largest product per skill `(tasks, skills)`; `otherwise` where it has none."""
        import numpy as np

        if self._vectors is None:
            return otherwise
        out = np.array(otherwise, dtype=np.float32)
        # In blocks: tasks x clauses of a large catalogue would fill the memory.
        for start in range(0, len(vectors), 256):
            products = vectors[start : start + 256] @ self._vectors.T
            out[start : start + 256, self._with] = np.maximum.reduceat(
                products, self._starts, axis=1
            )
        return out


def _postings(bags: Sequence[Mapping[str, int]]) -> dict[str, tuple[Array, Array]]:
    """Return term -> (rows of the skills that have it, how far each covers it)."""
    import numpy as np

    found: dict[str, list[tuple[int, float]]] = defaultdict(list)
    for row, bag in enumerate(bags):
        longer = K1 * (1 - B + B * sum(bag.values()) / MEAN_LENGTH)
        for term, tf in bag.items():
            found[term].append((row, min(1.0, tf * (K1 + 1) / (tf + longer))))
    return {
        term: (
            np.array([row for row, _ in pairs], dtype=int),
            np.array([cover for _, cover in pairs], dtype=np.float32),
        )
        for term, pairs in found.items()
    }
