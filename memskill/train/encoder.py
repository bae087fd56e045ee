"""Fine-tune the encoder: a task and its skill close, near misses and neighbours apart.

The loss is InfoNCE in both directions. Task to skill: the other skills of the batch and one hard
skill each are the negatives. Skill to task: the other tasks and the near misses. The trainers of
sentence-transformers are not used: none takes negatives for the second direction alone, and
padding every text of a batch to the longest one doubles the time on a CPU.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from memskill.train.data import TrainingData
from memskill.train.kinds import Network, Tensor, Tokenizer, need
from memskill.train.networks import build_encoder, load_tokenizer, save_network
from memskill.train.pairs import Pair, make_pairs, mine_neighbours
from memskill.train.reports import TrainReport

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderOptions:
    """Settings of a run; the defaults made the shipped weights."""

    # Folder of a sentence-transformers or BERT model.
    base: Path
    # Where the trained network is written.
    target: Path
    seed: int = 7
    passes: float = 1.7
    batch: int = 64
    learning_rate: float = 6e-5
    warmup: float = 0.06
    temperature: float = 0.05
    # Weight of the skill-to-task direction.
    reverse: float = 0.7
    max_tokens: int = 96
    threads: int = 2
    bfloat16: bool = True


def train_encoder(options: EncoderOptions, data: TrainingData) -> TrainReport:
    """Train on the `train` split of the data, write the network and return the report."""
    torch = need("torch")

    torch.manual_seed(options.seed)
    torch.set_num_threads(options.threads)
    network, tokenizer = build_encoder(options.base), load_tokenizer(options.base)
    pairs = make_pairs(data)
    hard = hard_skills(network, tokenizer, pairs, data, options)
    steps = max(1, int(options.passes * len(pairs) / options.batch))
    optimizer = torch.optim.AdamW(network.parameters(), lr=options.learning_rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, ramp(steps, options.warmup))
    network.train()
    losses: list[float] = []
    started = time.monotonic()
    for step, rows in zip(range(steps), batches(pairs, options.batch, options.seed), strict=False):
        loss = _loss(network, tokenizer, [pairs[i] for i in rows], [hard[i] for i in rows],
                     data, options, step)  # fmt: skip
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        optimizer.zero_grad(set_to_none=True)
        losses.append(float(loss.detach()))
        if step % 10 == 0:
            log.info("step %d/%d loss %.4f %.0fs", step, steps, losses[-1],
                     time.monotonic() - started)  # fmt: skip
    save_network(network, tokenizer, options.target)
    tail = losses[-max(1, steps // 10) :]
    return TrainReport(
        kind="encoder",
        target=options.target,
        base=str(options.base),
        seed=options.seed,
        data_fingerprint=data.fingerprint,
        examples=len(pairs),
        steps=steps,
        seconds=round(time.monotonic() - started, 1),
        loss=sum(tail) / len(tail),
        settings={k: v for k, v in asdict(options).items() if k not in ("base", "target")},
    )


def encode_texts(
    network: Network,
    tokenizer: Tokenizer,
    texts: Sequence[str],
    *,
    max_tokens: int,
    chunk: int = 32,
    bfloat16: bool = True,
) -> Tensor:
    """Return unit vectors `(n, hidden)` as a tensor; gradients flow when they are enabled.

    Texts are run in chunks of like length, which saves the padding that a mixed batch needs.
    """
    torch = need("torch")

    encoded = [tokenizer.encode(text) for text in texts]
    order = sorted(range(len(texts)), key=lambda i: len(encoded[i].ids))
    parts: list[Tensor] = []
    # One autocast for all chunks: within it the weights are cast once.
    with torch.autocast("cpu", dtype=torch.bfloat16, enabled=bfloat16):
        for start in range(0, len(order), chunk):
            rows = [encoded[i].ids[:max_tokens] for i in order[start : start + chunk]]
            ids, mask = pad(rows)
            parts.append(network(ids, mask, torch.zeros_like(ids)).float())
    return restored(parts, order)


def restored(parts: Sequence[Tensor], order: Sequence[int]) -> Tensor:
    """Return the rows of some chunks, which were run in `order`, in their own order again."""
    torch = need("torch")

    back = torch.empty(len(order), dtype=torch.int64)
    back[torch.tensor(order, dtype=torch.int64)] = torch.arange(len(order))
    return torch.cat(parts)[back]


def pad(rows: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Return `(n, t)` int64 ids and their mask, padded with zeros on the right."""
    torch = need("torch")

    # Widths in eights: few shapes, so few kernels to compile.
    width = -(-max(len(row) for row in rows) // 8) * 8
    ids = torch.zeros((len(rows), width), dtype=torch.int64)
    mask = torch.zeros_like(ids)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = torch.tensor(row, dtype=torch.int64)
        mask[place, : len(row)] = 1
    return ids, mask


def batches(pairs: Sequence[Pair], size: int, seed: int) -> Iterator[list[int]]:
    """Yield rows of pairs, pass after pass without end; a skill appears once in a batch."""
    import random

    rng = random.Random(seed)
    waiting: list[int] = []
    while True:
        if len(waiting) < 2 * size:
            fresh = list(range(len(pairs)))
            rng.shuffle(fresh)
            waiting += fresh
        taken: list[int] = []
        seen: set[str] = set()
        left: list[int] = []
        for place, row in enumerate(waiting):
            if len(taken) == size:
                left += waiting[place:]
                break
            if pairs[row].skill in seen:
                left.append(row)
            else:
                seen.add(pairs[row].skill)
                taken.append(row)
        waiting = left
        yield taken


def hard_skills(
    network: Network,
    tokenizer: Tokenizer,
    pairs: Sequence[Pair],
    data: TrainingData,
    options: EncoderOptions,
) -> list[tuple[str, ...]]:
    """Return hard negative skills per pair: those graded wrong, then neighbours by the base.

    Only skills that are right for some other task: one that is never right would be learned as
    such, word by word, and the skills that are held out are of this kind.
    """
    torch = need("torch")

    ids = sorted({pair.skill for pair in pairs})
    known = frozenset(ids)
    network.eval()
    with torch.no_grad():
        texts = [data.skills[id_].positive for id_ in ids]
        skills = encode_texts(network, tokenizer, texts, max_tokens=options.max_tokens).numpy()
        tasks = encode_texts(network, tokenizer, [p.task for p in pairs], max_tokens=64).numpy()
    near = mine_neighbours(pairs, ids, skills, tasks)
    return [
        (*(id_ for id_ in pair.wrong if id_ in known), *found)
        for pair, found in zip(pairs, near, strict=True)
    ]


def _loss(
    network: Network, tokenizer: Tokenizer, pairs: list[Pair], hard: list[tuple[str, ...]],
    data: TrainingData, options: EncoderOptions, step: int,
) -> Tensor:  # fmt: skip
    torch = need("torch")

    # One hard skill for every other pair: each serves the whole batch, and skills are the long
    # texts. Which one changes from step to step; pairs without any lend nothing.
    chosen = [found[step % len(found)] for found in hard[step % 2 :: 2] if found]
    misses = [pair.near_miss for pair in pairs if pair.near_miss]
    texts = [data.skills[id_].positive for id_ in (*[p.skill for p in pairs], *chosen)]
    skills = encode_texts(network, tokenizer, texts, max_tokens=options.max_tokens,
                          bfloat16=options.bfloat16)  # fmt: skip
    tasks = encode_texts(network, tokenizer, [*[p.task for p in pairs], *misses],
                         max_tokens=64, bfloat16=options.bfloat16)  # fmt: skip
    n = len(pairs)
    target = torch.arange(n)
    forward = tasks[:n] @ skills.T / options.temperature
    # A hard skill of one pair may be right for another, or the same text: leave those out.
    right = {(p.task, p.skill) for p in pairs}
    for column, id_ in enumerate((*[p.skill for p in pairs], *chosen)):
        for line, pair in enumerate(pairs):
            if column != line and ((pair.task, id_) in right or pair.skill == id_):
                forward[line, column] = -1e4
    backward = skills[:n] @ tasks.T / options.temperature
    cross = torch.nn.functional.cross_entropy
    return cross(forward, target) + options.reverse * cross(backward, target)


def ramp(steps: int, warmup: float) -> Callable[[int], float]:
    """Return the learning-rate factor by step: up over `warmup`, then down to nothing."""
    rise = max(1, int(steps * warmup))
    return lambda step: min((step + 1) / rise, max(0.0, (steps - step) / max(1, steps - rise)))
