"""Train the reranker over the hybrid shortlist: what the pair adds to the shortlist's score.

Loss per list: twice the binary cross-entropy of every skill (the no-match decision) plus a
listwise cross-entropy on squared targets where some skill is right (the order). The trainers of
sentence-transformers are not used: their cross-encoders take texts alone, and the evidence of the
shortlist must enter the network.
"""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from memskill.train.encoder import pad, ramp
from memskill.train.evidence import EVIDENCE
from memskill.train.kinds import Array, Network, Optimizer, Tensor, Tokenizer, need
from memskill.train.lists import RankedList
from memskill.train.networks import build_reranker, load_tokenizer, save_reranker
from memskill.train.reports import TrainReport

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankerOptions:
    """Settings of a run; the defaults made the shipped weights."""

    # Folder of a BERT model; the fine-tuned encoder.
    base: Path
    target: Path
    # The hybrid shortlist as a logit: a weight per evidence number, and a constant.
    prior: tuple[float, ...]
    bias: float
    seed: int = 7
    layers: int = 4
    passes: float = 0.85
    # Lists per step.
    batch: int = 10
    learning_rate: float = 6e-5
    head_rate: float = 2e-3
    warmup: float = 0.05
    # Of a pair, task and skill together, special tokens included.
    max_tokens: int = 112
    threads: int = 2
    bfloat16: bool = True


def train_reranker(
    options: RerankerOptions,
    lists: Sequence[RankedList],
    texts: Mapping[str, str],
    *,
    data_fingerprint: str,
) -> TrainReport:
    """Train on some lists, write the network and return the report.

    Args:
        options: See there.
        lists: What `lists.make_lists` returned.
        texts: Positive text by skill.
        data_fingerprint: Of the data that the lists were made from.
    """
    torch = need("torch")

    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    network = build_reranker(
        options.base, evidence=len(EVIDENCE), prior=options.prior, bias=options.bias,
        layers=options.layers,
    )  # fmt: skip
    tokenizer = load_tokenizer(options.base)
    tokenizer.enable_truncation(options.max_tokens)
    steps = max(1, int(options.passes * len(lists) / options.batch))
    optimizer = _optimizer(network, options)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, ramp(steps, options.warmup))
    network.train()
    order = _order(len(lists), steps * options.batch, options.seed)
    losses: list[float] = []
    started = time.monotonic()
    for step in range(steps):
        rows = order[step * options.batch : (step + 1) * options.batch]
        loss = list_loss(network, tokenizer, [lists[i] for i in rows], texts, options.bfloat16)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(float(loss.detach()))
        if step % 25 == 0:
            recent = losses[-50:]
            log.info("step %d/%d loss %.4f %.0fs", step, steps, sum(recent) / len(recent),
                     time.monotonic() - started)  # fmt: skip
    save_reranker(network, tokenizer, options.target)
    tail = losses[-max(1, steps // 10) :]
    return TrainReport(
        kind="reranker",
        target=options.target,
        base=str(options.base),
        seed=options.seed,
        data_fingerprint=data_fingerprint,
        examples=len(lists),
        steps=steps,
        seconds=round(time.monotonic() - started, 1),
        loss=sum(tail) / len(tail),
        settings={k: v for k, v in asdict(options).items() if k not in ("base", "target")},
    )


def pair_logits(
    network: Network,
    tokenizer: Tokenizer,
    pairs: Sequence[tuple[str, str]],
    evidence: Array,
    *,
    chunk: int = 24,
    bfloat16: bool = True,
) -> Tensor:
    """Return the logit tensor `(n,)` of (task, positive text) pairs, in chunks of like length."""
    torch = need("torch")

    encoded = [tokenizer.encode(task, text) for task, text in pairs]
    order = sorted(range(len(pairs)), key=lambda i: len(encoded[i].ids))
    numbers = torch.as_tensor(evidence, dtype=torch.float32)
    parts: list[Tensor] = []
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bfloat16):
        for start in range(0, len(order), chunk):
            rows = order[start : start + chunk]
            ids, mask = pad([encoded[i].ids for i in rows])
            kinds = torch.zeros_like(ids)
            for place, i in enumerate(rows):
                kinds[place, : len(encoded[i].type_ids)] = torch.tensor(encoded[i].type_ids)
            parts.append(network(ids, mask, kinds, numbers[rows]).float())
    back = torch.empty(len(order), dtype=torch.int64)
    back[torch.tensor(order, dtype=torch.int64)] = torch.arange(len(order))
    return torch.cat(parts)[back]


def list_loss(
    network: Network,
    tokenizer: Tokenizer,
    lists: Sequence[RankedList],
    texts: Mapping[str, str],
    bfloat16: bool,
) -> Tensor:
    """Return the mean loss over some lists, a scalar tensor."""
    import numpy as np

    torch = need("torch")

    pairs = [(found.task, texts[id_]) for found in lists for id_ in found.skills]
    evidence = np.concatenate([found.evidence for found in lists])
    logits = pair_logits(network, tokenizer, pairs, evidence, bfloat16=bfloat16)
    total, start = torch.zeros(()), 0
    for found in lists:
        part = logits[start : start + len(found.skills)]
        start += len(found.skills)
        target = torch.tensor(found.targets)
        loss = 2.0 * torch.nn.functional.binary_cross_entropy_with_logits(part, target)
        if len(part) > 1 and max(found.targets) >= 0.5:
            share = target**2 / (target**2).sum()
            loss = loss - (share * torch.log_softmax(part, dim=0)).sum()
        total = total + found.weight * loss
    return total / len(lists)


def _optimizer(network: Network, options: RerankerOptions) -> Optimizer:
    """Body, head and prior learn at rates of their own: only the head starts from nothing."""
    torch = need("torch")

    body = list(network.body.parameters())
    head = [*network.head.parameters(), *network.curve.parameters()]
    return torch.optim.AdamW(
        [
            {"params": body, "lr": options.learning_rate},
            {"params": head, "lr": options.head_rate},
            {"params": list(network.prior.parameters()), "lr": options.head_rate},
        ],
        weight_decay=0.01,
    )


def _order(count: int, length: int, seed: int) -> list[int]:
    """Return `length` rows of `count` lists, shuffled pass after pass."""
    rng = random.Random(seed)
    out: list[int] = []
    while len(out) < length:
        rows = list(range(count))
        rng.shuffle(rows)
        out += rows
    return out[:length]
