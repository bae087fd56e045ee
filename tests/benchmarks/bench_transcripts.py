"""How fast and in how much memory transcripts are read, against `json.loads` a line.

    PYTHONPATH=. python tests/benchmarks/bench_transcripts.py PATH... [--grow 1000]

Both are measured in the same run, in processor time, in turns, so that a busy machine slows
both. The target is 0.4 times the speed of `json.loads`, redaction included. With `--grow N` the
rows are repeated into one file of N MB (in a temporary folder, call ids made new), which is then
ingested as a whole, database included; the target for the peak memory is 400 MB.
"""

from __future__ import annotations

import argparse
import json
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from memskill.config import Settings
from memskill.pipeline.transcripts import ingest_transcripts
from memskill.sources.transcripts.find import FoundTranscript, find_transcripts
from memskill.sources.transcripts.read import fresh_cursor, read_batches

ROUNDS = 5


def main() -> None:
    """Print one line a measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--grow", type=int, default=0, metavar="MB")
    options = parser.parse_args()
    found = [one for one in find_transcripts(options.paths)[0] if one.path.suffix == ".jsonl"]
    size = sum(one.path.stat().st_size for one in found)
    best: dict[str, float] = {}
    for _ in range(ROUNDS):
        for name, measured in (("json.loads", plain), ("memskill", read)):
            best[name] = min(best.get(name, 1e9), timed(measured, found))
    for name, seconds in best.items():
        print(f"{name}: {seconds:.3f} s of processor time, {size / 1e6 / seconds:.1f} MB/s")  # noqa: T201
    print(f"share of json.loads: {best['json.loads'] / best['memskill']:.2f}")  # noqa: T201
    if options.grow:
        grown(found, options.grow)


def timed(measured: object, found: list[FoundTranscript]) -> float:
    """Return the processor time of one pass."""
    start = time.process_time()
    measured(found)  # type: ignore[operator]
    return time.process_time() - start


def plain(found: list[FoundTranscript]) -> None:
    """Parse each line and let it go."""
    for one in found:
        with one.path.open("rb") as file:
            for line in file:
                json.loads(line)


def read(found: list[FoundTranscript]) -> None:
    """Read each file to events, calls and chunks, redacted."""
    for one in found:
        for _ in read_batches(one, fresh_cursor(one)):
            pass


def grown(found: list[FoundTranscript], megabytes: int) -> None:
    """Ingest one file of many megabytes; print time and the peak memory of the process."""
    with tempfile.TemporaryDirectory() as folder:
        big = Path(folder) / "big.jsonl"
        with big.open("wb") as file:
            for line in repeated(found):
                file.write(line)
                if file.tell() >= megabytes * 1_000_000:
                    break
        vault = Path(folder) / "vault"
        vault.mkdir()
        start = time.perf_counter()
        report = ingest_transcripts(Settings(vault=vault), [big])
        seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        print(f"{megabytes} MB in one file: {seconds:.0f} s, peak {peak:.0f} MB")  # noqa: T201
        print(f"  {report.calls_new} calls, {report.chunks_new} chunks")  # noqa: T201


def repeated(found: list[FoundTranscript]) -> Iterator[bytes]:
    """Yield the lines of the files of one format again and again, call ids made new each time."""
    same = [one for one in found if one.parser.name == found[0].parser.name]
    turn = 0
    while True:
        for one in same:
            with one.path.open("rb") as file:
                for line in file:
                    yield line.replace(b'"toolu_', b'"toolu_%d_' % turn)
        turn += 1


if __name__ == "__main__":
    main()
