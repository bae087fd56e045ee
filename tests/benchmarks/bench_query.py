"""How long one question takes at 5,000 notes, beside the encoding of the question alone.

`python tests/benchmarks/bench_query.py [NOTES]` prints wall and processor milliseconds. The notes
are made of invented words and lie in memory only; the question runs through the shipped encoder.
"""

from __future__ import annotations

import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

WORDS = 4_000
ROUNDS = 20


def main() -> None:
    """Print the figures."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    from helpers.notes import fake_querying
    from helpers.vaults import make_settings, write_note

    from memskill.models.fakes import HashEncoder
    from memskill.models.registry import load_encoder
    from memskill.pipeline.ingest import ingest

    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    draw = random.Random(7)
    words = [
        "".join(draw.choices("aeioubcdfgklmnprst", k=draw.randint(4, 9))) for _ in range(WORDS)
    ]
    with tempfile.TemporaryDirectory() as folder:
        settings = make_settings(Path(folder) / "vault")
        for number in range(count):
            paragraphs = (" ".join(draw.choices(words, k=90)) for _ in range(3))
            query = " ".join(draw.choices(words, k=8))
            write_note(settings, f"p{number % 20}/q{number}", "\n\n".join(paragraphs), query=query)
        started = time.perf_counter()
        report = ingest(settings, encoder=HashEncoder())
        sys.stdout.write(
            f"{report.notes_read} notes, {report.texts_encoded} texts, ingest "
            f"{time.perf_counter() - started:.1f} s (its encoder is a fake), database "
            f"{settings.database.stat().st_size / 1e6:.0f} MB\n"
        )
        querying = fake_querying(settings)
        _time(
            "first question, which reads the database",
            1,
            lambda: querying.query(" ".join(words[:8])),
        )
        questions = [" ".join(draw.choices(words, k=10)) for _ in range(ROUNDS)]
        encoder = load_encoder(settings)
        encoder.encode(["warm"])
        _time("encoding a question alone", ROUNDS, _each(questions, lambda q: encoder.encode([q])))
        _time("shortlist and weighing", ROUNDS, _each(questions, querying.query))


def _each(questions, run):
    left = iter(questions)
    return lambda: run(next(left))


def _time(what: str, rounds: int, run) -> None:
    walls, spent = [], []
    for _ in range(rounds):
        wall, cpu = time.perf_counter(), time.process_time()
        run()
        walls.append(1e3 * (time.perf_counter() - wall))
        spent.append(1e3 * (time.process_time() - cpu))
    wall, cpu = statistics.median(walls), statistics.median(spent)
    sys.stdout.write(f"{what}: median {wall:.1f} ms, of processor time {cpu:.1f} ms\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
