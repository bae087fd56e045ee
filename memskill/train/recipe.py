"""The road from files to shipped weights, one call a step.

    encoder_from_files -> export_trained("encoder") -> lexicon_from_files -> fit_hybrid
        -> reranker_from_files -> export_trained("reranker") -> calibrate

Each step reads files and writes a folder, so that a run can be stopped between any two. With the
same files, seed and machine class the same weights come out, up to the order of float sums.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from memskill.train.data import TrainingData, read_data
from memskill.train.encoder import EncoderOptions, encode_texts, train_encoder
from memskill.train.evidence import EVIDENCE, Catalogue, Encode, Hybrid, Lexicon
from memskill.train.export import export_encoder, export_reranker
from memskill.train.kinds import Array, need
from memskill.train.lists import ListOptions, RankedList, make_lists
from memskill.train.networks import build_encoder, load_reranker, load_tokenizer
from memskill.train.quantize import BLOCK
from memskill.train.reports import TrainReport
from memskill.train.reranker import RerankerOptions, train_reranker


def encoder_from_files(
    options: EncoderOptions, *, skills: Sequence[Path], tasks: Sequence[Path]
) -> TrainReport:
    """Train an encoder on the `train` rows of some files; write `options.target`."""
    return train_encoder(options, read_data(skills, tasks, splits=["train"]))


def lexicon_from_files(target: Path, *, skills: Sequence[Path], tasks: Sequence[Path]) -> Lexicon:
    """Count the background over the `train` tasks and the skills they are for; write it as CSV.

    Only skills of a repository (the id before `:`) that has a training task are counted, so that
    nothing of a held-out one leaks into the idf.
    """
    data = read_data(skills, tasks, splits=["train"])
    seen = {id_.split(":")[0] for task in data.tasks for id_ in task.right}
    texts = [s.positive for s in data.skills.values() if s.id.split(":")[0] in seen]
    lexicon = Lexicon.count([*dict.fromkeys(texts), *dict.fromkeys(t.text for t in data.tasks)])
    lexicon.write(target)
    return lexicon


def reranker_from_files(
    options: RerankerOptions,
    *,
    skills: Sequence[Path],
    tasks: Sequence[Path],
    lexicon: Path,
    hybrid: Hybrid,
    lists: ListOptions | None = None,
) -> TrainReport:
    """Train a reranker on the `train` rows of some files; write `options.target`.

    Args:
        options: `base` is the folder of the trained encoder, which also gives the evidence.
        skills: Files of skills.
        tasks: Files of tasks: graded, own, no-match, routed.
        lexicon: What `lexicon_from_files` wrote.
        hybrid: The shortlist's weights, as in `options.prior`.
        lists: How lists are made; the defaults made the shipped weights.
    """
    data = read_data(skills, tasks, splits=["train"])
    made = lists_of(data, encode_with(options.base), Lexicon.read(lexicon), hybrid, lists)
    texts = {id_: skill.positive for id_, skill in data.skills.items()}
    return train_reranker(options, made, texts, data_fingerprint=data.fingerprint)


def lists_of(
    data: TrainingData,
    encode: Encode,
    lexicon: Lexicon,
    hybrid: Hybrid,
    options: ListOptions | None = None,
) -> list[RankedList]:
    """Return the reranker's training lists over all skills of some data."""
    catalogue = Catalogue(list(data.skills.values()), encode, lexicon)
    texts = list(dict.fromkeys(task.text for task in data.tasks))
    vectors: Mapping[str, Array] = dict(zip(texts, encode(texts), strict=True))
    return make_lists(data, catalogue, vectors, hybrid, options or ListOptions())


def encode_with(folder: Path, *, max_tokens: int = 256) -> Encode:
    """Return texts -> unit vectors by a trained torch encoder; equal texts are run once."""
    torch, np = need("torch"), need("numpy")
    network, tokenizer = build_encoder(folder).eval(), load_tokenizer(folder)
    known: dict[str, Array] = {}

    def encode(texts: Sequence[str]) -> Array:
        new = list(dict.fromkeys(text for text in texts if text not in known))
        for start in range(0, len(new), 4096):
            block = new[start : start + 4096]
            with torch.no_grad():
                found = encode_texts(network, tokenizer, block, max_tokens=max_tokens, chunk=64)
            known.update(zip(block, found.numpy(), strict=True))
        return np.stack([known[text] for text in texts])

    return encode


def export_trained(
    kind: Literal["encoder", "reranker"],
    trained: Path,
    target: Path,
    *,
    config: Mapping[str, object],
    max_tokens: int,
    block: int = BLOCK,
) -> None:
    """Export a trained folder as int8 ONNX; see `export`."""
    tokenizer = load_tokenizer(trained)
    if kind == "encoder":
        export_encoder(
            build_encoder(trained),
            tokenizer,
            target,
            config=config,
            max_tokens=max_tokens,
            block=block,
        )
        return
    network = load_reranker(trained, evidence=len(EVIDENCE))
    export_reranker(
        network,
        tokenizer,
        target,
        config=config,
        evidence=EVIDENCE,
        max_tokens=max_tokens,
        block=block,
    )


def with_hybrid(options: RerankerOptions, hybrid: Hybrid, scale: float) -> RerankerOptions:
    """Return options whose network starts as the hybrid score times `scale`."""
    return replace(options, prior=hybrid.prior(scale))
