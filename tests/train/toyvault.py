"""A vault of ten farm skills with labelled tasks, and small real models on disk to train from."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from helpers.vaults import make_settings, write_skill

from memskill.config import Settings

ANIMALS = ["sheep", "goats", "cows", "pigs", "hens", "geese", "ducks", "bees", "horses", "dogs"]
ELSEWHERE = ["Paris", "Oslo", "Rome", "Lima", "Cairo", "Delhi", "Quito", "Seoul", "Bonn", "Turin"]
WORDS = "use to count and feed every day please the on this farm book a flight not for".split()


def farm(folder: Path) -> Settings:
    """A vault: a skill an animal; two right tasks, a near miss and a task elsewhere for each."""
    settings = make_settings(folder / "vault")
    rows: list[dict[str, object]] = []
    for animal, city in zip(ANIMALS, ELSEWHERE, strict=True):
        name = f"farm-{animal}"
        write_skill(settings, name, f"Use to count and feed {animal} on this farm every day.")
        rows += [
            {"task": f"count the {animal}", "expected": [name]},
            {"task": f"please feed the {animal} on this farm", "expected": [name]},
            {"task": f"paint the {animal}", "expected": [], "kind": "near_miss",
             "forbidden": [name]},
            {"task": f"book a flight to {city}", "expected": [], "kind": "none", "group": city},
            {"task": f"what is the weather in {city}?", "expected": [], "kind": "none",
             "group": city},
        ]  # fmt: skip
    (settings.vault / "tasks").mkdir()
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (settings.vault / "tasks" / "farm.jsonl").write_text(lines, encoding="utf-8")
    return settings


def bert(
    folder: Path,
    *,
    words: Sequence[str] = (*ANIMALS, *WORDS),
    width: int = 384,
    layers: int = 1,
    heads: int = 6,
    places: int = 128,
) -> Path:
    """A BERT with random weights, and a WordPiece tokenizer of few words."""
    import torch
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel

    known = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", *words]
    known += [chr(c) for c in range(97, 123)] + [f"##{chr(c)}" for c in range(97, 123)]
    tokenizer = Tokenizer(models.WordPiece({w: i for i, w in enumerate(known)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(known), hidden_size=width, num_hidden_layers=layers,
        num_attention_heads=heads, intermediate_size=128, max_position_embeddings=places,
    )  # fmt: skip
    BertModel(config).save_pretrained(str(folder))
    return folder


def xlm_roberta(folder: Path) -> Path:
    """An XLM-RoBERTa of one layer with random weights, its tokenizer a Unigram of few pieces."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, processors
    from transformers import XLMRobertaConfig, XLMRobertaModel

    special = [("<s>", 0.0), ("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0)]
    pieces = [(f"\u2581{word}", -3.0) for word in dict.fromkeys([*ANIMALS, *WORDS])]
    letters = [(chr(c), -8.0) for c in range(97, 123)] + [("\u2581", -8.0)]
    tokenizer = Tokenizer(models.Unigram([*special, *pieces, *letters], unk_id=3))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    torch.manual_seed(0)
    config = XLMRobertaConfig(
        vocab_size=tokenizer.get_vocab_size(), hidden_size=384, num_hidden_layers=1,
        num_attention_heads=6, intermediate_size=128, max_position_embeddings=130,
        type_vocab_size=1, pad_token_id=1, bos_token_id=0, eos_token_id=2,
    )  # fmt: skip
    XLMRobertaModel(config).save_pretrained(str(folder))
    return folder
