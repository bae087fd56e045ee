"""Train the reranker over the hybrid shortlist: what the pair adds to the shortlist's score.

Loss per list: twice the binary cross-entropy of every skill (the no-match decision) plus a
listwise cross-entropy on squared targets where some skill is right (the order). Since both sides
are read apart, every task of a batch also meets every skill of it: InfoNCE over all of them, on
the mean of the nearest words alone. The shortlist's own weights stand still. The trainers of
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

from memskill.train.encoder import pad, ramp, restored
from memskill.train.evidence import EVIDENCE
from memskill.train.kinds import Network, Optimizer, Tensor, Tokenizer, need
from memskill.train.lists import RankedList
from memskill.train.networks import (
    build_reranker,
    judge,
    load_tokenizer,
    meet,
    read,
    save_reranker,
    set_slope,
)
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
    layers: int = 6
    passes: float = 0.38
    # Lists per step.
    batch: int = 16
    learning_rate: float = 6e-5
    head_rate: float = 2e-3
    warmup: float = 0.05
    # Of the meeting of all tasks and skills of a batch: its weight and its temperature.
    contrast: float = 1.0
    temperature: float = 0.04
    # What the mean nearness of the words adds to the logit, chosen on validation tasks: over tasks
    # that the encoder has seen the shortlist looks so good that training gives it about nothing.
    slope: float = 4.0
    # Of a skill's text; a task gets half of it.
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
    _weigh_words(network, tokenizer, lists, texts)
    steps = max(1, int(options.passes * len(lists) / options.batch))
    optimizer = _optimizer(network, options)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, ramp(steps, options.warmup))
    network.train()
    order = _order(len(lists), steps * options.batch, options.seed)
    losses: list[float] = []
    started = time.monotonic()
    for step in range(steps):
        rows = order[step * options.batch : (step + 1) * options.batch]
        loss = batch_loss(network, tokenizer, [lists[i] for i in rows], texts, options)
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
    set_slope(network, options.slope)
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


def batch_loss(
    network: Network,
    tokenizer: Tokenizer,
    lists: Sequence[RankedList],
    texts: Mapping[str, str],
    options: RerankerOptions,
) -> Tensor:
    """Return the mean loss over some lists, a scalar tensor."""
    import numpy as np

    torch = need("torch")

    column = {text: i for i, text in enumerate(
        dict.fromkeys(texts[id_] for found in lists for id_ in found.skills)
    )}  # fmt: skip
    tasks, there, weights = _read(
        network, [tokenizer.encode(found.task).ids[: options.max_tokens // 2] for found in lists],
        options.bfloat16,
    )  # fmt: skip
    # Without [CLS], as a skill stands in a pair.
    skills, known, _ = _read(
        network, [tokenizer.encode(text).ids[1 : options.max_tokens] for text in column],
        options.bfloat16,
    )  # fmt: skip
    near = torch.einsum("nld,mkd->nmlk", tasks, skills)
    near = (near - (1.0 - known[None, :, None, :]) * 10.0).amax(3) * there[:, None, :]
    met = meet(near, weights[:, None, :].expand(-1, len(column), -1))
    rows = [[column[texts[id_]] for id_ in found.skills] for found in lists]
    pairs = torch.cat([met[place, torch.tensor(row)] for place, row in enumerate(rows)])
    evidence = torch.as_tensor(np.concatenate([found.evidence for found in lists]))
    logits = judge(network, pairs, evidence.float())
    total, start = torch.zeros(()), 0
    for place, found in enumerate(lists):
        part = logits[start : start + len(found.skills)]
        start += len(found.skills)
        target = torch.tensor(found.targets)
        loss = 2.0 * torch.nn.functional.binary_cross_entropy_with_logits(part, target)
        right = [at for at, value in zip(rows[place], found.targets, strict=True) if value > 0.5]
        if right:
            if len(part) > 1:
                share = target**2 / (target**2).sum()
                loss = loss - (share * torch.log_softmax(part, dim=0)).sum()
            alike = torch.log_softmax(met[place] / options.temperature, dim=0)
            loss = loss - options.contrast * torch.logsumexp(alike[torch.tensor(right)], 0)
        total = total + found.weight * loss
    return total / len(lists)


def _read(
    network: Network, rows: Sequence[Sequence[int]], bfloat16: bool, chunk: int = 32
) -> tuple[Tensor, Tensor, Tensor]:
    """Return unit vectors `(n, t, hidden)`, which are real `(n, t)`, and their weights `(n, t)`.

    Rows are run in chunks of like length, which saves the padding that a mixed batch needs.
    """
    torch = need("torch")

    order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
    width = len(rows[order[-1]])
    parts: list[tuple[Tensor, ...]] = []
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bfloat16):
        for start in range(0, len(order), chunk):
            ids, mask = pad([rows[i] for i in order[start : start + chunk]])
            vectors, weights = read(network, ids, mask, mask)
            grow = (0, width - ids.shape[1])
            parts.append((
                torch.nn.functional.pad(vectors.float(), (0, 0, *grow)),
                torch.nn.functional.pad(mask.float(), grow),
                torch.nn.functional.pad(weights.float(), grow),
            ))  # fmt: skip
    vectors, there, weights = (restored(part, order) for part in zip(*parts, strict=True))
    return vectors, there, weights


def _weigh_words(
    network: Network,
    tokenizer: Tokenizer,
    lists: Sequence[RankedList],
    texts: Mapping[str, str],
) -> None:
    """Let rare words of a task weigh more from the start: by ln(ln(1 + n / df)) before softmax."""
    torch = need("torch")

    seen = dict.fromkeys([*texts.values(), *(found.task for found in lists)])
    count = torch.ones(network.word.num_embeddings)
    for text in seen:
        count[torch.tensor(sorted(set(tokenizer.encode(text).ids)), dtype=torch.int64)] += 1
    rare = torch.log(1.0 + (len(seen) + 1) / count)
    with torch.no_grad():
        network.word.weight.copy_(torch.log(rare)[:, None])


def _optimizer(network: Network, options: RerankerOptions) -> Optimizer:
    """Body and what is added learn at rates of their own: only the latter starts from nothing.

    The shortlist's weights stand still: they were fitted on tasks that the encoder had not seen.
    """
    torch = need("torch")

    body = list(network.body.parameters())
    head = [
        *network.head.parameters(), *network.context.parameters(),
        *network.word.parameters(),
    ]  # fmt: skip
    return torch.optim.AdamW(
        [
            {"params": body, "lr": options.learning_rate},
            {"params": head, "lr": options.head_rate},
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
