"""`mem floor tune --for notes`: weights, calibration and floor of notes search, fitted anew."""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from memskill.config import Settings
from memskill.errors import UsageError
from memskill.lessons.pasted import pasted_lessons
from memskill.match.cases import Case, Progress
from memskill.match.evaluate import evaluate
from memskill.match.floorfile import fit_report
from memskill.match.floortune import FloorFit, tune
from memskill.match.grouping import split_by_group
from memskill.match.measures import Estimate
from memskill.match.notefit import Evidence, as_case, fit_weights
from memskill.match.noteindex import NoteIndex
from memskill.match.notepolicy import FEATURES, NotePolicy, own_path, write_policy
from memskill.match.notesearch import HitCandidate, Search, search_notes
from memskill.match.target import parse_target
from memskill.models.calibration import Calibration
from memskill.pipeline.labelled import Labelled, read_labelled
from memskill.pipeline.notes import require_limit
from memskill.pipeline.querying import Querying
from memskill.records import Split, Task
from memskill.store import floor_time

# What a question is compared with while nothing is fitted yet: every feature counts.
_START = dict.fromkeys(FEATURES, 1.0) | {"lesson": 0.0}
# Saturation and length of BM25, as for skills.
_BM25 = (1.2, 0.75)
_FITTED: tuple[Split, ...] = ("train",)
_REPORTED: tuple[Split, ...] = ("final",)
_TOLD = ("recall@1", "recall@3", "ndcg@3", "mrr", "auroc")


@dataclass(frozen=True, slots=True, kw_only=True)
class TunedNotes:
    """A fit of notes search, what to know before reading it, and whether it is in force now."""

    fit: FloorFit
    # Of the held-out part, before the floor: recall@1, recall@3, ndcg@3, mrr, auroc.
    order: Mapping[str, Estimate]
    policy: NotePolicy
    remarks: tuple[str, ...]
    written: bool


def tune_notes(
    settings: Settings,
    paths: Sequence[Path],
    target: str,
    *,
    seed: int = 0,
    share: float = 0.5,
    fit_on: Collection[Split] = (),
    report_on: Collection[Split] = (),
    limit: int = 5,
    dry_run: bool = False,
    to: Path | None = None,
    progress: Progress | None = None,
) -> TunedNotes:
    """Fit weights, calibration and floor of notes search and put them in force.

    Everything is fitted on one part of the questions and reported on the other.

    Args:
        settings: Names the vault, which was ingested, and the encoder.
        paths: Files of labelled questions; see `Gathering.read`.
        target: Such as "false_fire<=0.1".
        seed: Of the split and of the intervals.
        share: How much is fitted on where the questions state no split, 0.2 to 0.8.
        fit_on: Use the questions' own `split`: fit on these values ...
        report_on: ... and report on those.
        limit: How many hits are returned at most.
        dry_run: Fit and report, write nothing.
        to: Write to this file, not to the vault's own.
        progress: Called with (questions done, questions in all).

    Raises:
        UsageError: A target, share or limit that cannot be.
        TasksInvalid, EvaluationRefused: See `read_labelled` and `tune`.
        NotFound, StoreBehind: There is no database, or its notes have no vectors.
    """
    wanted = parse_target(target)
    require_limit(limit, 50)
    if not 0.2 <= share <= 0.8:
        raise UsageError(f"the fitted share lies between 0.2 and 0.8, not at {share}")
    gathering = Gathering(settings)
    labelled = gathering.read(paths, [*fit_on, *report_on])
    tasks = labelled.tasks
    if not fit_on and not report_on:
        tasks = _split(tasks, share, seed)
        fit_on, report_on = _FITTED, _REPORTED
    examples = gathering.evidence(tasks, progress)
    weights = fit_weights([one for one in examples if one.task.split in fit_on])
    cases = [as_case(one, weights, gathering.policy.encoder_fingerprint) for one in examples]
    fit = tune(
        cases,
        wanted,
        seed=seed,
        fit_on=fit_on,
        report_on=report_on,
        limit=limit,
        fitted_at=floor_time(),
    )
    held_out = [case for case in cases if case.task.split in report_on]
    order = _order(held_out, settings.shortlist_size, seed)
    policy = replace(
        gathering.policy,
        weights=weights,
        calibration=Calibration.from_mapping(fit.floor.calibration),
        floor=fit.floor.value,
        data_fingerprint=fit.floor.data_fingerprint,
        seed=seed,
        report=fit_report(fit) | {"order": _rounded(order)},
    )
    if not dry_run:
        write_policy(to or own_path(settings), policy)
    return TunedNotes(
        fit=fit, order=order, policy=policy, remarks=labelled.remarks, written=not dry_run
    )


