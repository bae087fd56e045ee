"""A tiny BERT with random weights, saved to disk, and labelled files of a few lines."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ANIMALS = ["sheep", "goats", "cows", "pigs", "hens", "geese", "ducks", "bees", "horses", "dogs"]
VERBS = ["count", "feed", "move", "wash"]


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a two-layer BERT and a WordPiece tokenizer of our own few words."""
    torch = pytest.importorskip("torch")
    pytest.importorskip("onnx")
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel

    folder = tmp_path_factory.mktemp("bert")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *ANIMALS, *VERBS, "the", "please", "not", "for"]
    words += [chr(c) for c in range(97, 123)] + [f"##{chr(c)}" for c in range(97, 123)]
    tokenizer = Tokenizer(models.WordPiece({w: i for i, w in enumerate(words)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=128,
        max_position_embeddings=64,
    )
    BertModel(config).save_pretrained(str(folder))
    return folder


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
