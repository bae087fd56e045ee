"""The whole road on a tiny model: train, export, run what was exported."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from memskill.train.data import read_data
from memskill.train.encoder import EncoderOptions, hard_skills
from memskill.train.evidence import EVIDENCE, Hybrid, Lexicon
from memskill.train.networks import build_encoder, load_tokenizer
from memskill.train.pairs import make_pairs
from memskill.train.recipe import (
    encode_with,
    encoder_from_files,
    export_trained,
    lexicon_from_files,
    lists_of,
    reranker_from_files,
)
from memskill.train.reranker import RerankerOptions

pytest.importorskip("torch")
pytest.importorskip("onnx")

Files = tuple[list[Path], list[Path]]


def _encoder(base: Path, target: Path, files: Files) -> str:
    options = EncoderOptions(base=base, target=target, batch=8, passes=2, max_tokens=32, threads=1)
    report = encoder_from_files(options, skills=files[0], tasks=files[1])
    # 20 own pairs, one graded right, one routed, two of when_to_use.
    assert report.examples == 24
    assert report.steps == 6
    assert np.isfinite(report.loss)
    return report.data_fingerprint


def test_an_encoder_trains_exports_and_answers_as_in_torch(
    tiny_bert: Path, tmp_path: Path, labelled: Files
) -> None:
    trained, shipped = tmp_path / "trained", tmp_path / "shipped"
    _encoder(tiny_bert, trained, labelled)
    export_trained("encoder", trained, shipped, config={"name": "tiny"}, max_tokens=32)
    import onnxruntime

    session = onnxruntime.InferenceSession(str(shipped / "model.onnx"))
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(shipped / "tokenizer.json"))
    texts = ["count the sheep", "please feed the geese and the ducks"]
    wanted = encode_with(trained)(texts)
    for text, vector in zip(texts, wanted, strict=True):
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        feeds = {"input_ids": ids, "attention_mask": ids * 0 + 1, "token_type_ids": ids * 0}
        (found,) = session.run(["vector"], feeds)
        assert float(found[0] @ vector) > 0.99
    config = json.loads((shipped / "config.json").read_text("utf-8"))
    assert (config["dimension"], config["max_tokens"], config["pooling"]) == (64, 32, "mean")


def test_training_changes_the_weights_and_the_same_seed_the_same_way(
    tiny_bert: Path, tmp_path: Path, labelled: Files
) -> None:
    prints = [_encoder(tiny_bert, tmp_path / name, labelled) for name in ("a", "b")]
    texts = ["count the sheep", "wash the pigs"]
    base, a, b = (encode_with(p)(texts) for p in (tiny_bert, tmp_path / "a", tmp_path / "b"))
    assert prints[0] == prints[1]
    assert not np.allclose(base, a, atol=1e-3)
    assert np.allclose(a, b, atol=1e-4)


def test_a_skill_that_is_never_right_teaches_nothing(tiny_bert: Path, labelled: Files) -> None:
    data = read_data(*labelled, splits=["train"])
    data.tasks = [task for task in data.tasks if "farm:pigs" not in task.right]
    assert any("farm:pigs" in task.grades for task in data.tasks)
    lexicon = Lexicon.count(task.text for task in data.tasks)
    lists = lists_of(data, encode_with(tiny_bert), lexicon, Hybrid(lexical=1.0))
    seen = {id_ for found in lists for id_ in found.skills}
    assert seen == {id_ for task in data.tasks for id_ in task.right}
    network, tokenizer = build_encoder(tiny_bert), load_tokenizer(tiny_bert)
    options = EncoderOptions(base=tiny_bert, target=tiny_bert, max_tokens=32)
    hard = hard_skills(network, tokenizer, make_pairs(data), data, options)
    assert {id_ for found in hard for id_ in found} <= seen


@pytest.mark.parametrize("passes", [0.0, 1.0])
def test_a_reranker_starts_as_the_shortlist_and_learns_beyond_it(
    tiny_bert: Path, tmp_path: Path, labelled: Files, passes: float
) -> None:
    skills, tasks = labelled
    lexicon = tmp_path / "terms.csv"
    lexicon_from_files(lexicon, skills=skills, tasks=tasks)
    assert Lexicon.read(lexicon).documents > 0
    hybrid = Hybrid(clause=0.5, lexical=1.0, opposed=1.0)
    options = RerankerOptions(
        base=tiny_bert, target=tmp_path / "trained", prior=hybrid.prior(10.0), bias=-5.0,
        layers=1, passes=passes, batch=4, max_tokens=32, threads=1, slope=4.0 * passes,
        learning_rate=6e-5 if passes else 0.0, head_rate=2e-3 if passes else 0.0,
    )  # fmt: skip
    report = reranker_from_files(
        options, skills=skills, tasks=tasks, lexicon=lexicon, hybrid=hybrid
    )
    assert report.steps == max(1, int(passes * report.examples / 4))
    shipped = tmp_path / "shipped"
    export_trained("reranker", options.target, shipped, config={}, max_tokens=32)
    import onnxruntime

    session = onnxruntime.InferenceSession(str(shipped / "model.onnx"))
    rng = np.random.default_rng(1)
    evidence = rng.random((6, len(EVIDENCE))).astype(np.float32)
    ids = np.array([[2, 5, 6, 3, 7, 8, 3]], dtype=np.int64)
    kinds = np.array([[0, 0, 0, 0, 1, 1, 1]], dtype=np.int64)
    logits = [
        float(session.run(["logit"], {"input_ids": ids, "attention_mask": ids * 0 + 1,
                                      "token_type_ids": kinds, "evidence": row[None]})[0][0])
        for row in evidence
    ]  # fmt: skip
    start = 10.0 * hybrid.score(evidence) - 5.0
    assert np.allclose(logits, start, atol=1e-3) is (passes == 0.0)
    config = json.loads((shipped / "config.json").read_text("utf-8"))
    assert config["evidence"] == list(EVIDENCE)
