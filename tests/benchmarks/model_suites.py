# ruff: noqa: T201 (a script: its output is what it is for)
"""Makes the suites of the shipped models' cards from the public data that they were chosen on.

    python tests/benchmarks/model_suites.py DATA OUT --split final
    mem model eval --set OUT/third-party --set OUT/core ... --base onnx:MINILM --card FOLDER

DATA holds skills.jsonl, queries.jsonl, labelled_dev.jsonl, when_to_use.jsonl, authored_dev.jsonl,
nomatch_dev.jsonl, judged.jsonl, routing_skills.jsonl and routing_tasks.jsonl, in the shapes of
`mem help tasks`; the skills are public ones and no part of this repository. Skills of equal name
or equal description count as one answer.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
# Repositories whose whole catalogue the third-party requests are tried on.
MAIN = {"UiPath/skills", "kouko/monkey-skills", "coreyhaines31/marketingskills", "dotnet/skills"}
CATALOGUE = 396
OWN_TASKS = 400
Row = dict[str, Any]


def lines(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


class Data:
    """The shared files, with one split's tasks."""

    def __init__(self, folder: Path, split: str) -> None:
        self.folder, self.split = folder, split
        self.skills = {row["id"]: row for row in lines(folder / "skills.jsonl")}
        self.name = {id_: row["name"].lower() for id_, row in self.skills.items()}

    def tasks(self, name: str, *more: Path) -> list[Row]:
        rows = [*lines(self.folder / name), *(row for path in more for row in lines(path))]
        return [row for row in rows if row["split"] == self.split]

    def equal(self, catalogue: Iterable[Row], ids: Iterable[str]) -> list[str]:
        """The ids of a catalogue that are the same answer as `ids`, by name or by text."""
        known = [id_ for id_ in ids if id_ in self.skills]
        names = {self.name[id_] for id_ in known}
        texts = {_text(self.skills[id_]) for id_ in known}
        return sorted(
            row["id"] for row in catalogue
            if row["id"] in known or self.name.get(row["id"]) in names or _text(row) in texts
        )  # fmt: skip


def _text(row: Row) -> str:
    return re.sub(r"[^a-z0-9]", "", row["description"].lower())[:300]


def _task(text: str, expected: list[str], kind: str, group: str = "", **more: Any) -> Row:
    return {"task": text, "expected": expected, "kind": kind, "group": group, **more}


def third_party(data: Data) -> dict[str, tuple[list[Row], list[Row]]]:
    """Requests that others wrote, on 396 skills; the Latin ones; those that name no product."""
    rows = data.tasks("labelled_dev.jsonl")
    named = {row["skill_id"] for row in lines(data.folder / "labelled_dev.jsonl")} - {None}
    catalogue = [r for id_, r in data.skills.items() if r["repo"] in MAIN or id_ in named]
    rest = [r for r in data.skills.values() if r["core"] and r not in catalogue]
    random.Random(2).shuffle(rest)
    catalogue += rest[: max(0, CATALOGUE - len(catalogue))]
    asked: list[tuple[Row, Row]] = []
    for row in rows:
        if row["should_trigger"]:
            ids = {row["skill_id"], *(row["also_ok"] or []), *(row["all_expected"] or [])}
            right = data.equal(catalogue, ids)
            if right:
                asked.append((row, _task(row["query"], right, "match", row["skill_id"])))
    uipath = [row for row in catalogue if row["repo"] == "UiPath/skills"]
    inside = {row["id"] for row in uipath}
    near = [
        {**task, "expected": [id_ for id_ in task["expected"] if id_ in inside]}
        for row, task in asked
        if row["source"].startswith("uipath") and inside & set(task["expected"])
    ]
    nothing = [
        _task(row["query"], [], "none", f"none {place}")
        for place, row in enumerate(rows)
        if not row["should_trigger"] and row["skill_id"] is None
    ]
    return {
        "third-party": (catalogue, [task for _, task in asked]),
        "third-party-latin": (catalogue, [t for row, t in asked if row["lang"] == "latin"]),
        "uipath": (uipath, near + nothing),
    }


