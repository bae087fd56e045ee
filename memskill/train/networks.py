"""The two networks as torch modules: what is trained is exactly what is exported."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from memskill.train.kinds import Network, Tensor, Tokenizer, need

# Eager attention: under bf16 autocast on a CPU it trains faster than sdpa, and it exports to plain
# ONNX operators. No dropout: drawing its masks took a sixth of the time, and few passes are made.
_BODY = {
    "attn_implementation": "eager",
    "hidden_dropout_prob": 0.0,
    "attention_probs_dropout_prob": 0.0,
}


def build_encoder(base: Path | str) -> Network:
    """Return the encoder: BERT, mean over tokens, unit length; `(n, t)` ids -> `(n, hidden)`."""
    torch = need("torch")
    auto = need("transformers").AutoModel

    class Encoder(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()  # pyright: ignore[reportUnknownMemberType]
            self.body = auto.from_pretrained(str(base), **_BODY)

        def forward(
            self, input_ids: Tensor, attention_mask: Tensor, token_type_ids: Tensor
        ) -> Tensor:
            hidden = self.body(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state.float()
            mask = attention_mask.unsqueeze(-1).float()
            mean = (hidden * mask).sum(1) / mask.sum(1).clamp(min=1e-9)
            return mean / mean.norm(dim=1, keepdim=True).clamp(min=1e-12)

    return Encoder()


def load_tokenizer(base: Path | str) -> Tokenizer:
    """Return the `tokenizers.Tokenizer` of a model folder, without padding or truncation."""
    tokenizers = need("tokenizers")

    tokenizer: Tokenizer = tokenizers.Tokenizer.from_file(str(Path(base) / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


def save_network(network: Network, tokenizer: Tokenizer, target: Path) -> None:
    """Write a network's body and tokenizer as a folder that both builders read again."""
    target.mkdir(parents=True, exist_ok=True)
    network.body.save_pretrained(str(target))
    tokenizer.save(str(target / "tokenizer.json"))


# The mean of the nearest words lies around _MIDDLE and moves little: this brings it to about one.
_MIDDLE, _SPREAD = 0.6, 40.0


