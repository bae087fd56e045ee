"""Draw a trained reranker back towards the shortlist that it started from.

A cross-encoder trained over an encoder's own training tasks sees cosines that are better than
they will be on new ones, and so learns to trust its pair too much. The mean of both logits,
`(1 - weight) * shortlist + weight * reranker`, is again a network of the same form: the prior is
mixed, and what the pair adds is scaled. The weight is chosen on validation tasks.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memskill.train.evidence import EVIDENCE
from memskill.train.kinds import need
from memskill.train.networks import load_reranker, load_tokenizer, save_reranker


def damp_reranker(
    folder: Path, target: Path, *, weight: float, prior: Sequence[float], bias: float
) -> None:
    """Write to `target` the reranker of `folder` with `weight` on what it learned.

    Args:
        folder: What `train_reranker` wrote.
        target: Folder to write; may be another one only.
        weight: In [0, 1]; 0 is the shortlist alone, 1 the reranker as trained.
        prior: Weights that the training started from, as in `RerankerOptions.prior`.
        bias: Constant that it started from.

    Raises:
        ValueError: The weight is outside [0, 1], or the prior has another length.
    """
    if not 0 <= weight <= 1:
        raise ValueError(f"weight must lie in [0, 1], not {weight}")
    if len(prior) != len(EVIDENCE) + 1:
        raise ValueError(f"prior must have {len(EVIDENCE) + 1} numbers, not {len(prior)}")
    torch = need("torch")

    network = load_reranker(folder, evidence=len(EVIDENCE))
    with torch.no_grad():
        start = torch.tensor([list(prior)], dtype=torch.float32)
        network.prior.weight.copy_((1 - weight) * start + weight * network.prior.weight)
        network.prior.bias.copy_((1 - weight) * bias + weight * network.prior.bias)
        for last in (network.head[-1], network.curve[-1]):
            last.weight.mul_(weight)
            last.bias.mul_(weight)
    save_reranker(network, load_tokenizer(folder), target)
