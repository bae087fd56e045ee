# ruff: noqa: T201 (a script: its output is what it is for)
"""Time of a task's answer, by path, against the encoder alone.

    python tests/benchmarks/bench_match.py --vault DIR --tasks FILE.jsonl [--runs N]

Wall-clock medians over the tasks in turn; `core` is the time that this thread was on a processor,
which a busy machine changes less (models work in threads of their own: their time is not in it).
The empty path is that of a task where no skill can reach the floor, so that SQL is not asked.
Also: how long the catalogue takes to build, and to take in one edited file.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from memskill.config import Settings
from memskill.match.catalogue import Catalogue
from memskill.match.floorfile import floor_in_force
from memskill.match.matcher import Answer, Matcher
from memskill.match.policy import shipped_hybrid
from memskill.models.fakes import HashEncoder, OverlapReranker
from memskill.models.registry import load_encoder, load_reranker
from memskill.records import Floor
from memskill.sources.terms import terms


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--vault", type=Path, required=True)
    arguments.add_argument("--tasks", type=Path, required=True)
    arguments.add_argument("--runs", type=int, default=100)
    arguments.add_argument("--fake", action="store_true", help="An encoder that loads nothing.")
    options = arguments.parse_args()

    settings = Settings(vault=options.vault, threads=1)
    encoder = HashEncoder() if options.fake else load_encoder(settings)
    reranker = OverlapReranker() if options.fake else load_reranker(settings)
    hybrid = shipped_hybrid()
    matcher = Matcher(encoder=encoder, reranker=reranker, hybrid=hybrid, shortlist_size=20)
    models = (encoder.fingerprint, matcher.reranker_fingerprint)
    if options.fake:
        floor = Floor(
            value=0.5, encoder_fingerprint=models[0], reranker_fingerprint=models[1], origin="bench"
        )
    else:
        floor = floor_in_force(settings, *models)

    def shortlist(task: str) -> None:
        with snapshot.reading() as store:
            asked = sorted(set(terms(task)))
            vector = encoder.encode([task])[0]
            store.shortlist(vector, asked, model=models[0], project=None, named=[], k=20)

    given: list[Answer] = []

    def answer(task: str) -> None:
        given.append(matcher.answer(snapshot, task, None, floor))

    catalogue = Catalogue(settings, encoder, hybrid)
    tasks = [json.loads(line)["task"] for line in options.tasks.read_text().splitlines()]
    tasks = (tasks * options.runs)[: options.runs]
    report("build of the catalogue", [timed(catalogue.current)])
    snapshot = catalogue.current()
    print(f"{len(snapshot.skills)} skills, {sum(map(len, snapshot.clauses.values()))} clauses")

    file = options.vault / next(iter(snapshot.skills))
    edited = file.read_text(encoding="utf-8")
    file.write_text(edited.replace("description: ", "description: Also. ", 1), encoding="utf-8")
    report("one edited file taken in", [timed(catalogue.refresh)])
    file.write_text(edited, encoding="utf-8")
    report("it is taken back", [timed(catalogue.refresh)])
    report("look at every file, nothing new", [timed(catalogue.refresh) for _ in range(5)])
    report("look at the folder", [timed(catalogue.current) for _ in range(50)])

    snapshot = catalogue.current()
    report("encode and SQL shortlist", [timed(lambda t=t: shortlist(t)) for t in tasks])
    paths: dict[str, list[tuple[float, float]]] = {"encode": [], "empty": [], "reranked": []}
    for task in tasks:
        paths["encode"].append(timed(lambda t=task: encoder.encode([t])))
        taken = timed(lambda t=task: answer(t))
        paths["reranked" if given[-1].candidates else "empty"].append(taken)
    medians = {path: report(path, taken) for path, taken in paths.items() if taken}
    print({path: len(taken) for path, taken in paths.items()}, "load", os.getloadavg())
    if "empty" in medians:
        print(f"empty path / encode: {medians['empty'] / medians['encode']:.2f}")


def timed(call: Callable[[], object]) -> tuple[float, float]:
    """Return the wall-clock and processor seconds of one call."""
    wall, core = time.perf_counter(), time.thread_time()
    call()
    return time.perf_counter() - wall, time.thread_time() - core


def report(name: str, times: list[tuple[float, float]]) -> float:
    """Print the medians in milliseconds; return that of the wall clock in seconds."""
    wall, core = (statistics.median(column) for column in zip(*times, strict=True))
    print(f"{name:34} {wall * 1e3:9.2f} ms   core {core * 1e3:9.2f} ms")
    return wall


if __name__ == "__main__":
    main()
