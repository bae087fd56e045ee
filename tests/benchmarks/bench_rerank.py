# ruff: noqa: T201 (a script: its output is what it is for)
"""Time of reranking 20 candidates: the ONNX folder against the same weights in torch fp32.

    python tests/benchmarks/bench_rerank.py [--onnx FOLDER] [--torch FOLDER] [--threads N]

`--torch` is the trained network's folder (reranker.pt, as `memskill.train.networks.save_reranker`
writes it); without it the network is rebuilt in float32 from the graph itself. Both run in one
process, turn by turn, so that whatever else the machine does falls on both. Torch runs the way its
libraries do, 20 pairs in one padded batch, and pair by pair too; the ratio is to the faster of the
two. Other ways to spend the threads on ONNX are shown for comparison: one pair at a time on a
session of all threads, and one padded batch (which would make a score depend on its company).
Lengths are the medians of the public skills and of the tasks that memskill was trained on; the
words are made up. Say the machine's load beside the figures: it is printed.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from memskill.models.registry import WEIGHTS
from memskill.models.reranker import OnnxReranker
from memskill.models.threads import worker_count
from memskill.train.rebuild import rebuild_reranker

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
    runs |= other_sessions(options.onnx, reranker, task, texts, evidence, options.threads)
    with tempfile.TemporaryDirectory() as work:
        folder = options.torch or rebuild_reranker(options.onnx, Path(work) / "torch")
        runs |= torch_runs(folder, reranker, task, texts, evidence, options.threads)
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    times = measure(runs, options.runs)
    for name, (wall, work) in times.items():
        spread = f"{min(wall) * 1e3:.1f} to {max(wall) * 1e3:.1f}"
        middle, cores = statistics.median(wall) * 1e3, statistics.median(work) * 1e3
        print(f"{name:28} median {middle:7.1f} ms  ({spread}), {cores:7.1f} ms of core time")
    for place, what in enumerate(("time", "core time")):
        medians = {name: statistics.median(pair[place]) for name, pair in times.items()}
        torch = min(value for name, value in medians.items() if name.startswith("torch"))
        print(f"{what}: faster torch run / onnx = {torch / medians['onnx, pair by pair']:.2f}")
    logits, exact = runs["onnx, pair by pair"](), runs["torch fp32, pair by pair"]()
    print(f"largest difference of a logit {np.abs(logits - exact).max():.4f}")
    print(f"load {os.getloadavg()[0]:.1f} afterwards")


def other_sessions(folder, reranker, task, texts, evidence, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = worker_count(threads)
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"), options)
    pairs = [reranker._model.tokenizer.encode(task, text) for text in texts]

    def run(rows):
        width = max(len(pairs[row].ids) for row in rows)
        names = {"input_ids": "ids", "attention_mask": "attention_mask",
                 "token_type_ids": "type_ids"}  # fmt: skip
        feeds = {
            name: np.array([(getattr(pairs[r], key) + [0] * width)[:width] for r in rows])
            for name, key in names.items()
        }
        return session.run(["logit"], feeds | {"evidence": evidence[rows]})[0].reshape(-1)

    everyone = list(range(CANDIDATES))
    return {
        "onnx, session of all threads": lambda: np.concatenate([run([row]) for row in everyone]),
        "onnx, one padded batch": lambda: run(everyone),
    }


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
