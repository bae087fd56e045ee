"""`mem model export` and `mem model calibrate`: what follows a training."""

from __future__ import annotations

import json
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from memskill.config import Settings
from memskill.errors import EvaluationRefused, UsageError
from memskill.match.cases import Progress
from memskill.match.grouping import components
from memskill.models.folders import CARD, TORCH, ModelFolder, find_model, open_folder, require_new
from memskill.models.onnx_folder import read_config
from memskill.models.registry import load_encoder
from memskill.models.reranker import OnnxReranker
from memskill.pipeline.modeldata import Sources, measured_suites
from memskill.pipeline.modelrun import training_run
from memskill.sources.atomic import whole_folder, write_atomic

if TYPE_CHECKING:
    from memskill.train.suite import Suite

# weights: int8 weights in blocks, exact in any company; dynamic: int8 throughout, twice as fast
# for one text at a time.
Precision = Literal["weights", "dynamic"]
_LEAST = 10
# Keys of config.json that the export itself states.
_EXPORTED = frozenset({"dimension", "pooling", "unit", "evidence", "max_tokens"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibrated:
    """A fitted calibration, and how well it holds on folds that it was not fitted on."""

    model: ModelFolder
    calibration: Mapping[str, float | str]
    examples: int
    held_out_error: float
    held_out_log_loss: float


def export_model(
    settings: Settings, name: str, *, out: Path | None = None, precision: Precision | None = None
) -> ModelFolder:
    """Export a trained network again and return its folder.

    Args:
        settings: Names the vault.
        name: A model of the vault, or a folder.
        out: A new folder with the exported files and the card; None: the model's own.
        precision: None keeps what fits the kind: weights for an encoder, dynamic for a reranker.

    Raises:
        NotFound, ModelError: There is no such model.
        UsageError: It has no trained network, or `out` exists.
        ExtraMissing: torch or onnx is not installed.
    """
    from memskill.train.kinds import need_training
    from memskill.train.quantize import BLOCK
    from memskill.train.recipe import export_trained

    need_training()
    model = find_model(settings, name)
    if not (model.folder / TORCH).is_dir():
        raise UsageError(
            f"{model.folder} has no trained network ({TORCH}/)", hint="mem model train makes one."
        )
    if out is not None:
        require_new(out)
    said = dict(read_config(model.folder / "config.json"))
    config = {key: value for key, value in said.items() if key not in _EXPORTED}
    default: Precision = "weights" if model.kind == "encoder" else "dynamic"
    block = BLOCK if (precision or default) == "weights" else 0
    parts = model.folder / "exported"
    shutil.rmtree(parts, ignore_errors=True)  # what a killed export left
    with whole_folder(out or parts) as aside, training_run(None):
        tokens: Any = said["max_tokens"]
        export_trained(
            model.kind, model.folder / TORCH, aside, config=config, max_tokens=int(tokens),
            block=block,
        )  # fmt: skip
        if out and (model.folder / CARD).is_file():
            shutil.copyfile(model.folder / CARD, aside / CARD)
    if out:
        return open_folder(out)
    # The graph last: until then the folder is whole with the old one.
    for file in ("tokenizer.json", "config.json", "model.onnx"):
        (parts / file).replace(model.folder / file)
    parts.rmdir()
    return open_folder(model.folder)


def calibrate_model(
    settings: Settings,
    name: str,
    sources: Sources,
    *,
    seed: int = 7,
    progress: Progress | None = None,
) -> Calibrated:
    """Fit what turns a reranker's logits into probabilities, and write it into its config.json.

    The map rises strictly, so no order changes and no fingerprint; a floor fitted by `mem floor
    tune` brings a calibration of its own and is not touched.

    Args:
        settings: Names the vault and the encoder, whose evidence the reranker gets.
        name: A reranker of the vault, or a folder.
        sources: Tasks that it was not trained on.
        seed: Of the folds.
        progress: Called with (tasks done, tasks in all).

    Raises:
        UsageError: The model is an encoder, or is not exported.
        EvaluationRefused: Too few right or wrong answers, or no increasing map fits.
        NotFound, ModelError, TasksInvalid: See `find_model` and `measured_suites`.
    """
    from memskill.train.calibrate import calibrate
    from memskill.train.card import add_facts

    model = find_model(settings, name)
    if model.kind == "encoder":
        raise UsageError(
            "an encoder has no calibration", hint="`mem floor tune` fits one for the shortlist."
        )
    if not model.exported:
        raise UsageError(f"{name[:80]!r} is not exported", hint=f"mem model export {model.folder}")
    reranker = OnnxReranker(model.folder, settings.threads)
    (suite,) = measured_suites(settings, sources)
    logits, truth, groups, weights = _examples(settings, suite, reranker, progress)
    right, wrong = int(truth.sum()), int((1 - truth).sum())
    if right < _LEAST or wrong < _LEAST:
        raise EvaluationRefused(
            f"{right} right and {wrong} wrong answers; a calibration needs {_LEAST} of each",
            hint="Label more tasks, or take another --split.",
        )
    try:
        fit = calibrate(logits, truth, groups, weights, seed=seed)
    except ValueError as error:
        raise EvaluationRefused(str(error), hint="Look at `mem model eval` first.") from error
    config = dict(read_config(model.folder / "config.json")) | {"calibration": dict(fit.parameters)}
    text = json.dumps(config, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    write_atomic(model.folder / "config.json", text.encode())
    add_facts(
        model.folder,
        "Calibration",
        {
            **fit.parameters,
            "fitted on": f"{fit.examples} answers to {len(suite.tasks)} tasks",
            "splits": ", ".join(sources.splits) or "all",
            "seed": seed,
            "expected calibration error, held-out folds": fit.held_out_error,
            "log loss, held-out folds": fit.held_out_log_loss,
        },
    )
    return Calibrated(
        model=model,
        calibration=fit.parameters,
        examples=fit.examples,
        held_out_error=fit.held_out_error,
        held_out_log_loss=fit.held_out_log_loss,
    )


def _examples(
    settings: Settings, suite: Suite, reranker: OnnxReranker, progress: Progress | None
) -> tuple[Any, Any, Any, Any]:
    """Return logits, truth, group numbers and weights of each task's three best answers."""
    import numpy as np

    from memskill.train.calibrate import graded_examples
    from memskill.train.evidence import Hybrid
    from memskill.train.suite import evidence_of, reranked

    evidence = evidence_of(suite, load_encoder(settings))
    hybrid = Hybrid.shipped().score(evidence.astype(np.float64))
    scores = reranked(suite, reranker, evidence, hybrid, progress)
    row = {skill.id: place for place, skill in enumerate(suite.skills)}
    grades = np.full(scores.shape, -1)
    for place, task in enumerate(suite.tasks):
        # Without forbidden skills the label says that no other one is right.
        grades[place] = -1 if task.forbidden else 0
        for id_ in task.forbidden:
            grades[place, row.get(id_, [])] = 0
        for id_ in task.expected:
            grades[place, row.get(id_, [])] = 2
    logits, truth, tasks, weights = graded_examples(scores, grades)
    return logits, truth, np.array(components(suite.tasks))[tasks], weights
