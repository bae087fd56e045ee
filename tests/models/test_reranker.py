from __future__ import annotations

import json
import math
import shutil

import numpy as np
import pytest
from tiny_models import CORPUS, encoder_folder, reranker_folder

from memskill.errors import ModelError
from memskill.models.calibration import Calibration
from memskill.models.protocols import Reranker
from memskill.models.reranker import OnnxReranker

TASK = "restart the workers after the deploy failed"
TEXTS = [*CORPUS, "", "deploy " * 300, "[SEP] restart", "restart the workers"]
EVIDENCE = np.random.default_rng(5).uniform(-1, 1, (len(TEXTS), 2)).astype(np.float32)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return reranker_folder(tmp_path_factory.mktemp("reranker"))


def test_it_is_a_reranker_that_names_its_evidence(folder):
    reranker = OnnxReranker(folder)
    assert isinstance(reranker, Reranker)
    assert reranker.evidence_names == ("cosine", "lexical")
    assert reranker.calibration == Calibration(kind="platt", a=1.5, b=-0.25)


def test_logits_are_float64_one_a_text(folder):
    logits = OnnxReranker(folder).rerank(TASK, TEXTS, EVIDENCE)
    assert logits.dtype == np.float64
    assert logits.shape == (len(TEXTS),)
    assert len(set(logits.tolist())) == len(TEXTS)


def test_no_texts_give_no_logits(folder):
    assert OnnxReranker(folder).rerank(TASK, [], np.empty((0, 2), np.float32)).shape == (0,)


def test_a_logit_is_the_same_bytes_alone_in_any_order_and_any_company(folder):
    reranker = OnnxReranker(folder, threads=2)
    one_by_one = [
        reranker.rerank(TASK, [text], EVIDENCE[i : i + 1])[0] for i, text in enumerate(TEXTS)
    ]
    rng = np.random.default_rng(3)
    for _ in range(5):
        order = rng.permutation(len(TEXTS))[: rng.integers(1, len(TEXTS) + 1)]
        logits = reranker.rerank(TASK, [TEXTS[i] for i in order], EVIDENCE[order])
        assert logits.tolist() == [one_by_one[i] for i in order]


def test_the_number_of_threads_changes_no_byte(folder):
    one, two, four = (
        OnnxReranker(folder, threads=n).rerank(TASK, TEXTS, EVIDENCE).tobytes() for n in (1, 2, 4)
    )
    assert one == two == four


def test_task_and_text_are_told_apart(folder):
    reranker, none = OnnxReranker(folder), np.zeros((1, 2), np.float32)
    there = reranker.rerank("deploy", ["restart"], none)
    back = reranker.rerank("restart", ["deploy"], none)
    assert there[0] != back[0]


def test_evidence_reaches_the_logit_by_column(folder):
    reranker = OnnxReranker(folder)
    base, cosine = reranker.rerank(
        TASK, ["deploy"] * 2, np.array([[0, 0], [0.5, 0]], dtype=np.float32)
    )
    assert cosine - base == pytest.approx(0.5, abs=1e-5)


def test_evidence_in_another_layout_of_memory_gives_the_same_logits(folder):
    reranker = OnnxReranker(folder)
    turned = np.asfortranarray(EVIDENCE.astype(np.float64))
    assert (
        reranker.rerank(TASK, TEXTS, turned).tolist()
        == reranker.rerank(TASK, TEXTS, EVIDENCE).tolist()
    )


@pytest.mark.parametrize("shape", [(1, 2), (2, 1), (2, 3), (2,), (0, 2)])
def test_evidence_of_another_shape_is_refused(folder, shape):
    with pytest.raises(ValueError, match="evidence of shape"):
        OnnxReranker(folder).rerank(TASK, ["a", "b"], np.zeros(shape, np.float32))


def test_the_pair_is_cut_at_the_limit_the_longer_side_first(folder):
    reranker, none = OnnxReranker(folder), np.zeros((2, 2), np.float32)
    # Of 24 tokens three are marks and one is the task: 20 remain.
    cut, whole = reranker.rerank("deploy", ["restart " * 300, "restart " * 20], none)
    assert cut == whole


def test_a_value_that_is_not_finite_is_an_error(folder):
    wild = np.array([[math.inf, 0]], dtype=np.float32)
    with pytest.raises(ModelError, match="not finite"):
        OnnxReranker(folder).rerank(TASK, ["a"], wild)


def test_the_fingerprint_ignores_the_calibration_and_nothing_else(folder, tmp_path):
    copy = shutil.copytree(folder, tmp_path / "copy")
    before, config = OnnxReranker(copy).fingerprint, json.loads((copy / "config.json").read_text())
    changes = {
        "calibration": {"kind": "platt", "a": 9.0},
        "max_tokens": 25,
        "evidence": ["cosine", "clause"],
    }
    same = {}
    for key, value in changes.items():
        (copy / "config.json").write_text(json.dumps(config | {key: value}))
        same[key] = OnnxReranker(copy).fingerprint == before
    assert same == {"calibration": True, "max_tokens": False, "evidence": False}


def test_an_encoder_folder_is_refused_as_a_reranker(tmp_path):
    with pytest.raises(ModelError, match="expected"):
        OnnxReranker(encoder_folder(tmp_path / "m"))


@pytest.mark.parametrize("names", [None, "cosine", [1, 2], {"cosine": 1}])
def test_evidence_names_that_are_no_list_of_names_are_refused(tmp_path, names):
    with pytest.raises(ModelError, match="evidence"):
        OnnxReranker(reranker_folder(tmp_path / "m", evidence=names))


@pytest.mark.parametrize("calibration", ["platt", [1], {"kind": "platt", "a": -1}])
def test_a_calibration_that_is_none_is_refused(tmp_path, calibration):
    with pytest.raises(ModelError, match="calibration"):
        OnnxReranker(reranker_folder(tmp_path / "m", calibration=calibration))
