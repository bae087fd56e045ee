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


def build_reranker(
    base: Path | str, *, evidence: int, prior: Sequence[float], bias: float, layers: int = 6
) -> Network:
    """Return the reranker: `(n, t)` ids of task and skill, `(n, evidence)` -> logit `(n,)`.

    The logit is the shortlist's own score (`prior` times the evidence, plus `bias`) and what the
    pair adds to it. All that is added starts at exactly zero, so that an untrained reranker ranks
    as the shortlist does and training can only learn beyond it.

    Args:
        base: Folder of a BERT model; the fine-tuned encoder is a good one.
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
            width = int(self.body.config.hidden_size)
            self.prior = torch.nn.Linear(evidence + 1, 1)
            with torch.no_grad():
                self.prior.weight.copy_(torch.tensor([list(prior)]))
                self.prior.bias.fill_(bias)
            self.curve = torch.nn.Sequential(
                torch.nn.Linear(evidence + 1, 16), torch.nn.GELU(), torch.nn.Linear(16, 1)
            )
            self.head = torch.nn.Sequential(
                torch.nn.Linear(3 * width + evidence + 1, 96), torch.nn.GELU(),
                torch.nn.Dropout(0.1), torch.nn.Linear(96, 1),
            )  # fmt: skip
            for last in (self.curve[-1], self.head[-1]):
                torch.nn.init.zeros_(last.weight)
                torch.nn.init.zeros_(last.bias)

        def forward(
            self,
            input_ids: Tensor,
            attention_mask: Tensor,
            token_type_ids: Tensor,
            evidence: Tensor,
        ) -> Tensor:
            # How far a negative clause is nearer to the task than the best positive one; this
            # alone tells "sent away" from "mentions the same things".
            opposed = torch.relu(evidence[:, -1:] - evidence[:, 1:2])
            seen = torch.cat([evidence, opposed], dim=1)
            hidden = self.body(
                input_ids=input_ids, attention_mask=attention_mask, token_type_ids=token_type_ids
            ).last_hidden_state.float()
            there = attention_mask.unsqueeze(-1).float()
            skill = token_type_ids.unsqueeze(-1).float() * there
            task = there - skill
            left = (hidden * task).sum(1) / task.sum(1).clamp(min=1.0)
            right = (hidden * skill).sum(1) / skill.sum(1).clamp(min=1.0)
            pair = torch.cat([left * right, (left - right).abs(), hidden[:, 0], seen], dim=1)
            added = self.head(pair) + self.curve(seen)
            return (self.prior(seen) + added).squeeze(1)

    return Reranker()


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
