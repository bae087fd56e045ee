"""A tiny BERT with random weights, saved to disk, and labelled files of a few lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from train.toyvault import ANIMALS, bert

VERBS = ["count", "feed", "move", "wash"]


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a two-layer BERT and a WordPiece tokenizer of our own few words."""
    pytest.importorskip("torch")
    pytest.importorskip("onnx")
    words = [*ANIMALS, *VERBS, "the", "please", "not", "for"]
    folder = tmp_path_factory.mktemp("bert")
    return bert(folder, words=words, width=64, layers=2, heads=2, places=64)


@pytest.fixture
def labelled(tmp_path: Path) -> tuple[list[Path], list[Path]]:
    """Skill files and task files: ten skills, twenty train pairs, a few of every other shape."""
    skills = [
        {"id": f"farm:{a}", "description": f"Use to count and feed {a}.", "core": True}
        for a in ANIMALS
    ]
    tasks: list[dict[str, object]] = []
    for animal in ANIMALS:
        own = f"farm:{animal}"
        tasks += [
            {"skill_id": own, "kind": "terse", "query": f"count the {animal}", "split": "train"},
            {"skill_id": own, "kind": "natural", "query": f"please feed {animal}",
             "split": "train"},
            {"skill_id": own, "kind": "near_miss", "query": f"wash {animal}", "split": "train"},
            {"skill_id": own, "kind": "terse", "query": f"count {animal}", "split": "final"},
        ]  # fmt: skip
    graded = [{"skill_id": "farm:cows", "grade": 2}, {"skill_id": "farm:pigs", "grade": 0}]
    tasks += [
        {"query": "move the cows", "kind": "terse", "written_for": "farm:cows",
         "candidates": graded, "split": "train"},
        {"task": "wash the horses", "kind": "none", "nearest": ["farm:horses"], "split": "train"},
        {"query": "feed the bees", "kind": "routed", "expected": ["farm:bees"], "family": "x",
         "split": "train"},
        {"id": "farm:ducks", "when_to_use": "Use when ducks move.", "d": "feed ducks",
         "w": "ducks move", "split": "train"},
    ]  # fmt: skip
    skill_file, task_file = tmp_path / "skills.jsonl", tmp_path / "tasks.jsonl"
    skill_file.write_text("\n".join(map(json.dumps, skills)), encoding="utf-8")
    task_file.write_text("\n".join(map(json.dumps, tasks)), encoding="utf-8")
    return [skill_file], [task_file]
