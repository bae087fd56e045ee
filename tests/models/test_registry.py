from __future__ import annotations

import threading

import numpy as np
import pytest
from tiny_models import encoder_folder, reranker_folder

from memskill.config import Settings
from memskill.errors import ConfigError, ModelError
from memskill.models import registry


@pytest.fixture
def settings(tmp_path):
    return Settings(
        vault=tmp_path,
        encoder=f"onnx:{encoder_folder(tmp_path / 'e')}",
        reranker=f"onnx:{reranker_folder(tmp_path / 'r')}",
        threads=2,
    )


def test_a_model_is_loaded_once_however_many_ask_at_once(settings):
    got: list[object] = []
    callers = [
        threading.Thread(target=lambda: got.append(registry.load_encoder(settings)))
        for _ in range(8)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert len({id(model) for model in got}) == 1
    assert registry.load_reranker(settings) is registry.load_reranker(settings)


def test_another_setting_is_another_model(settings, tmp_path):
    other = Settings(vault=tmp_path, encoder=f"onnx:{encoder_folder(tmp_path / 'e2')}", threads=2)
    assert registry.load_encoder(other) is not registry.load_encoder(settings)


def test_none_is_no_reranker(tmp_path):
    assert registry.load_reranker(Settings(vault=tmp_path, reranker="none")) is None


@pytest.mark.parametrize("value", ["onnx:/no/such", "hf:/no/such", "http:ftp://h"])
def test_a_model_that_cannot_load_raises_and_nothing_takes_its_place(tmp_path, value):
    settings = Settings(vault=tmp_path, encoder=value, reranker=value)
    for load in (registry.load_encoder, registry.load_reranker):
        with pytest.raises(ModelError):
            load(settings)


def test_a_failed_load_is_tried_again(tmp_path):
    settings = Settings(vault=tmp_path, encoder=f"onnx:{tmp_path / 'later'}")
    with pytest.raises(ModelError):
        registry.load_encoder(settings)
    encoder_folder(tmp_path / "later")
    assert registry.load_encoder(settings).encode(["a"]).shape == (1, 384)


def test_a_fake_cannot_be_named_by_a_setting(tmp_path):
    settings = Settings(vault=tmp_path, encoder="fake", reranker="fake")
    for load in (registry.load_encoder, registry.load_reranker):
        with pytest.raises(ConfigError):
            load(settings)


def test_the_shipped_encoder_works_by_default_and_is_deterministic(tmp_path):
    encoder = registry.load_encoder(Settings(vault=tmp_path))
    texts = ["Roll back a failed deploy.", "", "Chart monthly revenue.", "Undo the last release."]
    vectors = encoder.encode(texts)
    for order in ([3, 1, 0, 2], [2], [0, 0, 3]):
        again = encoder.encode([texts[i] for i in order])
        assert again.tobytes() == vectors[order].tobytes()
    # It knows more than words: the two that mean the same share none.
    assert vectors[0] @ vectors[3] > vectors[0] @ vectors[2] + 0.2
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
