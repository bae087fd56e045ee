"""The parts of notes and lessons that search looks at, and the shortlist over them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from memskill.records import Level, Node
from memskill.store.base import Connection
from memskill.store.nodes import node_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memskill.store.base import Schema

Part = Literal["whole", "title", "passage"]
HitKind = Literal["note", "lesson"]
# Views that a snapshot of notes holds as tables.
NOTE_VIEWS = ("search_part", "passage_cover", "note_idf")


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageRow:
    """One part of a note or lesson."""

    # Sha of the node, or id of the lesson.
    owner: str
    ordinal: int
    part: Part
    # Of a passage of a note: its place in the body, in code points, the end not included.
    starts: int = 0
    stops: int = 0
    # Of the text that is encoded.
    text_sha: str
    # Of a passage: its terms with the title's, and how often each occurs.
    terms: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteWeights:
    """How the shortlist of notes weighs its evidence; see sql/macros/note_evidence.sql."""

    # whole, title, passage, lexical, lesson.
    weights: Mapping[str, float]
    k1: float
    b: float
    mean_length: float


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteRow:
    """One row of the shortlist: a note or lesson and the evidence for it. Nothing is rounded."""

    id: str
    kind: HitKind
    # None for a lesson.
    level: Level | None
    project: str
    # `<project>/<query-id>` of a note, the id of a lesson.
    name: str
    # Cosines of the text as one, of the question or symptom, and of the best passage.
    whole: float
    title: float
    passage: float
    # Share of the question's idf mass that the best passage covers, in [0, 1].
    lexical: float
    # Ordinals of the best passage by cosine and by words; the latter None where no word meets.
    place: int
    words_place: int | None
    # The weighed sum of these.
    evidence: float


class PassageQueries(Connection):
    """Reads and writes of passages, and of a snapshot made for searching them."""

    def add_passages(self, rows: Iterable[PassageRow]) -> None:
        """Keep passages; those of a known (owner, ordinal) stay as they are."""
        import polars as pl

        texts = dict.fromkeys(("owner", "part", "text_sha"), pl.String)
        schema: Schema = {
            **texts,
            **dict.fromkeys(("ordinal", "starts", "stops"), pl.Int64),
            "terms": pl.List(pl.String),
            "counts": pl.List(pl.Int32),
        }
        found = [
            {
                **{name: getattr(row, name) for name in schema if name not in ("terms", "counts")},
                "terms": sorted(row.terms),
                "counts": [row.terms[term] for term in sorted(row.terms)],
            }
            for row in rows
        ]
        self._load("insert_passages", found, schema)

    def passage_owners(self) -> set[str]:
        """Return the shas of the nodes that have passages."""
        return {str(owner) for (owner,) in self._rows("passage_owners")}

    def unread_notes(self) -> int:
        """Return how many notes of the vault have no passages yet."""
        return int(self._rows("unread_notes")[0][0])

    def note_state(self) -> str:
        """Return what changes with anything that notes search reads, and with nothing else."""
        return str(self._rows("note_state")[0][0])

    def passages(self) -> list[PassageRow]:
        """Return the passages of the valid nodes, by owner and ordinal."""
        return [
            PassageRow(
                owner=owner,
                ordinal=ordinal,
                part=part,
                starts=starts,
                stops=stops,
                text_sha=text_sha,
                terms=dict(zip(terms, counts, strict=True)),
            )
            for owner, ordinal, part, starts, stops, text_sha, terms, counts in self._rows(
                "passages_in_use"
            )
        ]

    def search_nodes(self) -> list[Node]:
        """Return the valid nodes that have passages, in order of sha."""
        return [node_of(row) for row in self._rows("search_nodes")]

    def note_places(self) -> dict[str, tuple[str, int]]:
        """Return node sha -> (path, line that its body starts at), of nodes with passages."""
        return {str(sha): (str(path), int(line)) for sha, path, line in self._rows("note_places")}

    def load_note_weights(self, weights: NoteWeights, documents: int) -> None:
        """Put into a fresh snapshot how evidence is weighed.

        Args:
            weights: The weights.
            documents: How many texts the loaded lexicon was counted over.
        """
        self._run(
            "insert_note_policy",
            **weights.weights,
            k1=weights.k1,
            b=weights.b,
            mean_length=weights.mean_length,
            documents=documents,
        )

    def shortlist_notes(
        self,
        vector: npt.NDArray[np.float32],
        terms: Sequence[str],
        *,
        model: str,
        project: str | None,
        level: Level | None,
        kind: HitKind | None,
        named: Sequence[str],
        k: int,
    ) -> list[NoteRow]:
        """Return the `k` notes and lessons with the best evidence, and those `named`, best first.

        Args:
            vector: The question's, (384,), L2-normalised.
            terms: Its distinct terms, in code-point order.
            model: Fingerprint of the encoder that made `vector`.
            project: Only of this project; None: of all.
            level: Only notes of this level; None: of all, and lessons.
            kind: Only notes or only lessons; None: both.
            named: Ids that keep a place whatever their evidence, if the filters let them through.
            k: How many.
        """
        rows = self._rows(
            "shortlist_notes",
            vector=vector.tolist(),
            terms=list(terms),
            model=model,
            project=project,
            level=level,
            kind=kind,
            named=list(named),
            k=k,
        )
        return [NoteRow(**dict(zip(_COLUMNS, row, strict=True))) for row in rows]


_COLUMNS = (
    *("id", "kind", "level", "project", "name", "whole", "title", "passage", "lexical"),
    *("place", "words_place", "evidence"),
)