def build_reranker(
    base: Path | str, *, evidence: int, prior: Sequence[float], bias: float, layers: int = 6
) -> Network:
    """Return the reranker: `(n, t)` ids of task and skill, `(n, evidence)` -> logit `(n,)`.

    The logit is the shortlist's own score (`prior` times the evidence, plus `bias`) and what the
    pair adds to it. All that is added starts at exactly zero, so that an untrained reranker ranks
    as the shortlist does and training can only learn beyond it.

    The pair meets late: task and skill are read apart, and each word of the task looks for the
    word of the skill that is nearest to it in its context. What is added depends on how near
    these are, never on the skill alone, so that no skill can be learned by heart.

    Source: late interaction and MaxSim, Khattab and Zaharia, ColBERT, SIGIR 2020.

    Args:
        base: Folder of a BERT model.
        evidence: How many numbers the shortlist hands over; the last must be `negative`, the
            second `clause`.
        prior: One weight per evidence number, and one for how far it is sent away.
        bias: Constant of the shortlist's score.
        layers: Lowest layers of the base that are kept.
    """
    torch = need("torch")
    auto = need("transformers").AutoModel

    class Reranker(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()  # pyright: ignore[reportUnknownMemberType]
            self.body = auto.from_pretrained(str(base), **_BODY)
            del self.body.encoder.layer[layers:]
            self.body.config.num_hidden_layers = layers
            self.prior = torch.nn.Linear(evidence + 1, 1)
            with torch.no_grad():
                self.prior.weight.copy_(torch.tensor([list(prior)]))
                self.prior.bias.fill_(bias)
            # How much a word of the task weighs: by itself, and in its context.
            self.word = torch.nn.Embedding(int(self.body.config.vocab_size), 1)
            self.context = torch.nn.Linear(int(self.body.config.hidden_size), 1)
            self.head = torch.nn.Linear(1, 1)
            for zero in (self.word.weight, *self.context.parameters(), *self.head.parameters()):
                torch.nn.init.zeros_(zero)

        def forward(
            self,
            input_ids: Tensor,
            attention_mask: Tensor,
            token_type_ids: Tensor,
            evidence: Tensor,
        ) -> Tensor:
            skill = token_type_ids * attention_mask
            task = attention_mask - skill
            apart, places = _apart(skill, task)
            vectors, weights = read(self, input_ids, task, apart, places)
            near = vectors @ vectors.transpose(1, 2) - (1.0 - skill.unsqueeze(1).float()) * 10.0
            return judge(self, meet(near.amax(2), weights), evidence)

    return Reranker()


def _apart(skill: Tensor, task: Tensor) -> tuple[Tensor, Tensor]:
    """Return what keeps each side to itself, `(n, 1, t, t)`, and its places from 0, `(n, t)`."""
    torch = need("torch")

    same = (skill.unsqueeze(2) == skill.unsqueeze(1)) & ((skill + task).unsqueeze(1) > 0)
    places = torch.cumsum(torch.ones_like(skill), dim=1) - 1
    return (1.0 - same.unsqueeze(1).float()) * -1e4, places - skill * task.sum(1, keepdim=True)


def read(
    network: Network, ids: Tensor, counted: Tensor, mask: Tensor, places: Tensor | None = None
) -> tuple[Tensor, Tensor]:
    """Return a reranker's unit vectors `(n, t, hidden)` of words and their weights `(n, t)`.

    Args:
        network: What `build_reranker` returned.
        ids: Words `(n, t)`.
        counted: 1 for the words that weigh something; the weights of these sum to 1.
        mask: As BERT takes it: `(n, t)`, or what is added to the attention, `(n, 1, t, t)`.
        places: Of the words in their own text; None counts from 0.
    """
    torch = need("torch")

    hidden = network.body(
        input_ids=ids, attention_mask=mask, token_type_ids=torch.zeros_like(ids),
        position_ids=places,
    ).last_hidden_state.float()  # fmt: skip
    heavy = (network.word(ids) + network.context(hidden)).squeeze(2)
    weights = torch.softmax(heavy - (1.0 - counted.float()) * 1e4, dim=1)
    return hidden / hidden.norm(dim=2, keepdim=True).clamp(min=1e-12), weights


def meet(near: Tensor, weights: Tensor) -> Tensor:
    """Return the mean nearness of a task's words `(...)`.

    Args:
        near: Largest cosine of each word of the task to one of the skill, `(..., t)`.
        weights: Of the words, `(..., t)`.
    """
    return (near * weights).sum(-1)


def judge(network: Network, met: Tensor, evidence: Tensor) -> Tensor:
    """Return a reranker's logits `(n,)` of pairs by their mean nearness and their evidence."""
    torch = need("torch")

    # How far a negative clause is nearer to the task than the best positive one; this alone tells
    # "sent away" from "mentions the same things".
    opposed = torch.relu(evidence[:, -1:] - evidence[:, 1:2])
    added = network.head((met[:, None] - _MIDDLE) * _SPREAD)
    return (network.prior(torch.cat([evidence, opposed], dim=1)) + added).squeeze(1)


def set_slope(network: Network, slope: float) -> None:
    """Let a reranker add `slope` times (mean nearness - 0.6) to the shortlist's score."""
    with need("torch").no_grad():
        network.head.weight.fill_(slope / _SPREAD)
        network.head.bias.zero_()


def save_reranker(network: Network, tokenizer: Tokenizer, target: Path) -> None:
    """Write the whole state beside the tokenizer; `load_reranker` reads it again."""
    torch = need("torch")

    save_network(network, tokenizer, target)
    torch.save(network.state_dict(), str(target / "reranker.pt"))


def load_reranker(folder: Path, *, evidence: int) -> Network:
    """Return a trained reranker from what `save_reranker` wrote."""
    import json

    torch = need("torch")

    layers = int(json.loads((folder / "config.json").read_text("utf-8"))["num_hidden_layers"])
    network = build_reranker(
        folder, evidence=evidence, prior=[0.0] * (evidence + 1), bias=0.0, layers=layers
    )
    network.load_state_dict(torch.load(str(folder / "reranker.pt"), weights_only=True))
    return network
