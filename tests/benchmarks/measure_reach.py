# ruff: noqa: T201 (a script: its output is what it is for)
"""How far the reranker in use lifts a skill above its hybrid: `reach` of hybrid.json.

    python tests/benchmarks/measure_reach.py --vault DIR --tasks FILE.jsonl [FILE.jsonl ...]

Prints the JSON that `match/policy.py` reads, and for every file how many tasks would need no
reranking at the floor in force and how many answers would change (none should). The lift is the
largest residual above the fitted line, and half as much again for what was not seen.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from memskill.config import Settings
from memskill.match.policy import Reach
from memskill.pipeline.matching import Matching

_TEXT_KEYS = ("task", "query", "text")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--vault", type=Path, required=True)
    arguments.add_argument("--tasks", type=Path, nargs="+", required=True)
    arguments.add_argument("--each", type=int, default=200, help="Tasks of a file, evenly spaced.")
    options = arguments.parse_args()
    matching = Matching(Settings(vault=options.vault))
    matcher, floor = matching.matcher, matching.floor()
    snapshot = matching.catalogue.current()
    logit = matcher.calibration(floor).logit_at(floor.value)
    # File -> task -> (hybrid, logit, kept) of every pair.
    found: dict[str, list[np.ndarray]] = {}
    for file in options.tasks:
        rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
        texts = sorted({next(row[key] for key in _TEXT_KEYS if key in row) for row in rows})
        texts = [text for text in texts if text.strip()]
        for text in texts[:: max(1, len(texts) // options.each)]:
            answer = matcher.answer(snapshot, text, None, floor, whole=True)
            pairs = [(one.hybrid, one.rerank_score, one.kept) for one in answer.candidates]
            found.setdefault(file.name, []).append(np.array(pairs, dtype=float).reshape(-1, 3))
    hybrid, logits, _ = np.concatenate([one for some in found.values() for one in some]).T
    slope, bias = np.polyfit(hybrid, logits, 1)
    above = float((logits - slope * hybrid - bias).max())
    reach = Reach(
        reranker=matcher.reranker_fingerprint,
        slope=round(float(slope), 4),
        bias=round(float(bias), 4),
        lift=round(1.5 * above, 4),
    )
    print(json.dumps({"reach": {name: getattr(reach, name) for name in reach.__slots__}}, indent=1))
    cut = reach.least_hybrid(logit)
    print(f"{len(hybrid)} pairs, largest residual {above:.3f}; the cut at this floor: {cut:.4f}")
    for name, tasks in found.items():
        spared = sum(not (pairs[:, 0] >= cut).any() for pairs in tasks)
        changed = sum(bool(((pairs[:, 0] < cut) & (pairs[:, 2] > 0)).any()) for pairs in tasks)
        before, after = (
            np.mean([(pairs[:, 0] >= least).sum() for pairs in tasks]) for least in (-np.inf, cut)
        )
        print(f"{name}: {len(tasks)} tasks, {spared} on the empty path, {changed} answers changed,")
        print(f"    {after:.1f} pairs reranked instead of {before:.1f}")


if __name__ == "__main__":
    main()
