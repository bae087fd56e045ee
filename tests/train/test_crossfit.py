"""Cross-fitting: no task's evidence comes from an encoder that saw it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memskill.train.crossfit import cross_lists, fold_of
from memskill.train.data import GradedTask, TrainingData, read_data
from memskill.train.encoder import EncoderOptions
from memskill.train.evidence import Hybrid, Lexicon
from memskill.train.lists import ListOptions

Files = tuple[list[Path], list[Path]]
OPTIONS = EncoderOptions(base=Path("base"), target=Path("none"))
LEXICON = Lexicon(documents=10, frequency={})


def _lists(data: TrainingData, tmp_path: Path, folds: int = 2):
    """Cross-fitted lists whose cosine of the right skill says which tasks the encoder saw."""
    seen: list[set[str]] = []

    def fit(part: TrainingData, target: Path):
        known = {task.text for task in part.tasks}
        seen.append(known)

        def encode(texts):
            return np.array([[1.0, 0.0] if text in known else [0.0, 1.0] for text in texts])

        return encode

    made = cross_lists(
        data, tmp_path, LEXICON, Hybrid(), encoder=OPTIONS, folds=folds, fit=fit,
        lists=ListOptions(own_share=1.0, routed=0.0),
    )  # fmt: skip
    return made, seen


@pytest.mark.parametrize("folds", [2, 3])
def test_every_list_has_evidence_from_an_encoder_that_did_not_see_its_task(
    labelled: Files, tmp_path: Path, folds: int
) -> None:
    data = read_data(*labelled, splits=["train"])
    made, seen = _lists(data, tmp_path, folds)
    assert {one.task for one in made} == {task.text for task in data.tasks}
    # Skills are never tasks, so an unseen task is as near to them as can be.
    assert all(np.all(one.evidence[:, 0] == 1.0) for one in made)
    for task in data.tasks:
        assert sum(task.text in known for known in seen) == folds - 1


def test_tasks_of_one_skill_are_in_one_fold(labelled: Files) -> None:
    data = read_data(*labelled, splits=["train"])
    own = [task for task in data.tasks if task.group == "farm:cows"]
    assert len(own) > 2
    assert len({fold_of(task, 2) for task in own}) == 1
    nothing = [
        GradedTask(text=text, grades={"farm:cows": 0}, kind="none", split="train", closed=True)
        for text in ("a", "b", "c", "d", "e")
    ]
    assert len({fold_of(task, 2) for task in nothing}) == 2


def test_one_fold_is_no_cross_fitting(labelled: Files, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="two folds"):
        _lists(read_data(*labelled, splits=["train"]), tmp_path, 1)
