"""Tiny real models, made on the spot: ONNX folders in the form that memskill ships."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

CORPUS = [
    "roll back a failed deploy of the payments service",
    "rotate the database password and restart the workers",
    "write a postmortem for an outage, with a timeline",
    "load a parquet file into duckdb and check the row counts",
    "chart monthly revenue by region as a stacked bar",
]


def wordpiece() -> Tokenizer:
    """A lower-casing WordPiece tokenizer in BERT's form, trained on CORPUS."""
    tokenizer = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    trainer = trainers.WordPieceTrainer(vocab_size=300, special_tokens=special)
    tokenizer.train_from_iterator(CORPUS, trainer)
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(s, tokenizer.token_to_id(s)) for s in ("[CLS]", "[SEP]")],
    )
    return tokenizer


def encoder_folder(
    folder: Path, *, dimension: int = 384, stated: int | None = None, **config: object
) -> Path:
    """An encoder: embed, mix, weigh by the mask, mean, normalise."""
    rng = np.random.default_rng(7)
    nodes = [
        *_embed("input_ids"),
        helper.make_node("ReduceSum", ["masked", "axis1"], ["summed"], keepdims=0),
        helper.make_node("MatMul", ["summed", "mix"], ["mixed"]),
        helper.make_node("Tanh", ["mixed"], ["bent"]),
        helper.make_node("LpNormalization", ["bent"], ["vector"], axis=1, p=2),
    ]
    weights = {
        "table": rng.normal(size=(400, 48)).astype(np.float32),
        "mix": rng.normal(size=(48, dimension)).astype(np.float32),
    }
    _save(folder, nodes, weights, ["input_ids", "attention_mask"], ("vector", ["n", dimension]))
    stated = dimension if stated is None else stated
    known = {"name": "tiny", "max_tokens": 16, "dimension": stated, "pooling": "mean"}
    return _finish(folder, known | config)


def reranker_folder(folder: Path, *, names: tuple[str, ...] = ("cosine", "lexical"), **config):
    """A reranker: the pair's mean through a layer, the segments told apart, plus evidence."""
    rng = np.random.default_rng(11)
    nodes = [
        *_embed("input_ids"),
        helper.make_node("Cast", ["token_type_ids"], ["types"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["types", "axis2"], ["types3"]),
        helper.make_node("Mul", ["masked", "types3"], ["second"]),
        helper.make_node("Concat", ["masked", "second"], ["both"], axis=2),
        helper.make_node("ReduceSum", ["both", "axis1"], ["summed"], keepdims=0),
        helper.make_node("Tanh", ["summed"], ["bent"]),
        helper.make_node("MatMul", ["bent", "head"], ["pair"]),
        helper.make_node("MatMul", ["evidence", "trust"], ["known"]),
        helper.make_node("Add", ["pair", "known"], ["logit"]),
    ]
    weights = {
        "table": rng.normal(size=(400, 48)).astype(np.float32),
        "head": rng.normal(size=(96, 1)).astype(np.float32) * 0.1,
        "trust": np.ones((len(names), 1), dtype=np.float32),
    }
    inputs = ["input_ids", "attention_mask", "token_type_ids", "evidence"]
    _save(folder, nodes, weights, inputs, ("logit", ["n", 1]), columns=len(names))
    known: dict[str, object] = {
        "name": "tiny",
        "max_tokens": 24,
        "evidence": list(names),
        "calibration": {"kind": "platt", "a": 1.5, "b": -0.25},
    }
    return _finish(folder, known | config)


def _embed(ids: str) -> list[onnx.NodeProto]:
    return [
        helper.make_node("Gather", ["table", ids], ["embedded"]),
        helper.make_node("Cast", ["attention_mask"], ["mask"], to=TensorProto.FLOAT),
        helper.make_node("Unsqueeze", ["mask", "axis2"], ["mask3"]),
        helper.make_node("Mul", ["embedded", "mask3"], ["masked"]),
    ]


def _save(folder, nodes, weights, inputs, output, columns=0) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    ints = [n for n in inputs if n != "evidence"]
    ports = [helper.make_tensor_value_info(n, TensorProto.INT64, ["n", "t"]) for n in ints]
    if "evidence" in inputs:
        ports.append(helper.make_tensor_value_info("evidence", TensorProto.FLOAT, ["n", columns]))
    weights = weights | {"axis1": np.array([1]), "axis2": np.array([2])}
    graph = helper.make_graph(
        nodes,
        "tiny",
        ports,
        [helper.make_tensor_value_info(output[0], TensorProto.FLOAT, output[1])],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    opset = [helper.make_opsetid("", 17)]
    model = helper.make_model(graph, opset_imports=opset, ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, str(folder / "model.onnx"))


def _finish(folder: Path, config: dict[str, object]) -> Path:
    wordpiece().save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder
