"""Evidence for the reranker's lists from encoders that have not seen their tasks.

An encoder holds the right skill of a task that it was trained on nearer than that of a new one.
A reranker that learns from such cosines trusts them more than they deserve in use. So the tasks
are cut into folds by the skill they belong to, an encoder is trained on all folds but one, and
the lists of that one are made with its vectors. Nothing has to be corrected afterwards then.

Source: the out-of-fold predictions of stacked generalisation, Wolpert, Neural Networks 1992.
"""

from __future__ import annotations

import logging
import zlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from memskill.train.data import GradedTask, TrainingData
from memskill.train.encoder import EncoderOptions, train_encoder
from memskill.train.evidence import Encode, Hybrid, Lexicon
from memskill.train.lists import ListOptions, RankedList
from memskill.train.recipe import encode_with, lists_of

log = logging.getLogger(__name__)

# Trains on some data into a folder and returns what encodes with it.
Fit = Callable[[TrainingData, Path], Encode]


def fold_of(task: GradedTask, folds: int) -> int:
    """Return the fold of a task, from 0: tasks of one skill, family or text are together."""
    own = "" if task.closed and not task.group else next(iter(task.grades), "")
    key = task.group or own or task.text
    return zlib.crc32(key.encode("utf-8", "replace")) % folds


def cross_lists(
    data: TrainingData,
    work: Path,
    lexicon: Lexicon,
    hybrid: Hybrid,
    *,
    encoder: EncoderOptions,
    lists: ListOptions | None = None,
    folds: int = 2,
    fit: Fit | None = None,
) -> list[RankedList]:
    """Return the training lists of all tasks, each with evidence from an encoder new to it.

    Args:
        data: The training split.
        work: Folder for the fold encoders (`fold0`, `fold1`, ...).
        lexicon: Background frequencies.
        hybrid: Weights of the hybrid shortlist.
        encoder: How each fold's encoder is trained; its `target` is not used.
        lists: How lists are made; `optimism` and `pessimism` do not apply and become 0.
        folds: At least 2; time and independence grow with it.
        fit: What trains an encoder; for tests.

    Raises:
        ValueError: Fewer than two folds.
    """
    if folds < 2:
        raise ValueError(f"cross-fitting needs two folds or more, not {folds}")
    options = replace(lists or ListOptions(), optimism=0.0, pessimism=0.0)
    train = fit or _trainer(encoder)
    out: list[RankedList] = []
    for fold in range(folds):
        inside = [task for task in data.tasks if fold_of(task, folds) == fold]
        outside = [task for task in data.tasks if fold_of(task, folds) != fold]
        log.info("fold %d: an encoder on %d tasks, for %d", fold, len(outside), len(inside))
        if not inside:
            continue
        encode = train(_part(data, outside), work / f"fold{fold}")
        made = lists_of(_part(data, inside), encode, lexicon, hybrid, options)
        out += made
    return out


def _part(data: TrainingData, tasks: list[GradedTask]) -> TrainingData:
    return TrainingData(skills=data.skills, tasks=tasks, files=data.files)


def _trainer(options: EncoderOptions) -> Fit:
    def fit(data: TrainingData, target: Path) -> Encode:
        train_encoder(replace(options, target=target), data)
        return encode_with(target)

    return fit
