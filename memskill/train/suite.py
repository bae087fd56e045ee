"""A catalogue with labelled tasks, and how each system scores every skill for every task.

Systems, by name: `bm25` (k1 .9, b .4, over both fields), `base` (one vector of another encoder),
`cosine` (one vector of this encoder), `hybrid` (the shortlist's score), `reranker` (its logit for
the first 20 of the hybrid, and for every judged skill of a graded task; -inf for the others).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from memskill.errors import EvaluationRefused
from memskill.match.policy import shipped_hybrid
from memskill.models.calibration import Calibration
from memskill.models.protocols import Encoder, Reranker
from memskill.records import Field, Split, Task
from memskill.sources.clauses import split_clauses
from memskill.sources.tasks import read_tasks
from memskill.sources.terms import terms
from memskill.train.data import SkillText
from memskill.train.evidence import EVIDENCE, Catalogue, Hybrid, Lexicon
from memskill.train.kinds import Array, need

K1, B = 0.9, 0.4
DEPTH = 20
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Suite:
    """Skills and the tasks to try on them; expected and forbidden name ids of the skills."""

    name: str
    skills: tuple[SkillText, ...]
    tasks: tuple[Task, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """What is measured; None leaves its system out."""

    encoder: Encoder
    reranker: Reranker | None = None
    base: Encoder | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class System:
    """Scores of one system, float64 `(tasks, skills)`; higher fits better."""

    name: str
    scores: Array
    # What makes probabilities of the scores; None where nothing does.
    calibration: Calibration | None = None


def read_suite(
    name: str,
    skills: Sequence[SkillText],
    files: Sequence[Path],
    *,
    splits: Collection[Split] = (),
    max_chars: int = 20_000,
) -> Suite:
    """Return the tasks of some files that are of one of `splits`, or all, with their catalogue.

    Args:
        name: What the tables call it.
        skills: The catalogue, its ids those that the tasks name.
        files: Task files, in any shape of `mem help tasks`.
        splits: Which parts to keep; empty: all.
        max_chars: The longest task that is read.

    Raises:
        TasksInvalid: A file breaks the schema: file, line and field.
    """
    found: list[Task] = []
    ids = frozenset(skill.id for skill in skills)
    for path in files:
        read = read_tasks(path, max_chars=max_chars, name_of=lambda id_: id_, known=ids)
        found += read.tasks
    return suite_of(name, skills, [t for t in found if not splits or t.split in splits])


def suite_of(name: str, skills: Sequence[SkillText], tasks: Sequence[Task]) -> Suite:
    """Return a suite, checked.

    Raises:
        EvaluationRefused: There is no skill or no task, or no expected skill is in it.
    """
    known = {skill.id for skill in skills}
    if not known or not tasks:
        what = "task" if known else "skill"
        raise EvaluationRefused(f"{name}: there is no {what}", hint="Check --split and the files.")
    if not any(known & set(task.expected) for task in tasks):
        raise EvaluationRefused(
            f"{name}: no skill that the tasks expect is in the catalogue",
            hint="Tasks name skills by the id (or name) that the skills' file gives them.",
        )
    return Suite(name=name, skills=tuple(skills), tasks=tuple(tasks))


def score_suite(suite: Suite, models: Models, progress: Progress | None = None) -> list[System]:
    """Return every system's scores on a suite, in the order of the module's docstring.

    Raises:
        ModelError: A model failed.
    """
    np = need("numpy")
    texts = [task.text for task in suite.tasks]
    bare = [f"{skill.description} {skill.when_to_use}".strip() for skill in suite.skills]
    found = [System(name="bm25", scores=bm25(bare, texts))]
    if models.base:
        vectors = models.base.encode(texts) @ models.base.encode(bare).T
        found.append(System(name="base", scores=vectors.astype(np.float64)))
    evidence = evidence_of(suite, models.encoder)
    hybrid = Hybrid.shipped().score(evidence.astype(np.float64))
    found += [
        System(name="cosine", scores=evidence[..., 0].astype(np.float64)),
        System(name="hybrid", scores=hybrid, calibration=shipped_hybrid().calibration),
    ]
    if models.reranker:
        logits = reranked(suite, models.reranker, evidence, hybrid, progress)
        calibration = models.reranker.calibration
        found.append(System(name="reranker", scores=logits, calibration=calibration))
    return found


def evidence_of(suite: Suite, encoder: Encoder) -> Array:
    """Return the shortlist's evidence, float32 `(tasks, skills, 4)`."""
    np = need("numpy")
    lexicon = Lexicon.shipped()
    texts = [task.text for task in suite.tasks]
    catalogue = Catalogue(list(suite.skills), encoder.encode, lexicon)
    return np.asarray(catalogue.evidence(texts, encoder.encode(texts)))


def reranked(
    suite: Suite, reranker: Reranker, evidence: Array, hybrid: Array, progress: Progress | None
) -> Array:
    """Return the reranker's logits, float64 `(tasks, skills)`; -inf where it was not asked."""
    np = need("numpy")
    columns = [EVIDENCE.index(name) for name in reranker.evidence_names]
    row = {skill.id: place for place, skill in enumerate(suite.skills)}
    positive = [skill.positive for skill in suite.skills]
    out = np.full(hybrid.shape, -np.inf)
    for place, task in enumerate(suite.tasks):
        judged = [row[id_] for id_ in (*task.expected, *task.forbidden) if id_ in row]
        first = [int(i) for i in np.argsort(-hybrid[place], kind="stable")[:DEPTH]]
        asked = judged if task.forbidden else first
        out[place, asked] = reranker.rerank(
            task.text, [positive[i] for i in asked], evidence[place][asked][:, columns]
        )
        if progress:
            progress(place + 1, len(suite.tasks))
    return out


def bm25(texts: Sequence[str], queries: Sequence[str]) -> Array:
    """Return BM25 of every text for every query, float64 `(queries, texts)`.

    Robertson and Zaragoza, 2009, with idf = ln(1 + (N - df + 0.5) / (df + 0.5)); a query's term
    counts once.
    """
    np = need("numpy")
    bags = [Counter(terms(text)) for text in texts]
    lengths = [sum(bag.values()) for bag in bags]
    mean = sum(lengths) / len(lengths) or 1.0
    postings: dict[str, list[tuple[int, float]]] = {}
    for place, bag in enumerate(bags):
        for term, tf in bag.items():
            longer = K1 * (1 - B + B * lengths[place] / mean)
            postings.setdefault(term, []).append((place, tf * (K1 + 1) / (tf + longer)))
    out = np.zeros((len(queries), len(texts)))
    for line, query in enumerate(queries):
        for term in sorted(set(terms(query))):
            rows = postings.get(term, [])
            idf = math.log(1 + (len(texts) - len(rows) + 0.5) / (len(rows) + 0.5))
            for place, weight in rows:
                out[line, place] += idf * weight
    return out


def carrying_field(skill: SkillText, task: str, encoder: Encoder) -> Field:
    """Return the field of the positive clause that is nearest to a task."""
    np = need("numpy")
    found = split_clauses(skill.description, skill.when_to_use)
    clauses = [clause for clause in found if clause.polarity == "positive"]
    if not clauses:
        return "description"
    near = encoder.encode([clause.text for clause in clauses]) @ encoder.encode([task])[0]
    return clauses[int(np.argmax(near))].field
