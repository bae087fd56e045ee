# ruff: noqa: T201 (a script: its output is what it is for)
"""Time of the empty path: encode and SQL shortlist of a task, against the encoder alone.

    python tests/benchmarks/bench_match.py --vault DIR --tasks FILE.jsonl [--runs N]

Wall-clock medians of a task in turn; `core` is the time that this thread was on a processor, which
a busy machine changes less (the encoder works in a thread of its own, so it has no such figure).
Also: how long the catalogue takes to build, and to take in one edited file.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

from memskill.config import Settings
from memskill.match.catalogue import Catalogue
from memskill.match.policy import shipped_hybrid
from memskill.models.fakes import HashEncoder
from memskill.models.registry import load_encoder
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
    catalogue = Catalogue(settings, encoder, shipped_hybrid())
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
    vectors = {task: encoder.encode([task])[0] for task in tasks}

    def shortlist(task: str) -> None:
        store = snapshot.store.cursor()
        store.shortlist(
            vectors[task],
            sorted(set(terms(task))),
            model=encoder.fingerprint,
            project=None,
            named=[],
            k=settings.shortlist_size,
        )
        store.close()

    encode = report("encode", [timed(lambda t=t: encoder.encode([t])) for t in tasks])
    query = report("shortlist", [timed(lambda t=t: shortlist(t)) for t in tasks])
    print(f"empty path / encode: {(encode + query) / encode:.2f}")


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
