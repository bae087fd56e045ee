"""`mem model train`: from labelled tasks to a folder that the settings can name."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from memskill.config import Settings
from memskill.errors import UsageError
from memskill.match.cases import Progress
from memskill.match.policy import shipped_hybrid
from memskill.models.calibration import Calibration
from memskill.models.folders import TORCH, ModelFolder, ModelKind, new_folder_path, open_folder
from memskill.models.registry import WEIGHTS, load_encoder
from memskill.models.threads import worker_count
from memskill.pipeline.modeldata import Sources, training_data
from memskill.pipeline.modelrun import base_fault, options_from, training_run
from memskill.records import Split
from memskill.sources.atomic import whole_folder

if TYPE_CHECKING:
    from memskill.train.data import TrainingData
    from memskill.train.reports import TrainReport

SEED = 7
_TOKENS: Mapping[ModelKind, int] = {"encoder": 256, "reranker": 192}


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainRequest:
    """What to train, on what, and how."""

    kind: ModelKind
    sources: Sources
    # Torch folder of a BERT (an encoder also of an XLM-RoBERTa) to go on from; None: the
    # shipped encoder, rebuilt.
    base: Path | None = None
    # What a reranker's fold encoders go on from; None: `base`.
    fold_base: Path | None = None
    # The folder to write; None: the next free one of the vault.
    out: Path | None = None
    seed: int = SEED
    # A reranker's evidence: 1 takes the encoder in use, whose cosines of tasks that it has seen
    # are lowered; from 2 on, encoders that have not seen the task.
    folds: int = 1
    # Name -> value of the options of `memskill.train`.
    options: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """A trained and exported model, and what its card says of the run."""

    model: ModelFolder
    base: str
    seed: int
    data_fingerprint: str
    examples: int
    steps: int
    seconds: float
    loss: float
    settings: Mapping[str, object]


def train_model(
    settings: Settings, request: TrainRequest, progress: Progress | None = None
) -> Trained:
    """Train a model, export it and write its card; return where it lies and how it was made.

    The folder appears whole or not at all.

    Args:
        settings: Names the vault, the encoder in use and how many threads there are.
        request: See there.
        progress: Called with (steps done, steps in all), once for each network trained.

    Raises:
        UsageError: A folder that exists, an unknown option, or a base that does not fit.
        TasksInvalid, EvaluationRefused: See `training_data`.
        ExtraMissing: torch, transformers or onnx is not installed; the hint is the install line.
        ModelError: The base, or the encoder in use, cannot load.
    """
    from memskill.train.kinds import need_training

    need_training()
    if request.folds < 1:
        raise UsageError(f"--folds must be 1 or more, not {request.folds}")
    target = new_folder_path(settings, request.kind, request.out)
    data = training_data(settings, request.sources)
    try:
        with tempfile.TemporaryDirectory(prefix="memskill-") as work, training_run(progress):
            base = request.base or _shipped_base(Path(work))
            if fault := base_fault(base, request.kind):
                raise UsageError(f"{base}: {fault}", hint="Name another torch folder with --base.")
            make = _train_encoder if request.kind == "encoder" else _train_reranker
            with whole_folder(target) as aside:
                report = make(settings, request, data, base, aside / TORCH, Path(work))
                _finish(aside, target.name, request, report)
    except OSError as error:
        raise UsageError(f"{target}: cannot be written: {error}", hint="Name --out.") from error
    told = {
        name: getattr(report, name)
        for name in ("base", "seed", "data_fingerprint", "examples", "steps", "seconds", "loss",
                     "settings")
    }  # fmt: skip
    return Trained(model=open_folder(target), **told)


def _shipped_base(work: Path) -> Path:
    from memskill.train.rebuild import rebuild_body

    return rebuild_body(WEIGHTS / "encoder", work / "memskill-encoder")


def _train_encoder(
    settings: Settings, request: TrainRequest, data: TrainingData, base: Path, target: Path,
    work: Path,
) -> TrainReport:  # fmt: skip
    from memskill.train.encoder import EncoderOptions, train_encoder
    from memskill.train.pairs import make_pairs

    start = EncoderOptions(
        base=base, target=target, seed=request.seed, threads=worker_count(settings.threads)
    )
    # Few pairs: smaller batches, so that there are steps to learn in.
    start = dataclasses.replace(start, batch=max(4, min(start.batch, len(make_pairs(data)) // 8)))
    (options,) = options_from(request.options, start)
    return _with_sources(train_encoder(options, data), request)


def _train_reranker(
    settings: Settings, request: TrainRequest, data: TrainingData, base: Path, target: Path,
    work: Path,
) -> TrainReport:  # fmt: skip
    from memskill.train.crossfit import cross_lists
    from memskill.train.encoder import EncoderOptions
    from memskill.train.evidence import Hybrid, Lexicon
    from memskill.train.lists import ListOptions
    from memskill.train.recipe import lists_of
    from memskill.train.reranker import RerankerOptions, train_reranker

    hybrid, lexicon = Hybrid.shipped(), Lexicon.shipped()
    threads = worker_count(settings.threads)
    # It starts as the shortlist's own probability: its hybrid score through its calibration.
    scale, bias = _line(shipped_hybrid().calibration)
    start = RerankerOptions(
        base=base, target=target, prior=hybrid.prior(scale), bias=bias, seed=request.seed,
        threads=threads,
    )  # fmt: skip
    options, lists = options_from(request.options, start, ListOptions(seed=request.seed))
    if request.folds > 1:
        fold = EncoderOptions(base=request.fold_base or base, target=work, seed=request.seed,
                              threads=threads)  # fmt: skip
        made = cross_lists(data, work, lexicon, hybrid, encoder=fold, lists=lists,
                           folds=request.folds)  # fmt: skip
        seen = f"{request.folds} encoders, each new to the tasks it serves"
    else:
        encoder = load_encoder(settings)
        made = lists_of(data, encoder.encode, lexicon, hybrid, lists)
        seen = encoder.fingerprint
    texts = {id_: skill.positive for id_, skill in data.skills.items()}
    report = train_reranker(options, made, texts, data_fingerprint=data.fingerprint)
    told = dataclasses.asdict(lists) | {"folds": request.folds, "evidence from": seen}
    return _with_sources(dataclasses.replace(report, settings={**report.settings, **told}), request)


def _line(calibration: Calibration) -> tuple[float, float]:
    """Return slope and constant of the logit that a calibration gives: exact for Platt's."""
    low, high = (float(Calibration().logit_at(float(calibration.apply(x)))) for x in (0.5, 1.0))
    return (high - low) / 0.5, 2 * low - high


def _with_sources(report: TrainReport, request: TrainRequest) -> TrainReport:
    splits: tuple[Split, ...] = request.sources.splits
    files = [path.name for path in (*request.sources.queries, *request.sources.skills)]
    told = {"splits": ", ".join(splits), "files": ", ".join(files) or "the vault's own"}
    return dataclasses.replace(report, settings={**report.settings, **told})


def _finish(aside: Path, name: str, request: TrainRequest, report: TrainReport) -> None:
    """Export what was trained and write the card beside it."""
    from memskill.train.card import write_card
    from memskill.train.recipe import export_trained

    base = Path(report.base).name
    config: dict[str, Any] = {"name": name, "base": base, "trained": True}
    # A reranker runs one pair at a time: dynamic int8 is faster then, and as exact as it can be.
    block = {} if request.kind == "encoder" else {"block": 0}
    tokens = _TOKENS[request.kind]
    export_trained(request.kind, aside / TORCH, aside, config=config, max_tokens=tokens, **block)
    write_card(
        aside,
        title=f"{name}: {request.kind}",
        summary=f"Trained by `mem model train` from {base}. The licence of its base applies.",
        reports=[report],
        tables={},
    )
