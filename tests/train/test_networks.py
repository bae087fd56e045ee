"""The reranker's network: both sides are read apart, in a pair as in a batch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from memskill.train.lists import RankedList
from memskill.train.networks import (
    build_reranker,
    load_reranker,
    load_tokenizer,
    save_reranker,
    set_slope,
)
from memskill.train.reranker import RerankerOptions, batch_loss

torch = pytest.importorskip("torch")

PRIOR = [1.0, 0.5, 1.0, 0.0, -2.0]
TASK, TEXTS = "count the sheep", {"a": "feed the sheep please", "b": "wash pigs not sheep for cows"}


def _lively(base: Path):
    """A reranker whose every part says something."""
    network = build_reranker(base, evidence=4, prior=PRIOR, bias=-1.0, layers=2)
    torch.manual_seed(1)
    with torch.no_grad():
        for part in (network.word, network.context, network.head):
            part.weight.normal_()
    return network.eval()


def _pair(network, tokenizer, text: str, evidence) -> float:
    found = tokenizer.encode(TASK, text)
    ids, kinds = torch.tensor([found.ids]), torch.tensor([found.type_ids])
    with torch.no_grad():
        return float(network(ids, torch.ones_like(ids), kinds, evidence[None])[0])


def test_a_pair_gives_what_both_sides_give_when_they_are_read_apart(tiny_bert: Path) -> None:
    network, tokenizer = _lively(tiny_bert), load_tokenizer(tiny_bert)
    evidence = torch.tensor([[0.4, 0.5, 0.2, 0.6], [0.1, 0.3, 0.9, 0.0]])
    logits = [_pair(network, tokenizer, TEXTS[k], evidence[i]) for i, k in enumerate("ab")]
    found = RankedList(
        task=TASK, skills=("a", "b"), targets=(0.0, 0.0), evidence=evidence.numpy()
    )  # fmt: skip
    options = RerankerOptions(
        base=tiny_bert, target=tiny_bert, prior=(), bias=0.0, max_tokens=60, bfloat16=False
    )
    loss = float(batch_loss(network, tokenizer, [found], TEXTS, options).detach())
    # Nothing is right: twice the binary loss of both logits is all there is.
    assert loss == pytest.approx(2 * np.mean(np.log1p(np.exp(logits))), rel=1e-4)
    assert abs(logits[0] - logits[1]) > 0.01


def test_padding_changes_no_logit(tiny_bert: Path) -> None:
    network, tokenizer = _lively(tiny_bert), load_tokenizer(tiny_bert)
    evidence = torch.tensor([0.4, 0.5, 0.2, 0.6])
    found = tokenizer.encode(TASK, TEXTS["a"])
    more = torch.zeros((1, 5), dtype=torch.int64)
    rows = [found.ids, [1] * len(found.ids), found.type_ids]
    ids, mask, kinds = (torch.cat([torch.tensor([row]), more], dim=1) for row in rows)
    with torch.no_grad():
        padded = float(network(ids, mask, kinds, evidence[None])[0])
    assert padded == pytest.approx(_pair(network, tokenizer, TEXTS["a"], evidence), abs=1e-4)


def test_a_saved_reranker_answers_as_before(tiny_bert: Path, tmp_path: Path) -> None:
    network, tokenizer = _lively(tiny_bert), load_tokenizer(tiny_bert)
    save_reranker(network, tokenizer, tmp_path)
    again, evidence = load_reranker(tmp_path, evidence=4).eval(), torch.zeros(4)
    before, after = (_pair(n, tokenizer, TEXTS["b"], evidence) for n in (network, again))
    assert before == pytest.approx(after, abs=1e-5)


def test_the_slope_says_what_nearness_adds(tiny_bert: Path) -> None:
    network, tokenizer = _lively(tiny_bert), load_tokenizer(tiny_bert)
    evidence, logits = torch.zeros(4), []
    for slope in (0.0, 1.0, 3.0):
        set_slope(network, slope)
        logits.append(_pair(network, tokenizer, TEXTS["b"], evidence))
    # Without any it is the shortlist's own score.
    assert logits[0] == pytest.approx(-1.0)
    assert logits[2] - logits[0] == pytest.approx(3 * (logits[1] - logits[0]), rel=1e-3)
    assert logits[1] != pytest.approx(logits[0], abs=1e-3)
