"""Write a trained network as the folder that the ONNX backend loads.

A folder holds model.onnx, tokenizer.json (with its truncation, without padding), config.json,
model_card.md and LICENSE. Pooling and normalisation are inside the graph.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from memskill.train.kinds import Network, Tensor, Tokenizer, need
from memskill.train.quantize import BLOCK, quantize_graph

# transformers and ONNX Runtime agree on this one; newer ones bring nothing that is used here.
OPSET = 17
TOKEN_INPUTS = ("input_ids", "attention_mask", "token_type_ids")


def export_encoder(
    network: Network,
    tokenizer: Tokenizer,
    target: Path,
    *,
    config: Mapping[str, object],
    max_tokens: int = 256,
    block: int = BLOCK,
) -> None:
    """Write an encoder as int8 ONNX: int64 `(n, t)` inputs -> `vector` float32 `(n, hidden)`.

    Args:
        network: What `networks.build_encoder` returned, trained or not.
        tokenizer: A `tokenizers.Tokenizer`; its padding is dropped, its truncation set.
        target: Folder to write; made where it is missing.
        config: Further keys of config.json (name, base, license, ...).
        max_tokens: Longest input in tokens, both special ones included.
        block: See `quantize_graph`.
    """
    torch = need("torch")

    ids = torch.ones((2, 7), dtype=torch.int64)
    axes = {name: {0: "n", 1: "t"} for name in TOKEN_INPUTS} | {"vector": {0: "n"}}
    _export(network, (ids, ids, ids * 0), TOKEN_INPUTS, "vector", axes, target, block)
    with torch.no_grad():
        dimension = int(network.eval()(ids, ids, ids * 0).shape[1])
    fixed = {"max_tokens": max_tokens, "dimension": dimension, "pooling": "mean", "unit": True}
    _write_texts(tokenizer, target, max_tokens, {**config, **fixed})


def export_reranker(
    network: Network,
    tokenizer: Tokenizer,
    target: Path,
    *,
    config: Mapping[str, object],
    evidence: Sequence[str],
    max_tokens: int,
    block: int = BLOCK,
) -> None:
    """Write a reranker as int8 ONNX: `(n, t)` ids and `(n, k)` evidence -> `logit` `(n,)`.

    Args:
        network: What `networks.build_reranker` returned, trained or not.
        tokenizer: A `tokenizers.Tokenizer`; its padding is dropped, its truncation set.
        target: Folder to write; made where it is missing.
        config: Further keys of config.json (name, base, license, calibration, ...).
        evidence: Names of the k evidence numbers, in order.
        max_tokens: Longest pair in tokens, special ones included; the longer side is cut first.
        block: See `quantize_graph`.
    """
    torch = need("torch")

    ids = torch.ones((2, 9), dtype=torch.int64)
    kinds = torch.zeros_like(ids)
    kinds[:, 4:] = 1
    numbers = torch.rand((2, len(evidence)))
    inputs = (*TOKEN_INPUTS, "evidence")
    axes: dict[str, Mapping[int, str]] = {name: {0: "n", 1: "t"} for name in TOKEN_INPUTS}
    axes |= {"evidence": {0: "n"}, "logit": {0: "n"}}
    _export(network, (ids, torch.ones_like(ids), kinds, numbers), inputs, "logit", axes, target,
            block)  # fmt: skip
    _write_texts(
        tokenizer, target, max_tokens,
        {**config, "max_tokens": max_tokens, "evidence": list(evidence)},
    )  # fmt: skip


def _export(
    network: Network,
    example: tuple[Tensor, ...],
    inputs: Sequence[str],
    output: str,
    axes: Mapping[str, Mapping[int, str]],
    target: Path,
    block: int,
) -> None:
    import warnings

    torch = need("torch")

    target.mkdir(parents=True, exist_ok=True)
    network.eval()
    with TemporaryDirectory() as folder, warnings.catch_warnings():
        # The TorchScript exporter is deprecated, not gone; the new one needs onnxscript and
        # yields a graph that is no better for a plain BERT.
        warnings.simplefilter("ignore")
        float_graph = Path(folder) / "float.onnx"
        torch.onnx.export(
            network,
            example,
            str(float_graph),
            input_names=list(inputs),
            output_names=[output],
            dynamic_axes=axes,
            opset_version=OPSET,
            dynamo=False,
        )
        quantize_graph(float_graph, target / "model.onnx", block=block)


def _write_texts(
    tokenizer: Tokenizer, target: Path, max_tokens: int, config: Mapping[str, object]
) -> None:
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_tokens)
    tokenizer.save(str(target / "tokenizer.json"), pretty=False)
    text = json.dumps(config, indent=1, sort_keys=True, ensure_ascii=False)
    (target / "config.json").write_text(text + "\n", encoding="utf-8")