def own(data: Data) -> tuple[list[Row], list[Row]]:
    """Tasks that we wrote for skills of repositories that training never saw."""
    rows = [row for row in data.tasks("queries.jsonl") if row["kind"] != "near_miss"]
    repos = {data.skills[row["skill_id"]]["repo"] for row in rows}
    catalogue = [r for r in data.skills.values() if r["repo"] in repos or r["core"]]
    rows = random.Random(5).sample(rows, min(OWN_TASKS, len(rows)))
    return catalogue, [
        _task(row["query"], data.equal(catalogue, [row["skill_id"]]),
              "indirect" if row["kind"] == "indirect" else "match", data.name[row["skill_id"]])
        for row in rows
    ]  # fmt: skip


def core(data: Data) -> tuple[list[Row], list[Row]]:
    """The hand-picked catalogue: its own tasks, and tasks that no skill of it is right for."""
    when = {row["id"]: row for row in lines(data.folder / "when_to_use.jsonl")}
    catalogue = [
        {**row, "when_to_use": when[id_]["when_to_use"]} if id_ in when else row
        for id_, row in data.skills.items()
        if row["core"]
    ]
    ids = {row["id"] for row in catalogue}
    tasks: list[Row] = []
    for row in data.tasks("authored_dev.jsonl"):
        right = [id_ for id_ in row["expected"] if id_ in ids]
        if right or not row["expected"]:
            kind = "match" if right else row["kind"]
            tasks.append(_task(row["query"], right, kind, row["id"]))
    for row in data.tasks("when_to_use.jsonl"):
        if row["id"] in ids:
            right = data.equal(catalogue, [row["id"]])
            fields = (("d", "description"), ("w", "when_to_use"))
            tasks += [
                _task(row[key], [row["id"], *[r for r in right if r != row["id"]]], "match",
                      row["id"], matched_on=field)
                for key, field in fields
            ]  # fmt: skip
    tasks += [
        _task(row["query"], data.equal(catalogue, [row["skill_id"]]),
              "indirect" if row["kind"] == "indirect" else "match", row["skill_id"])
        for row in data.tasks("queries.jsonl")
        if row["kind"] != "near_miss" and row["skill_id"] in ids
    ]  # fmt: skip
    ours = ROOT / "data" / "tasks" / "nomatch_core.jsonl"
    nothing = data.tasks("nomatch_dev.jsonl", ours)
    tasks += [
        _task(row.get("query") or row["task"], [], row["kind"], f"none {place}")
        for place, row in enumerate(nothing)
    ]
    return catalogue, tasks


def judged(data: Data) -> tuple[list[Row], list[Row]]:
    """Lists graded by reading: what is not graded 2 is forbidden, what is not graded unknown."""
    rows = data.tasks("judged.jsonl")
    need = sorted({one["skill_id"] for row in rows for one in row["candidates"]})
    tasks: list[Row] = []
    for row in rows:
        right = [one["skill_id"] for one in row["candidates"] if one["grade"] == 2]
        wrong = [one["skill_id"] for one in row["candidates"] if one["grade"] != 2]
        if right and wrong:
            tasks.append(_task(row["query"], right, "match", row["written_for"], forbidden=wrong))
    return [data.skills[id_] for id_ in need], tasks


def routing(data: Data) -> tuple[list[Row], list[Row]]:
    """Families of skills that send work to each other."""
    skills = [{**row, "id": row["name"]} for row in lines(data.folder / "routing_skills.jsonl")]
    return skills, [
        _task(row["query"], row["expected"], row["kind"], row["family"])
        for row in data.tasks("routing_tasks.jsonl")
    ]


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("data", type=Path)
    arguments.add_argument("out", type=Path)
    arguments.add_argument("--split", choices=("train", "valid", "final"), required=True)
    options = arguments.parse_args()
    data = Data(options.data, options.split)
    suites = third_party(data) | {
        "own": own(data), "core": core(data), "judged": judged(data), "routing": routing(data)
    }  # fmt: skip
    for name, (skills, tasks) in suites.items():
        folder = options.out / name
        folder.mkdir(parents=True, exist_ok=True)
        kept = [{k: s.get(k) or "" for k in ("id", "description", "when_to_use")} for s in skills]
        stated = [{**task, "split": options.split} for task in tasks]
        for file, rows in (("skills.jsonl", kept), ("tasks.jsonl", stated)):
            text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
            (folder / file).write_text(text, encoding="utf-8")
        print(f"{name}: {len(skills)} skills, {len(tasks)} tasks")


if __name__ == "__main__":
    main()
