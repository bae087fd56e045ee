# ruff: noqa: T201 (a script: its output is what it is for)
"""Time of reranking 20 candidates: the ONNX folder against the same weights in torch fp32.

    python tests/benchmarks/bench_rerank.py [--onnx FOLDER] [--torch FOLDER] [--threads N]

`--torch` is the trained network's folder (reranker.pt, as `memskill.train.networks.save_reranker`
writes it). Both run in one process, turn by turn, so that whatever else the machine does falls on
both. Torch runs the way its libraries do, 20 pairs in one padded batch, and pair by pair too; the
ratio is to the faster of the two. Lengths are the medians of the public skills and of the tasks
that memskill was trained on; the words are made up.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from memskill.models.registry import WEIGHTS
from memskill.models.reranker import OnnxReranker
from memskill.models.threads import worker_count

CANDIDATES = 20
TASK_TOKENS = 16
TEXT_TOKENS = 54
WORDS = ["deploy", "service", "table", "check", "report", "release", "failed", "data", "team"]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--onnx", type=Path, default=WEIGHTS / "reranker")
    arguments.add_argument("--torch", type=Path)
    arguments.add_argument("--threads", type=int, default=0)
    arguments.add_argument("--runs", type=int, default=15)
    options = arguments.parse_args()

    rng = np.random.default_rng(1)
    task = " ".join(rng.choice(WORDS, TASK_TOKENS - 2))
    # Half to one and a half times the median, so that a padded batch pays what it does in use.
    lengths = np.linspace(0.5, 1.5, CANDIDATES) * TEXT_TOKENS
    texts = [" ".join(rng.choice(WORDS, int(length) - 2)) for length in lengths]
    reranker = OnnxReranker(options.onnx, options.threads)
    shape = (CANDIDATES, len(reranker.evidence_names))
    evidence = rng.uniform(0, 1, shape).astype(np.float32)

    runs: dict[str, Callable[[], object]] = {
        "onnx, pair by pair": lambda: reranker.rerank(task, texts, evidence)
    }
    if options.torch:
        runs |= torch_runs(options.torch, reranker, task, texts, evidence, options.threads)
    times = measure(runs, options.runs)
    for name, (wall, work) in times.items():
        spread = f"{min(wall) * 1e3:.1f} to {max(wall) * 1e3:.1f}"
        middle, cores = statistics.median(wall) * 1e3, statistics.median(work) * 1e3
        print(f"{name:28} median {middle:7.1f} ms  ({spread}), {cores:7.1f} ms of core time")
    if options.torch:
        for place, what in enumerate(("time", "core time")):
            medians = [statistics.median(pair[place]) for pair in times.values()]
            print(f"{what}: faster torch run / onnx = {min(medians[1:]) / medians[0]:.2f}")
        logits, exact = runs["onnx, pair by pair"](), runs["torch fp32, pair by pair"]()
        print(f"largest difference of a logit {np.abs(logits - exact).max():.4f}")


def torch_runs(folder, reranker, task, texts, evidence, threads):
    import torch

    from memskill.train.networks import load_reranker

    torch.set_num_threads(worker_count(threads))
    network = load_reranker(folder, evidence=evidence.shape[1]).eval()
    pairs = [reranker._model.tokenizer.encode(task, text) for text in texts]
    known = torch.from_numpy(evidence)

    def batch(rows):
        chosen = [pairs[row] for row in rows]
        width = max(len(pair.ids) for pair in chosen)
        columns = [
            torch.tensor([values + [0] * (width - len(values)) for values in column])
            for column in (
                [p.ids for p in chosen],
                [p.attention_mask for p in chosen],
                [p.type_ids for p in chosen],
            )
        ]
        with torch.inference_mode():
            return network(*columns, known[rows]).double().numpy()

    everyone = list(range(CANDIDATES))
    return {
        "torch fp32, one padded batch": lambda: batch(everyone),
        "torch fp32, pair by pair": lambda: np.concatenate([batch([row]) for row in everyone]),
    }


def measure(runs, times):
    """Return by name the seconds on the clock and those of all cores together, run by run.

    The second hardly moves when others use the machine; the first is what a user waits.
    """
    for run in runs.values():
        run()
    seconds: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in runs}
    for _ in range(times):
        for name, run in runs.items():
            started, worked = time.perf_counter(), time.process_time()
            run()
            seconds[name][0].append(time.perf_counter() - started)
            seconds[name][1].append(time.process_time() - worked)
    return seconds


if __name__ == "__main__":
    main()
