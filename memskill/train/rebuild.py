"""A torch network from an exported folder, so that training can go on from what is shipped.

The int8 weights are turned back into float32. What quantisation rounded off stays rounded off:
the rebuilt network answers as the exported one does, not as the one that was exported.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from memskill.errors import ModelError
from memskill.train.evidence import EVIDENCE
from memskill.train.kinds import Array, Graph, need
from memskill.train.networks import build_reranker, load_tokenizer, save_reranker

_LAYER = re.compile(r"body\.encoder\.layer\.(\d+)\.")
# Endings of what quantisation put in the place of a weight.
_INT8 = ("_q", "_s", "_quantized", "_scale", "_zero_point")
_NOT_OURS = "It is no BERT that memskill exported: name a torch folder with --base."


def rebuild_body(folder: Path, target: Path) -> Path:
    """Write the BERT inside an exported encoder or reranker as a torch folder; return `target`.

    Args:
        folder: Holds model.onnx and tokenizer.json.
        target: Folder to write: what `networks.build_encoder` reads.

    Raises:
        ModelError: The graph is no BERT of memskill's export.
        ExtraMissing: torch, transformers or onnx is not installed.
    """
    torch, transformers = need("torch"), need("transformers")
    graph = _graph(folder)
    weights = float_weights(graph)
    try:
        config = transformers.BertConfig(**_shape(graph, weights))
        network = transformers.BertModel(config, add_pooling_layer=False)
        found = {
            name.removeprefix("body."): torch.tensor(array)
            for name, array in weights.items()
            if name.startswith("body.")
        }
        network.load_state_dict(found, strict=True)
    except (KeyError, StopIteration, RuntimeError) as error:
        raise ModelError(f"{folder / 'model.onnx'}: cannot be rebuilt", hint=_NOT_OURS) from error
    target.mkdir(parents=True, exist_ok=True)
    network.save_pretrained(str(target))
    load_tokenizer(folder).save(str(target / "tokenizer.json"))
    return target


def rebuild_reranker(folder: Path, target: Path) -> Path:
    """Write an exported reranker as what `networks.load_reranker` reads; return `target`.

    Raises:
        ModelError, ExtraMissing: As for `rebuild_body`.
    """
    torch = need("torch")
    rebuild_body(folder, target)
    layers = int(json.loads((target / "config.json").read_text("utf-8"))["num_hidden_layers"])
    network = build_reranker(
        target, evidence=len(EVIDENCE), prior=[0.0] * (len(EVIDENCE) + 1), bias=0.0, layers=layers
    )
    weights = {name: torch.tensor(a) for name, a in float_weights(_graph(folder)).items()}
    state = network.state_dict()
    # The pooler is not in the graph: nothing reads it.
    missing = [name for name in state if name not in weights and ".pooler." not in name]
    if missing:
        raise ModelError(
            f"{folder / 'model.onnx'}: cannot be rebuilt: {missing[0]} is missing",
            hint="An older memskill exported it; train a reranker anew.",
        )
    network.load_state_dict({name: weights.get(name, value) for name, value in state.items()})
    save_reranker(network, load_tokenizer(folder), target)
    return target


def float_weights(graph: Graph) -> dict[str, Array]:
    """Return every weight of an exported graph in float32, by its name in torch.

    Reads the three forms of `quantize`: plain, blocks of 8 bits (MatMulNBits) and dynamic int8
    (MatMulInteger), whose matrices lost their name and are known by the module they stand in.
    """
    np = need("numpy")
    numpy_helper = need("onnx.numpy_helper")
    arrays: dict[str, Array] = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    # A matrix that is constant in a product has a number instead of its name.
    out = {name: a for name, a in arrays.items() if "." in name and not name.endswith(_INT8)}
    for name in arrays:
        if name.endswith("weight_q"):
            table = name.removesuffix("_q")
            out[table] = arrays[name].astype(np.float32) * arrays[f"{table}_s"]
    for node in graph.node:
        if node.op_type == "MatMulNBits":
            packed, scale = (arrays[place] for place in node.input[1:3])
            blocks = (packed.astype(np.float32) - 128) * scale.reshape(*packed.shape[:2], 1)
            out[_module(node.output[0])] = blocks.reshape(len(packed), -1)
        elif node.op_type == "MatMulInteger" and node.input[1] in arrays:
            base = node.input[1].removesuffix("_quantized")
            zero = arrays[node.input[3]].astype(np.float32)
            matrix = (arrays[node.input[1]].astype(np.float32) - zero) * arrays[f"{base}_scale"]
            named = base.removesuffix("_Transposed") if "." in base else _module(node.output[0])
            out[named] = matrix.T
        elif node.op_type == "MatMul" and node.input[1] in arrays:
            out[_module(node.output[0])] = arrays[node.input[1]].T
    return {name: np.ascontiguousarray(array, dtype=np.float32) for name, array in out.items()}


def _graph(folder: Path) -> Graph:
    onnx = need("onnx")
    try:
        return onnx.load(str(folder / "model.onnx")).graph
    except (OSError, ValueError) as error:
        raise ModelError(f"{folder / 'model.onnx'}: {error}", hint=_NOT_OURS) from error


def _module(output: str) -> str:
    """`/body/encoder/layer.0/attention/self/query/MatMul_output_0` -> `body...query.weight`."""
    return output.strip("/").rsplit("/", 1)[0].replace("/", ".") + ".weight"


def _shape(graph: Graph, weights: Mapping[str, Array]) -> dict[str, object]:
    """Return the settings of a BertConfig that the weights' shapes tell."""
    numpy_helper = need("onnx.numpy_helper")
    words = weights["body.embeddings.word_embeddings.weight"]
    layers = {int(found[1]) for name in weights if (found := _LAYER.match(name))}
    constants = {
        node.output[0]: node.attribute[0].t for node in graph.node if node.op_type == "Constant"
    }
    # Attention scores are multiplied by 1 / sqrt(width of a head).
    scale = next(
        float(numpy_helper.to_array(constants[node.input[1]]))
        for node in graph.node
        if node.op_type == "Mul" and node.input[0].endswith("attention/self/MatMul_output_0")
    )
    epsilon = next(
        attribute.f
        for node in graph.node
        if node.op_type == "LayerNormalization"
        for attribute in node.attribute
        if attribute.name == "epsilon"
    )
    return {
        "vocab_size": len(words),
        "hidden_size": words.shape[1],
        "num_hidden_layers": len(layers),
        "num_attention_heads": round(words.shape[1] * scale * scale),
        "intermediate_size": len(weights["body.encoder.layer.0.intermediate.dense.bias"]),
        "max_position_embeddings": len(weights["body.embeddings.position_embeddings.weight"]),
        "type_vocab_size": len(weights["body.embeddings.token_type_embeddings.weight"]),
        "layer_norm_eps": round(float(epsilon), 15),
    }
