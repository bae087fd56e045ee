"""The vault that notes search is measured on, and its fit.

`python tests/helpers/notes_vault.py` makes the vault in a temporary folder, compares ways to
rank on the valid part, fits the shipped weights, calibration and floor on train and valid,
reports on final, and writes memskill/models/weights/notes.json. Run it again whenever the shipped
encoder changes: it takes a minute.
"""

from __future__ import annotations

import dataclasses
import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memskill.config import Settings
    from memskill.match.notefit import Evidence
    from memskill.pipeline.notefloor import Gathering

ROOT = Path(__file__).resolve().parents[2]
QUERIES = ROOT / "data" / "tasks" / "notes_queries.jsonl"
TARGET = "false_fire<=0.1"
# Of each question in the comparison: a reranker is slow.
CANDIDATES = 8


def write_notes_vault(vault: Path) -> Settings:
    """Write and ingest a vault of all fixture notes and lessons; return its settings."""
    from memskill.config import load_settings
    from memskill.pipeline.ingest import ingest
    from memskill.pipeline.transcripts import ingest_transcripts

    data = ROOT / "data"
    shutil.copytree(data / "vault" / "notes", vault / "notes")
    shutil.copytree(data / "notes_eval" / "notes", vault / "notes", dirs_exist_ok=True)
    settings = load_settings({"vault": str(vault)})
    ingest(settings)
    ingest_transcripts(settings, [data / "transcripts", data / "notes_eval" / "transcripts"])
    return settings


def compare(settings: Settings) -> None:
    """Print how ways to rank do on the valid part, each fitted on the train part alone."""
    from memskill.match.notepolicy import FEATURES
    from memskill.pipeline.notefloor import Gathering

    gathering = Gathering(settings)
    tasks = gathering.read([QUERIES], ("train", "valid")).tasks
    plain = gathering.evidence(tasks)
    reranked = [_reranked(settings, gathering, one) for one in plain]
    # The same candidates for all.
    plain = [_head(one) for one in plain]
    ways: list[tuple[str, list[Evidence], tuple[str, ...]]] = [
        ("whole text, cosine", plain, ("whole",)),
        ("three cosines", plain, ("whole", "title", "passage")),
        ("cosines and words", plain, ("whole", "title", "passage", "lexical")),
        ("all, as shipped", plain, FEATURES),
        ("all and the skills' reranker", reranked, (*FEATURES, "rerank")),
        ("the skills' reranker alone", reranked, ("rerank",)),
    ]
    for name, examples, features in ways:
        sys.stdout.write(f"{name:30} {_line(examples, features)}\n")
        sys.stdout.flush()


def _head(one: Evidence) -> Evidence:
    return dataclasses.replace(
        one, names=one.names[:CANDIDATES], features=one.features[:CANDIDATES]
    )


def _reranked(settings: Settings, gathering: Gathering, one: Evidence) -> Evidence:
    """Return a question's evidence with the logit of the skills' reranker as a column."""
    import numpy as np

    from memskill.models.registry import load_reranker

    reranker = load_reranker(settings)
    candidates = gathering.candidates(one.task)[0][:CANDIDATES]
    texts = [f"{c.hit.title}\n{c.hit.excerpt}" for c in candidates]
    known = {"cosine": "whole", "clause": "cosine", "lexical": "lexical"}
    rows = [
        [getattr(c, known[n]) if n in known else 0.0 for n in reranker.evidence_names]
        for c in candidates
    ]
    evidence = np.array(rows, dtype=np.float32).reshape(len(texts), len(reranker.evidence_names))
    logits = reranker.rerank(one.task.text, texts, evidence)
    return dataclasses.replace(
        one,
        names=one.names[:CANDIDATES],
        features=np.column_stack([one.features[:CANDIDATES], logits]),
        columns=(*one.columns, "rerank"),
    )


def _line(examples: list[Evidence], features: tuple[str, ...]) -> str:
    import numpy as np

    from memskill.match.cases import recalibrated
    from memskill.match.floortune import fit
    from memskill.match.notefit import as_case, fit_weights
    from memskill.match.statistics import statistics
    from memskill.match.target import parse_target

    train, valid = ([e for e in examples if e.task.split == s] for s in ("train", "valid"))
    weights = fit_weights(train, features)
    train, valid = ([as_case(e, weights, "0" * 64) for e in part] for part in (train, valid))
    calibration, floor = fit(train, parse_target(TARGET), 5)
    found = statistics(recalibrated(valid, calibration), floor=floor, limit=5)
    wanted = ("recall@1", "recall@3", "ndcg@3", "auroc", "fires@90", "recall", "precision",
              "decision_right", "false_fire")  # fmt: skip
    told = {name: round(float(found[name][0](np.ones(len(valid)))), 3) for name in wanted}
    return ", ".join(f"{name} {value}" for name, value in told.items())


def main() -> None:
    """Compare, fit and write the shipped file; `--fit` leaves the comparison out."""
    from memskill.match.notepolicy import SHIPPED
    from memskill.pipeline.notefloor import tune_notes

    with tempfile.TemporaryDirectory() as folder:
        settings = write_notes_vault(Path(folder) / "vault")
        if "--fit" not in sys.argv:
            compare(settings)
        tuned = tune_notes(
            settings, [QUERIES], TARGET, fit_on=("train", "valid"), report_on=("final",), to=SHIPPED
        )
    for name, one in (*tuned.order.items(), *tuned.fit.held_out.measures.items()):
        sys.stdout.write(f"final {name}: {one.value} ({one.low} to {one.high}), {one.count}\n")
    for warning in tuned.fit.warnings:
        sys.stdout.write(f"warning: {warning}\n")
    for case in tuned.fit.wrong:
        sys.stdout.write(f"wrong: {case.cause}: {case.task[:80]!r} -> {case.returned}\n")
    sys.stdout.write(f"weights {dict(tuned.policy.weights)}, floor {tuned.policy.floor}\n")


if __name__ == "__main__":
    main()