class Gathering:
    """Compares questions with the vault's notes and lessons, for whoever fits or measures."""

    def __init__(self, settings: Settings) -> None:
        self._querying = Querying(settings)
        self._k = settings.shortlist_size
        k1, b = _BM25
        encoder = self._querying.encoder.fingerprint
        self.policy = NotePolicy(
            encoder_fingerprint=encoder, weights=_START, k1=k1, b=b, mean_length=100.0,
            calibration=Calibration(), floor=0.0,
        )  # fmt: skip
        self.policy = replace(self.policy, mean_length=_mean_length(self.index))
        # Name of a note or lesson in a label -> what search calls it.
        self.names = _names(self.index)

    @property
    def index(self) -> NoteIndex:
        """Notes and lessons as they are now."""
        return self._querying.index(self.policy)

    def read(self, paths: Sequence[Path], splits: Collection[Split] = ()) -> Labelled:
        """Return labelled questions whose `expected` holds what search calls notes and lessons.

        Raises:
            TasksInvalid, EvaluationRefused: See `read_labelled`.
        """
        settings = self._querying.settings
        labelled = read_labelled(settings, paths, names=self.names.keys(), splits=splits)
        tasks = [
            replace(task, expected=tuple(self.names.get(name, name) for name in task.expected))
            for task in labelled.tasks
        ]
        return replace(labelled, tasks=tuple(tasks))

    def candidates(self, task: Task) -> tuple[tuple[HitCandidate, ...], dict[str, float]]:
        """Return what a question is compared with, and how long each stage took."""
        index = self.index
        search = Search(
            text=task.text, project=task.project, pasted=pasted_lessons(task.text, index.lessons)
        )
        started = time.perf_counter()
        vector = self._querying.vector(task.text)
        encoded = time.perf_counter() - started
        found = search_notes(index, vector, self.policy, search, k=self._k)
        return found.candidates, {"encode": encoded, **found.seconds}

    def evidence(self, tasks: Sequence[Task], progress: Progress | None = None) -> list[Evidence]:
        """Return the features of each question's candidates, in order of the questions."""
        examples: list[Evidence] = []
        for task in tasks:
            candidates, seconds = self.candidates(task)
            rows = [_features(one) for one in candidates]
            one = Evidence(
                task=task,
                names=tuple(candidate.hit.id for candidate in candidates),
                features=np.array(rows, dtype=np.float64).reshape(len(rows), len(FEATURES)),
                seconds=seconds,
            )
            examples.append(one)
            if progress:
                progress(len(examples), len(tasks))
        return examples


def _order(cases: Sequence[Case], k: int, seed: int) -> dict[str, Estimate]:
    measures = evaluate(cases, floor=None, k=k, seed=seed).measures
    return {name: measures[name] for name in _TOLD if name in measures}


def _rounded(measures: Mapping[str, Estimate]) -> dict[str, dict[str, float | int | None]]:
    return {
        name: {
            key: None if value is None else round(value, 4)
            for key, value in dataclasses.asdict(one).items()
        }
        for name, one in measures.items()
    }


def _features(one: HitCandidate) -> list[float]:
    found = {
        "whole": one.whole,
        "title": one.cosine_title,
        "passage": one.cosine,
        "lexical": one.lexical,
        "lesson": float(one.hit.kind == "lesson"),
        "signature": one.signature,
    }
    return [found[name] for name in FEATURES]


def _names(index: NoteIndex) -> dict[str, str]:
    """Return `<project>/<query-id>`, ids of lessons, and `<scope>/<tool> <sub-command>` of those.

    The last is for labels that people write: an id says nothing to them. Where two lessons
    share one, the first by id has it.
    """
    names: dict[str, str] = {}
    for key, found in sorted(index.found.items()):
        if found.node:
            names[found.node.address] = found.node.address
        if found.lesson:
            one = found.lesson
            names[key] = key
            names.setdefault(f"{one.scope}/{one.tool} {one.subcommand}".strip(), key)
    return names


def _mean_length(index: NoteIndex) -> float:
    """Return how many terms a passage has with its title, on average."""
    lengths = [sum(row.terms.values()) for row in index.store.passages() if row.part == "passage"]
    return round(float(np.mean(lengths)), 1) if lengths else 100.0


def _split(tasks: Sequence[Task], share: float, seed: int) -> tuple[Task, ...]:
    classes = ([bool(task.expected) for task in tasks], [not task.expected for task in tasks])
    fitted, _ = split_by_group(tasks, classes, share=share, seed=seed)
    inside = set(fitted)
    return tuple(
        replace(task, split="train" if place in inside else "final")
        for place, task in enumerate(tasks)
    )
