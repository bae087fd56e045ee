"""The hf backend on real torch, with tiny real models that are saved to disk here."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from tiny_models import CORPUS, wordpiece

from memskill.errors import ConfigError, ExtraMissing, ModelError
from memskill.models.calibration import Calibration
from memskill.models.protocols import Encoder, Reranker
from memskill.models.spec import parse_spec

torch = pytest.importorskip("torch", reason="the hf extra is not installed")
transformers = pytest.importorskip("transformers")
pytest.importorskip("sentence_transformers")

from memskill.models.hf import HfEncoder, HfReranker  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")

TASK = "restart the workers after the deploy failed"
TEXTS = [*CORPUS, "", "deploy " * 300, "restart the workers", "\ud800"]
NONE = np.empty((len(TEXTS), 0), dtype=np.float32)


def encoder(path, **options):
    query = "&".join(f"{k}={v}" for k, v in options.items())
    return HfEncoder(parse_spec("encoder", f"hf:{path}" + (f"?{query}" if query else "")), 2)


def reranker(path):
    return HfReranker(parse_spec("reranker", f"hf:{path}"), 2)


def bert(folder, width):
    """A bi-encoder: BERT with random weights and a WordPiece tokenizer."""
    torch.manual_seed(1)
    config = transformers.BertConfig(
        vocab_size=400, hidden_size=width, num_hidden_layers=1, num_attention_heads=4,
        intermediate_size=64, max_position_embeddings=64,
    )  # fmt: skip
    transformers.BertModel(config).save_pretrained(folder)
    fast = transformers.PreTrainedTokenizerFast(
        tokenizer_object=wordpiece(), model_max_length=64, pad_token="[PAD]", unk_token="[UNK]",
        cls_token="[CLS]", sep_token="[SEP]", mask_token="[MASK]",
    )  # fmt: skip
    fast.save_pretrained(folder)
    return folder


def xlm_roberta(folder, labels=1, headed=True):
    """A cross-encoder of bge-reranker-base's architecture, random and tiny."""
    from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers

    torch.manual_seed(2)
    unigram = Tokenizer(models.Unigram())
    unigram.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    trainer = trainers.UnigramTrainer(
        vocab_size=200, special_tokens=special, unk_token="<unk>", show_progress=False
    )
    unigram.train_from_iterator(CORPUS, trainer)
    unigram.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>",
        special_tokens=[("<s>", 0), ("</s>", 2)],
    )  # fmt: skip
    config = transformers.XLMRobertaConfig(
        vocab_size=200, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
        intermediate_size=64, max_position_embeddings=66, num_labels=labels,
    )  # fmt: skip
    make = (
        transformers.XLMRobertaForSequenceClassification if headed else transformers.XLMRobertaModel
    )
    make(config).save_pretrained(folder)
    transformers.PreTrainedTokenizerFast(
        tokenizer_object=unigram, model_max_length=64, bos_token="<s>", eos_token="</s>",
        cls_token="<s>", sep_token="</s>", pad_token="<pad>", unk_token="<unk>",
        mask_token="<mask>",
    ).save_pretrained(folder)  # fmt: skip
    return folder


@pytest.fixture(scope="module")
def bert384(tmp_path_factory):
    return bert(tmp_path_factory.mktemp("bert384"), 384)


@pytest.fixture(scope="module")
def cross(tmp_path_factory):
    return xlm_roberta(tmp_path_factory.mktemp("cross"))


def test_an_encoder_gives_unit_rows_of_float32(bert384):
    model = encoder(bert384)
    assert isinstance(model, Encoder)
    vectors = model.encode(TEXTS)
    assert (vectors.dtype, vectors.shape) == (np.float32, (len(TEXTS), 384))
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert model.encode([]).shape == (0, 384)


def test_on_a_cpu_a_vector_is_the_same_bytes_in_any_company(bert384):
    model = encoder(bert384)
    alone = [model.encode([text])[0].tobytes() for text in TEXTS]
    order = np.random.default_rng(1).permutation(len(TEXTS))
    shuffled = model.encode([TEXTS[i] for i in order])
    assert [row.tobytes() for row in shuffled] == [alone[i] for i in order]


