"""Notes search at 5,000 notes with the shipped encoder: a question, a context, a new note.

`PYTHONPATH=. python tests/benchmarks/bench_query.py [NOTES [VAULT]]` prints milliseconds. The
notes are put together from sentences of our own notes and manual. Encoding them takes minutes;
with VAULT the vault is kept there and used again.
"""

from __future__ import annotations

import os
import random
import re
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROUNDS = 60


def main() -> None:
    """Print the figures."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000
    with tempfile.TemporaryDirectory() as folder:
        _measure(Path(sys.argv[2]) if len(sys.argv) > 2 else Path(folder) / "vault", count)


def _measure(vault: Path, count: int) -> None:
    from memskill.config import load_settings
    from memskill.models.registry import load_encoder
    from memskill.pipeline.context import Contexts
    from memskill.pipeline.ingest import ingest
    from memskill.pipeline.matching import Matching

    sentences = _sentences()
    draw = random.Random(7)
    settings = load_settings({"vault": str(vault)})
    if not settings.database.exists():
        for number in range(count):
            _write(settings.vault / "notes" / f"p{number % 20}" / f"q{number}.md", sentences, draw)
        _once("ingest of all", lambda: ingest(settings))
    _say(f"load {os.getloadavg()[0]:.1f}, database {settings.database.stat().st_size / 1e6:.0f} MB")
    contexts = Contexts(Matching(settings))
    querying = contexts.querying
    _once("first question, which reads the database", lambda: querying.query("why is it slow"))
    questions = [" ".join(draw.choice(sentences).split()[:14]) for _ in range(4 * ROUNDS)]
    encoder = load_encoder(settings)
    _each("encoding a question alone", questions[:ROUNDS], lambda q: encoder.encode([q]))
    _each("a question", questions[ROUNDS : 2 * ROUNDS], querying.query)
    _each("a question within a project", questions[2 * ROUNDS : 3 * ROUNDS],
          lambda q: querying.query(q, project="p3"))  # fmt: skip
    _each("a context", questions[3 * ROUNDS :], contexts.context)
    for number in range(3):
        _write(settings.vault / "notes" / "new" / f"{draw.random()}.md", sentences, draw)
        _once("ingest of one new note", lambda: ingest(settings))
        _once("the next question", lambda: querying.query(questions[0]))
        _once("the one after it", lambda number=number: querying.query(questions[number]))


def _sentences() -> list[str]:
    """Return sentences of our own texts, each at least six words long."""
    folders = (ROOT / "data" / "vault" / "notes", ROOT / "data" / "notes_eval" / "notes",
               ROOT / "memskill" / "docs")  # fmt: skip
    texts = [path.read_text(encoding="utf-8") for f in folders for path in sorted(f.rglob("*.md"))]
    found = re.split(r"(?<=[.!?])\s+|\n\n+", "\n\n".join(texts))
    lines = [" ".join(one.split()) for one in found]
    return [line for line in lines if len(line.split()) >= 6 and not line.startswith(("---", "|"))]


def _write(path: Path, sentences: Sequence[str], draw: random.Random) -> None:
    paragraphs = (" ".join(draw.choices(sentences, k=4)) for _ in range(3))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"# {draw.choice(sentences)[:120]}\n\n" + "\n\n".join(paragraphs) + "\n")


def _once(what: str, run: Callable[[], object]) -> None:
    started = time.perf_counter()
    run()
    _say(f"{what}: {1e3 * (time.perf_counter() - started):.0f} ms")


def _each(what: str, questions: Sequence[str], run: Callable[[str], object]) -> None:
    walls: list[float] = []
    spent = time.process_time()
    for question in questions:
        wall = time.perf_counter()
        run(question)
        walls.append(1e3 * (time.perf_counter() - wall))
    cpu = 1e3 * (time.process_time() - spent) / len(questions)
    low, high = statistics.median(walls), sorted(walls)[int(0.95 * len(walls))]
    _say(f"{what}: p50 {low:.1f} ms, p95 {high:.1f} ms, processor {cpu:.1f} ms each")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
