"""`mem model eval`: the table of the model card, on any labelled tasks."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from memskill.config import Settings
from memskill.errors import UsageError
from memskill.match.cases import Progress
from memskill.models.folders import find_model
from memskill.models.registry import load_encoder, load_reranker
from memskill.pipeline.modeldata import Sources, measured_suites
from memskill.sources.atomic import write_atomic

if TYPE_CHECKING:
    from memskill.train.report import Row


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Every figure, what it was measured on and with, and the tables as Markdown."""

    # Suite -> how many skills and tasks it has.
    suites: dict[str, tuple[int, int]]
    encoder: str
    encoder_fingerprint: str
    reranker: str
    reranker_fingerprint: str
    base: str
    splits: tuple[str, ...]
    seed: int
    rows: tuple[Row, ...]
    markdown: str


def evaluate_models(
    settings: Settings,
    sources: Sources,
    *,
    folders: Sequence[Path] = (),
    base: str = "",
    seed: int = 0,
    card: str = "",
    markdown: Path | None = None,
    progress: Progress | None = None,
) -> Measured:
    """Return how the models order and decide, beside BM25 and one-vector cosines.

    Args:
        settings: Names the encoder and the reranker that are measured, and the vault.
        sources: Files, else the vault's skills and labels.
        folders: Prepared suites, each with skills.jsonl and tasks.jsonl, instead.
        base: Another encoder (`onnx:FOLDER`, `hf:NAME`) to compare with; "" for none.
        seed: Of the intervals.
        card: A model whose card gets the tables; "" for none.
        markdown: A file that gets them.
        progress: Called with (tasks done, tasks in all), suite by suite.

    Raises:
        TasksInvalid, EvaluationRefused: See `measured_suites`.
        NotFound, ModelError, ExtraMissing, ConfigError: A model cannot be found or load.
        UsageError: A file cannot be written.
    """
    from memskill.train.report import measure
    from memskill.train.reporttext import markdown as as_markdown
    from memskill.train.reporttext import put_into_card
    from memskill.train.suite import Models

    told = find_model(settings, card) if card else None
    suites = measured_suites(settings, sources, folders)
    encoder, reranker = load_encoder(settings), load_reranker(settings)
    other = load_encoder(dataclasses.replace(settings, encoder=base)) if base else None
    models = Models(encoder=encoder, reranker=reranker, base=other)
    rows = measure(suites, models, seed=seed, progress=progress)
    text = as_markdown(rows)
    splits = ", ".join(sources.splits) or "all tasks"
    try:
        if markdown:
            write_atomic(markdown, text.encode())
        if told:
            put_into_card(told.folder, rows, f"Measured by `mem model eval` on {splits}")
    except OSError as error:
        raise UsageError(f"the tables cannot be written: {error}") from error
    return Measured(
        suites={suite.name: (len(suite.skills), len(suite.tasks)) for suite in suites},
        encoder=settings.encoder,
        encoder_fingerprint=encoder.fingerprint,
        reranker=settings.reranker,
        reranker_fingerprint=reranker.fingerprint if reranker else "none",
        base=base,
        splits=sources.splits,
        seed=seed,
        rows=tuple(rows),
        markdown=text,
    )