def test_vectors_are_those_of_the_plain_model_pooled_by_the_mean(bert384):
    tokenizer = transformers.AutoTokenizer.from_pretrained(bert384)
    plain = transformers.AutoModel.from_pretrained(bert384).eval()
    with torch.no_grad():
        states = plain(**tokenizer(CORPUS[0], return_tensors="pt")).last_hidden_state[0]
    mean = states.mean(0).numpy()
    vector = encoder(bert384).encode([CORPUS[0]])[0]
    np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), atol=1e-5)


def test_another_width_is_refused_and_says_what_works(tmp_path):
    with pytest.raises(ModelError, match="64 numbers; the store keeps 384") as caught:
        encoder(bert(tmp_path / "m", 64))
    assert "dimensions=384" in caught.value.hint


def test_dimensions_cut_a_wider_model(tmp_path):
    model = encoder(bert(tmp_path / "m", 512), dimensions=384)
    vectors = model.encode(CORPUS)
    assert vectors.shape == (len(CORPUS), 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_a_reranker_of_bges_architecture_gives_bare_logits(cross):
    model = reranker(cross)
    assert isinstance(model, Reranker)
    assert (model.evidence_names, model.calibration) == ((), Calibration())
    logits = model.rerank(TASK, TEXTS, NONE)
    assert (logits.dtype, logits.shape) == (np.float64, (len(TEXTS),))
    tokenizer = transformers.AutoTokenizer.from_pretrained(cross)
    plain = transformers.AutoModelForSequenceClassification.from_pretrained(cross).eval()
    for text, logit in zip(CORPUS, logits, strict=False):
        with torch.no_grad():
            inputs = tokenizer(TASK, text, truncation=True, return_tensors="pt")
            expected = plain(**inputs).logits.item()
        # No activation on the way: a sigmoid, once or twice, would show here.
        assert logit == pytest.approx(expected, abs=1e-5)


def test_an_activation_saved_with_the_model_is_not_applied(cross, tmp_path):
    copy = shutil.copytree(cross, tmp_path / "copy")
    config = json.loads((copy / "config.json").read_text())
    config["sentence_transformers"] = {"activation_fn": "torch.nn.modules.activation.Sigmoid"}
    (copy / "config.json").write_text(json.dumps(config))
    changed, plain = reranker(copy), reranker(cross)
    assert changed.rerank(TASK, TEXTS, NONE).tolist() == plain.rerank(TASK, TEXTS, NONE).tolist()


def test_on_a_cpu_a_logit_is_the_same_bytes_in_any_company(cross):
    model = reranker(cross)
    alone = [model.rerank(TASK, [text], NONE[:1])[0] for text in TEXTS]
    order = np.random.default_rng(1).permutation(len(TEXTS))
    shuffled = model.rerank(TASK, [TEXTS[i] for i in order], NONE)
    assert shuffled.tolist() == [alone[i] for i in order]


def test_a_reranker_takes_no_evidence(cross):
    model = reranker(cross)
    with pytest.raises(ValueError, match="evidence of shape"):
        model.rerank(TASK, ["a"], np.zeros((1, 3), np.float32))
    assert model.rerank(TASK, [], np.empty((0, 0), np.float32)).shape == (0,)


@pytest.mark.parametrize("kind", [{"labels": 3}, {"headed": False}])
def test_a_model_that_is_no_reranker_is_refused(tmp_path, kind):
    with pytest.raises(ModelError, match="not a reranker") as caught:
        reranker(xlm_roberta(tmp_path / "m", **kind))
    assert "bge-reranker-base" in caught.value.hint


def test_half_precision_weights_are_computed_in_float32(bert384, tmp_path):
    half = tmp_path / "half"
    shutil.copytree(bert384, half)
    transformers.AutoModel.from_pretrained(bert384).half().save_pretrained(half)
    near = (encoder(half).encode(CORPUS) * encoder(bert384).encode(CORPUS)).sum(axis=1)
    assert encoder(half).encode(CORPUS).dtype == np.float32
    assert near.min() > 0.9999


def test_the_fingerprint_is_that_of_the_files_wherever_they_lie(bert384, tmp_path):
    copy = shutil.copytree(bert384, tmp_path / "copy")
    (copy / "README.md").write_text("a note that shapes nothing")
    same = encoder(copy).fingerprint
    assert same == encoder(bert384).fingerprint
    other = tmp_path / "other"
    torch.manual_seed(9)
    shutil.copytree(copy, other)
    config = transformers.BertConfig.from_pretrained(copy)
    transformers.BertModel(config).save_pretrained(other)
    assert encoder(other).fingerprint != same


@pytest.mark.parametrize("target", ["/no/such/folder", "./no/such", "../no", "~/no-such-folder"])
def test_a_folder_that_is_not_there_is_never_asked_of_the_hub(target):
    with pytest.raises(ModelError, match="no such folder") as caught:
        encoder(target)
    assert "hf download" in caught.value.hint


def test_a_folder_without_a_model_says_so(tmp_path):
    with pytest.raises(ModelError, match="cannot load"):
        encoder(tmp_path)


def test_a_name_without_network_says_how_to_bring_the_model(tmp_path):
    # A port of this machine that nobody listens on stands in for a hub out of reach.
    code = (
        "from memskill.models.hf import HfReranker\n"
        "from memskill.models.spec import parse_spec\n"
        "from memskill.errors import ModelError\n"
        "try: HfReranker(parse_spec('reranker', 'hf:nobody/no-such-model'))\n"
        "except ModelError as e: print(type(e).__name__, '|', e.message, '|', e.hint)\n"
    )
    env = os.environ | {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HOME": str(tmp_path)}
    env.pop("HF_HUB_OFFLINE", None)
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=120
    )
    kind, message, hint = done.stdout.strip().split(" | ")
    assert kind == "ModelError"
    assert "nobody/no-such-model" in message
    assert "hf download nobody/no-such-model --local-dir" in hint


def test_a_name_in_the_hubs_cache_needs_no_network(cross, tmp_path):
    # The layout that `hf download NAME` leaves behind.
    commit = "0123456789abcdef0123456789abcdef01234567"
    kept = tmp_path / "hub" / "models--some--cross"
    shutil.copytree(cross, kept / "snapshots" / commit)
    (kept / "refs").mkdir()
    (kept / "refs" / "main").write_text(commit)
    code = (
        "import numpy as np\n"
        "from memskill.models.hf import HfReranker\n"
        "from memskill.models.spec import parse_spec\n"
        "model = HfReranker(parse_spec('reranker', 'hf:some/cross'), 2)\n"
        f"print(model.rerank({TASK!r}, {CORPUS!r}, np.empty(({len(CORPUS)}, 0), 'f')).tolist())\n"
        "print(model.fingerprint)\n"
    )
    env = os.environ | {"HF_ENDPOINT": "http://127.0.0.1:9", "HF_HOME": str(tmp_path)}
    env.pop("HF_HUB_CACHE", None)
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=120
    )
    logits, fingerprint = done.stdout.splitlines()
    model = reranker(cross)
    assert json.loads(logits) == model.rerank(TASK, CORPUS, NONE[: len(CORPUS)]).tolist()
    assert fingerprint == model.fingerprint


def test_a_missing_backend_says_what_to_install(bert384, monkeypatch):
    monkeypatch.setitem(sys.modules, "optimum.onnxruntime", None)
    with pytest.raises(ExtraMissing) as caught:
        encoder(bert384, backend="onnx")
    assert "sentence-transformers[onnx]" in caught.value.hint


def test_a_missing_extra_says_what_to_install(bert384, monkeypatch):
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(ExtraMissing) as caught:
        encoder(bert384)
    assert caught.value.hint == "pip install 'memskill[hf]'"


@pytest.mark.parametrize("options", [{"backend": "tpu"}, {"dimensions": "x"}, {"dimensions": "0"}])
def test_an_option_with_no_such_value_is_refused(bert384, options):
    with pytest.raises(ConfigError, match="must be"):
        encoder(bert384, **options)
