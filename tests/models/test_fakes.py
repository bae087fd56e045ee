from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memskill.models.fakes import HashEncoder, OverlapReranker
from memskill.models.protocols import Encoder, Reranker

NONE = np.empty((1, 0), dtype=np.float32)


def test_they_have_the_shape_of_models():
    assert isinstance(HashEncoder(), Encoder)
    assert isinstance(OverlapReranker(), Reranker)


@settings(deadline=None)
@given(st.lists(st.text(), max_size=5))
def test_every_text_has_a_unit_vector_that_depends_on_it_alone(texts):
    vectors = HashEncoder().encode(texts)
    assert (vectors.dtype, vectors.shape) == (np.float32, (len(texts), 384))
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    for text, vector in zip(texts, vectors, strict=True):
        assert HashEncoder().encode([text])[0].tobytes() == vector.tobytes()


def test_shared_words_bring_texts_near():
    task, same, other = HashEncoder().encode(
        ["restart the failed workers", "How to restart failed workers", "chart revenue by region"]
    )
    assert task @ same > 0.6 > 0.2 > task @ other


def test_another_seed_is_another_model():
    one, two = HashEncoder(1), HashEncoder(2)
    assert one.fingerprint != two.fingerprint
    assert one.encode(["deploy"]).tobytes() != two.encode(["deploy"]).tobytes()


def test_the_reranker_counts_the_words_of_the_task():
    logits = OverlapReranker().rerank(
        "restart the workers", ["Workers: restart the lot", "restart", "chart"], NONE.repeat(3, 0)
    )
    assert logits.tolist() == pytest.approx([4.0, -4 + 8 / 3, -4.0])


def test_the_reranker_checks_the_evidence_it_asked_for():
    reranker = OverlapReranker(("cosine",))
    assert reranker.rerank("a", ["a"], np.zeros((1, 1), np.float32)).shape == (1,)
    with pytest.raises(ValueError, match="evidence of shape"):
        reranker.rerank("a", ["a"], NONE)
