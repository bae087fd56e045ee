"""The shortlist in SQL: its policy, the frozen snapshot, and one query a task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memskill.store.base import Connection

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import polars as pl

# Views that a snapshot holds as tables; each behind what it is computed from.
_FROZEN = ("skill_vector", "clause_vector", "term_cover", "term_idf", "term_idf_unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortlistPolicy:
    """How the shortlist weighs its evidence; see `sql/macros/hybrid.sql` and `term_cover`."""

    # Weights, all >= 0: cosine, clause, lexical, and what is taken off for negative and opposed.
    weights: Mapping[str, float]
    k1: float
    b: float
    mean_length: float
    # Texts that the background lexicon was counted over, and term -> how many hold it.
    background_documents: int
    background: Mapping[str, int]
    fingerprint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shortlisted:
    """One row of the shortlist: a skill and the evidence for it. Nothing is rounded."""

    path: str
    name: str
    # Task vector x vector of the positive text, in [-1, 1].
    cosine: float
    # The largest over the positive clauses, in [-1, 1].
    clause: float
    # Share of the task's idf mass that the positive text covers, in [0, 1].
    lexical: float
    # The largest over the negative clauses, in [-1, 1]; 0 where there is none.
    negative: float
    # The weighed sum, see `sql/macros/hybrid.sql`.
    hybrid: float

    @property
    def opposed(self) -> float:
        """By how much the task fits what is sent away better than the best clause, >= 0."""
        return max(0.0, self.negative - self.clause)


class MatchQueries(Connection):
    """Reads and writes of what matching needs beside the skills themselves."""

    def policy_fingerprint(self) -> str:
        """Return which policy is loaded; "" for none."""
        rows = self._rows("policy_fingerprint")
        return str(rows[0][0]) if rows else ""

    def load_policy(self, policy: ShortlistPolicy) -> None:
        """Put `policy` in the place of what was loaded before."""
        import polars as pl

        self._run("clear_policy")
        self._run(
            "insert_policy",
            **policy.weights,
            k1=policy.k1,
            b=policy.b,
            mean_length=policy.mean_length,
            documents=policy.background_documents,
        )
        rows = [{"term": term, "df": df} for term, df in sorted(policy.background.items())]
        self._load("insert_background_terms", rows, {"term": pl.String, "df": pl.Int32})
        self._run("record_policy", fingerprint=policy.fingerprint)

    def save_task_terms(self, name: str, terms: Sequence[Sequence[str]]) -> None:
        """Keep the terms of a task set's tasks, in their order, in place of what was there."""
        import polars as pl

        rows = [{"ordinal": i, "term": term} for i, some in enumerate(terms) for term in some]
        self._run("delete_task_terms", name=name)
        self._load("insert_task_terms", rows, {"ordinal": pl.Int32, "term": pl.String}, name=name)

    def freeze(self, views: Sequence[str] = _FROZEN) -> None:
        """Hold the views that the shortlist reads as tables: for an in-memory snapshot only."""
        for name in views:
            self._run(f"freeze_{name}")

    def refresh(self, paths: Sequence[str]) -> None:
        """Bring the frozen tables up to date after the skills of `paths` came, went or changed."""
        import polars as pl

        with self._incoming(pl.DataFrame({"path": paths}, schema={"path": pl.String})):
            for name in _FROZEN:
                self._run(f"refresh_{name}")

    def hold(self) -> None:
        """Let this handle see the database as it is now, whatever is written later; read only."""
        self._con.begin()
        self.policy_fingerprint()  # the transaction begins with its first look

    def term_weights(self) -> dict[str, float]:
        """Return term -> idf in nats of all that are known; "" -> that of every other term."""
        found = self._frame("term_weights")
        return dict(zip(found["term"].to_list(), found["idf"].to_list(), strict=True))

    def term_covers(self, paths: Sequence[str]) -> pl.DataFrame:
        """Return term, place in `paths` and cover in (0, 1], in order of term, then place."""
        import polars as pl

        frame = pl.DataFrame(
            {"path": paths, "place": range(len(paths))},
            schema={"path": pl.String, "place": pl.Int64},
        )
        with self._incoming(frame):
            return self._frame("term_covers")

    def shortlist(
        self,
        vector: npt.NDArray[np.float32],
        terms: Sequence[str],
        *,
        model: str,
        project: str | None,
        named: Sequence[str],
        k: int,
    ) -> list[Shortlisted]:
        """Return the `k` skills with the best hybrid, and those `named`, best first.

        Args:
            vector: The task's, (384,), L2-normalised.
            terms: The distinct terms of the task, in code-point order.
            model: Fingerprint of the encoder that made `vector`.
            project: Only skills that it may see; None: all.
            named: Skills that the task names: they keep a place whatever their hybrid.
            k: How many.
        """
        rows = self._rows(
            "shortlist_skills",
            vector=vector.tolist(),
            terms=list(terms),
            model=model,
            project=project,
            named=list(named),
            k=k,
        )
        return [
            Shortlisted(
                path=path,
                name=name,
                cosine=cosine,
                clause=clause,
                lexical=lexical,
                negative=negative,
                hybrid=hybrid,
            )
            for path, name, cosine, clause, lexical, negative, hybrid in rows
        ]

    def carrying_clauses(
        self, vector: npt.NDArray[np.float32], *, model: str, paths: Sequence[str]
    ) -> dict[str, tuple[int | None, int | None]]:
        """Return path -> ordinals of the nearest positive and negative clause; None for none.

        A question of its own, as most tasks match nothing and need no answer to it.
        """
        if not paths:
            return {}
        rows = self._rows(
            "carrying_clauses", vector=vector.tolist(), model=model, paths=list(paths)
        )
        return {str(path): (positive, negative) for path, positive, negative in rows}

    def task_words(self, terms: Sequence[str], path: str) -> list[tuple[str, float]]:
        """Return the terms of a task that a skill covers, each with its weight, heaviest first."""
        rows = self._rows("task_words", terms=list(terms), path=path)
        return [(str(term), float(weight)) for term, weight in rows]
