# ruff: noqa: T201 (a script: its output is what it is for)
"""Load on `mem serve` while people promote and edit skills: no error, no torn answer.

    python tests/benchmarks/bench_serve.py --vault DIR --tasks FILE.jsonl [--requests 10000]

Works on a copy of the vault, starts the server there on a free port of 127.0.0.1 and asks with 16
clients over kept connections: of 100 requests 60 are known questions with their ETag, 30 are new
no-match tasks, and 10 are new tasks made of a skill's own words, which are reranked. Meanwhile
one thread promotes, edits and removes skills. An answer is torn when its ETag is not the sha of
its bytes, when it is not what its schema says, or when it names a skill that never was.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import itertools
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter, defaultdict
from pathlib import Path
from urllib.parse import quote

KINDS = ["repeated"] * 60 + ["empty"] * 30 + ["reranked"] * 10


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--vault", type=Path, required=True)
    arguments.add_argument("--tasks", type=Path, required=True)
    arguments.add_argument("--requests", type=int, default=10_000)
    arguments.add_argument("--clients", type=int, default=16)
    arguments.add_argument("--seconds", type=float, default=1800, help="Ask no longer than this.")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory(prefix="memskill-bench-") as folder:
        vault = Path(folder) / "vault"
        shutil.copytree(options.vault, vault)
        tasks = [json.loads(line)["task"] for line in options.tasks.read_text().splitlines()]
        load = Load(vault, tasks, options.requests, options.seconds)
        process, port = start(vault)
        try:
            load.run(port, options.clients)
            process.terminate()
            print(f"server ended with {process.wait(60)}")
        finally:
            process.kill()
        load.report()


def start(vault: Path) -> tuple[subprocess.Popen[str], int]:
    """Return the server's process and port, once it listens."""
    command = [sys.executable, "-m", "memskill", "--vault", str(vault), "serve", "--port", "0"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    assert process.stderr
    for line in process.stderr:
        if found := re.search(r"serves .*:(\d+)$", line):
            threading.Thread(target=process.stderr.read, daemon=True).start()
            return process, int(found[1])
        print(line, end="")
    raise SystemExit("the server did not start")


class Load:
    """The questions, who asks them, and what came of it."""

    def __init__(self, vault: Path, tasks: list[str], requests: int, seconds: float) -> None:
        self.vault = vault
        self.random = random.Random(1)
        self.names = {file.parent.name for file in vault.glob("skills/*/SKILL.md")}
        self.names |= {f"bench-{number}" for number in range(10)}
        self.known = tasks[:40]
        self.fresh = iter([f"{task} ({n})" for n in range(1_000) for task in tasks])
        texts = sorted(vault.glob("skills/*/SKILL.md"))
        said = [re.search(r"description: \"?(.{20,160})", t.read_text())[1] for t in texts]
        self.fitting = itertools.cycle([f"{text} {n}" for n in range(100) for text in said])
        self.left = requests
        self.until = time.perf_counter() + seconds
        self.lock = threading.Lock()
        self.stop = threading.Event()
        self.seconds: dict[str, list[float]] = defaultdict(list)
        self.statuses: Counter[tuple[str, int]] = Counter()
        self.torn: list[str] = []
        self.changes = 0

    def run(self, port: int, clients: int) -> None:
        """Ask everything with this many clients while the vault changes."""
        changer = threading.Thread(target=self.change)
        changer.start()
        self.loads = [os.getloadavg()[0]]
        started = time.perf_counter()
        threads = [threading.Thread(target=self.ask, args=(port,)) for _ in range(clients)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.took = time.perf_counter() - started
        self.loads.append(os.getloadavg()[0])
        self.stop.set()
        changer.join()

    def change(self) -> None:
        """Promote, edit and remove skills of our own, some changes a second."""
        skills = self.vault / "skills"
        for turn in itertools.count():
            folder, draft = skills / f"bench-{turn % 10}", skills / "_drafts" / "bench"
            if folder.exists():
                shutil.rmtree(folder)
            draft.mkdir(parents=True)
            text = f"---\ndescription: Polishes brass lamp number {turn}.\n---\n"
            (draft / "SKILL.md").write_text(text)
            draft.rename(folder)
            self.changes += 1
            if self.stop.wait(0.5):
                return
            (folder / "SKILL.md").write_text(text.replace("brass", "copper"))
            self.changes += 1
            if self.stop.wait(0.5):
                return

    def next_question(self) -> tuple[str, str] | None:
        with self.lock:
            if not self.left or time.perf_counter() > self.until:
                return None
            self.left -= 1
            kind = self.random.choice(KINDS)
            if kind == "repeated":
                return kind, self.random.choice(self.known)
            return kind, next(self.fresh if kind == "empty" else self.fitting)

    def ask(self, port: int) -> None:
        """Ask until nothing is left, on one connection."""
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
        tags: dict[str, str] = {}
        while question := self.next_question():
            kind, task = question
            headers = {"If-None-Match": tags[task]} if task in tags else {}
            started = time.perf_counter()
            connection.request("GET", f"/memory/skills?task={quote(task)}", headers=headers)
            reply = connection.getresponse()
            body = reply.read()
            took = time.perf_counter() - started
            if kind == "repeated":
                tags[task] = reply.headers.get("ETag", "")
            with self.lock:
                self.seconds[f"{kind} {reply.status}"].append(took)
                self.statuses[kind, reply.status] += 1
                if fault := self.fault(reply, body):
                    self.torn.append(f"{task!r}: {fault}")

    def fault(self, reply: http.client.HTTPResponse, body: bytes) -> str:
        """Return what is wrong with an answer; "" for nothing."""
        if reply.status == 304:
            return "a body with 304" if body else ""
        if reply.status != 200:
            return f"status {reply.status}: {body[:200]!r}"
        if reply.headers["ETag"] != f'"{hashlib.sha256(body).hexdigest()}"':
            return "the ETag is not the sha of the body"
        matches = json.loads(body)
        if unknown := {match["name"] for match in matches} - self.names:
            return f"unknown skills {unknown}"
        order = [(-match["score"], match["name"]) for match in matches]
        return "" if order == sorted(order) and len(order) <= 3 else "wrong order or length"

    def report(self) -> None:
        """Print counts and latencies by path; fail on any error or torn answer."""
        total = sum(self.statuses.values())
        print(f"{total} requests in {self.took:.1f} s, {self.changes} changes of the vault")
        print(f"load of the machine: {self.loads[0]:.1f} before, {self.loads[-1]:.1f} after")
        for path, seconds in sorted(self.seconds.items()):
            cuts = statistics.quantiles(seconds, n=100) if len(seconds) > 1 else seconds * 99
            p50, p95, p99 = (cuts[i] * 1e3 for i in (49, 94, 98))
            print(f"{path:16} {len(seconds):6}  p50 {p50:8.1f}  p95 {p95:8.1f}  p99 {p99:8.1f} ms")
        print(f"errors and torn answers: {len(self.torn)}")
        for line in self.torn[:10]:
            print(" ", line)
        if self.torn:
            raise SystemExit(1)


if __name__ == "__main__":
    main()
