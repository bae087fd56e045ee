from __future__ import annotations

import json
import os
import shutil

import numpy as np
import pytest
from tiny_models import CORPUS, encoder_folder
from tokenizers import Tokenizer

from memskill.errors import ModelError
from memskill.models.encoder import OnnxEncoder
from memskill.models.protocols import Encoder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return encoder_folder(tmp_path_factory.mktemp("encoder"))


@pytest.fixture
def copy(folder, tmp_path):
    return shutil.copytree(folder, tmp_path / "copy")


TEXTS = [*CORPUS, "", " ", "a", "deploy " * 400, "déjà vu \U0001f980", "\x00", "[SEP] [CLS]"]


def test_it_is_an_encoder(folder):
    assert isinstance(OnnxEncoder(folder), Encoder)


def test_vectors_are_float32_rows_of_length_one(folder):
    vectors = OnnxEncoder(folder).encode(TEXTS)
    assert vectors.dtype == np.float32
    assert vectors.shape == (len(TEXTS), 384)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_no_texts_give_no_rows(folder):
    assert OnnxEncoder(folder).encode([]).shape == (0, 384)


def test_a_vector_is_the_same_bytes_alone_in_any_order_and_any_company(folder):
    encoder = OnnxEncoder(folder, threads=2)
    alone = {text: encoder.encode([text])[0].tobytes() for text in TEXTS}
    rng = np.random.default_rng(3)
    for _ in range(5):
        order = [TEXTS[i] for i in rng.permutation(len(TEXTS))][: rng.integers(1, len(TEXTS) + 1)]
        for text, vector in zip(order, encoder.encode(order), strict=True):
            assert vector.tobytes() == alone[text]


def test_the_number_of_threads_changes_no_byte(folder):
    one, two, four = (OnnxEncoder(folder, threads=n).encode(TEXTS).tobytes() for n in (1, 2, 4))
    assert one == two == four


def test_texts_beyond_the_limit_are_cut_there(folder):
    encoder = OnnxEncoder(folder)
    # 14 words and two special tokens make 16.
    short, long = encoder.encode(["deploy " * 14, "deploy " * 14 + "postmortem"])
    assert short.tobytes() == long.tobytes()


def test_special_tokens_in_a_text_are_plain_characters(folder):
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    seen = OnnxEncoder(folder)._model.tokenizer.encode("a [SEP] b").ids
    assert seen.count(tokenizer.token_to_id("[SEP]")) == 1


def test_an_empty_text_has_the_vector_of_the_bare_special_tokens(folder):
    empty, blank, word = OnnxEncoder(folder).encode(["", "  \n", "deploy"])
    assert empty.tobytes() == blank.tobytes() != word.tobytes()


def test_lone_surrogates_are_read_as_question_marks(folder):
    odd, plain = OnnxEncoder(folder).encode(["a \ud800 b", "a ? b"])
    assert odd.tobytes() == plain.tobytes()


def test_a_padding_rule_in_the_tokenizer_file_is_not_followed(copy):
    before = OnnxEncoder(copy).encode(CORPUS)
    tokenizer = Tokenizer.from_file(str(copy / "tokenizer.json"))
    tokenizer.enable_padding(length=16)
    tokenizer.save(str(copy / "tokenizer.json"))
    encoder = OnnxEncoder(copy)
    assert len(encoder._model.tokenizer.encode("deploy").ids) == 3
    assert encoder.encode(CORPUS).tobytes() == before.tobytes()


def test_the_fingerprint_is_stable_and_moves_with_the_folder(folder, copy):
    first = OnnxEncoder(folder).fingerprint
    assert first == OnnxEncoder(copy).fingerprint
    assert len(bytes.fromhex(first)) == 32


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_the_fingerprint_changes_with_every_file_that_shapes_a_vector(copy, name):
    before = OnnxEncoder(copy).fingerprint
    if name == "model.onnx":
        model = (copy / name).read_bytes().replace(b"tiny", b"tinz")
        (copy / name).write_bytes(model)
        # Same size: the time alone tells that the cached sha is old.
        os.utime(copy / name, ns=(1, 1))
    else:
        (copy / name).write_text((copy / name).read_text() + "\n")
    assert OnnxEncoder(copy).fingerprint != before


@pytest.mark.parametrize(("key", "value"), [("max_tokens", 17), ("pooling", "cls")])
def test_the_fingerprint_changes_with_limit_and_pooling(copy, key, value):
    before = OnnxEncoder(copy).fingerprint
    config = json.loads((copy / "config.json").read_text()) | {key: value}
    (copy / "config.json").write_text(json.dumps(config))
    assert OnnxEncoder(copy).fingerprint != before


def test_another_width_than_the_store_keeps_is_refused(tmp_path):
    with pytest.raises(ModelError, match="256") as caught:
        OnnxEncoder(encoder_folder(tmp_path / "m", dimension=256))
    assert "384" in caught.value.hint


def test_a_config_that_lies_about_the_width_is_found_out(tmp_path):
    encoder = OnnxEncoder(encoder_folder(tmp_path / "m", dimension=256, stated=384))
    with pytest.raises(ModelError, match=r"shape \(256,\)"):
        encoder.encode(["deploy"])


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json", "config.json"])
@pytest.mark.parametrize("damage", ["missing", "empty", "cut", "noise"])
def test_a_damaged_folder_says_which_file(copy, name, damage):
    path = copy / name
    whole = path.read_bytes()
    if damage == "missing":
        path.unlink()
    else:
        parts = {"empty": b"", "cut": whole[: len(whole) // 2], "noise": b"\xff\x00{" * 40}
        path.write_bytes(parts[damage])
    with pytest.raises(ModelError, match=name.replace(".", r"\.")) as caught:
        OnnxEncoder(copy)
    assert caught.value.hint


@pytest.mark.parametrize("value", [None, 0, -1, True, "16", 1.5])
def test_a_limit_that_is_no_whole_number_is_refused(tmp_path, value):
    with pytest.raises(ModelError, match="max_tokens"):
        OnnxEncoder(encoder_folder(tmp_path / "m", max_tokens=value))


def test_a_latin_encoder_reads_the_words_beside_cjk_and_has_a_fingerprint_of_its_own(copy):
    plain = OnnxEncoder(copy)
    config = json.loads((copy / "config.json").read_text())
    (copy / "config.json").write_text(json.dumps({**config, "script": "latin"}))
    latin = OnnxEncoder(copy)
    mixed, words = latin.encode(["我在看 deploy 的 release。", "deploy release"])
    assert mixed.tobytes() == words.tobytes()
    assert latin.encode(["長城"]).tobytes() == plain.encode(["長城"]).tobytes()
    assert latin.fingerprint != plain.fingerprint
