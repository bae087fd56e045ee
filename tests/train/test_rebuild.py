"""A torch network made of an exported graph answers as the graph does."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memskill.errors import ModelError
from memskill.models.reranker import OnnxReranker
from memskill.train.networks import build_reranker, load_reranker, load_tokenizer, save_reranker
from memskill.train.rebuild import rebuild_reranker
from memskill.train.recipe import export_trained

torch = pytest.importorskip("torch")

TASK, TEXTS = "count the sheep", ["feed the sheep please", "wash pigs not sheep"]
EVIDENCE = np.array([[0.4, 0.5, 0.2, 0.6], [0.1, 0.3, 0.9, 0.0]], dtype=np.float32)


@pytest.fixture(scope="module")
def trained(tiny_bert: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    network = build_reranker(
        tiny_bert, evidence=4, prior=[1.0, 0.5, 1.0, 0.0, -2.0], bias=-1.0, layers=2
    )
    torch.manual_seed(2)
    with torch.no_grad():
        # No two tensors alike, as after training: the exporter would keep one for both.
        for part in network.parameters():
            part.add_(torch.randn_like(part) * 0.1)
    folder = tmp_path_factory.mktemp("trained")
    save_reranker(network, load_tokenizer(tiny_bert), folder)
    return folder


@pytest.mark.parametrize("block", [0, 16])
def test_a_rebuilt_reranker_answers_as_the_graph(trained: Path, tmp_path: Path, block: int) -> None:
    export_trained(
        "reranker", trained, tmp_path / "onnx", config={}, max_tokens=60, block=block
    )  # fmt: skip
    expected = OnnxReranker(tmp_path / "onnx").rerank(TASK, TEXTS, EVIDENCE)
    rebuilt = load_reranker(rebuild_reranker(tmp_path / "onnx", tmp_path / "torch"), evidence=4)
    tokenizer = load_tokenizer(trained)
    for text, evidence, logit in zip(TEXTS, EVIDENCE, expected, strict=True):
        found = tokenizer.encode(TASK, text)
        ids, kinds = torch.tensor([found.ids]), torch.tensor([found.type_ids])
        with torch.no_grad():
            pair = rebuilt.eval()(ids, torch.ones_like(ids), kinds, torch.tensor(evidence)[None])
        # Dynamic int8 rounds what is between the layers, too.
        assert float(pair[0]) == pytest.approx(logit, abs=0.2 if block == 0 else 1e-3)


def test_what_is_no_reranker_of_this_form_is_refused(trained: Path, tmp_path: Path) -> None:
    export_trained("encoder", trained, tmp_path / "encoder", config={}, max_tokens=60)
    with pytest.raises(ModelError, match="is missing"):
        rebuild_reranker(tmp_path / "encoder", tmp_path / "torch")
