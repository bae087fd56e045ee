"""The shipped shortlist policy and lexicon."""

from __future__ import annotations

import json
import math
import shutil

import pytest

from memskill.errors import ModelError
from memskill.match.policy import Reach, shipped_hybrid
from memskill.models.registry import WEIGHTS


def test_the_shipped_policy_is_read_once_and_whole():
    hybrid = shipped_hybrid()
    assert hybrid is shipped_hybrid()
    assert len(hybrid.policy.fingerprint) == 64
    assert hybrid.policy.background_documents > 0
    assert "" not in hybrid.policy.background
    assert min(hybrid.policy.background.values()) >= 1
    assert max(hybrid.policy.background.values()) <= hybrid.policy.background_documents


@pytest.mark.parametrize("name", ["hybrid.json", "lexicon/lexicon.csv"])
@pytest.mark.parametrize("damage", ["missing", "empty", "binary", "other"])
def test_a_damaged_file_is_told(tmp_path, name, damage):
    shutil.copy(WEIGHTS / "hybrid.json", tmp_path)
    shutil.copytree(WEIGHTS / "lexicon", tmp_path / "lexicon")
    file = tmp_path / name
    if damage == "missing":
        file.unlink()
    else:
        texts = {"empty": b"", "binary": b"\xff\x00\xfe", "other": b'{"a": 1}\n'}
        file.write_bytes(texts[damage])
    with pytest.raises(ModelError, match="no usable shortlist policy") as caught:
        shipped_hybrid(tmp_path)
    assert str(tmp_path) in caught.value.message


def test_other_numbers_are_another_policy(tmp_path):
    shutil.copy(WEIGHTS / "hybrid.json", tmp_path)
    shutil.copytree(WEIGHTS / "lexicon", tmp_path / "lexicon")
    same = shipped_hybrid(tmp_path)
    assert same == shipped_hybrid()
    with (tmp_path / "lexicon" / "lexicon.csv").open("a") as file:
        file.write("zyzzyva,1\n")
    shipped_hybrid.cache_clear()
    assert shipped_hybrid(tmp_path).policy.fingerprint != same.policy.fingerprint


REACH = {"reranker": "r" * 64, "slope": 6.5, "bias": -6.5, "lift": 1.0}


def with_reach(folder, reach):
    shutil.copytree(WEIGHTS / "lexicon", folder / "lexicon")
    said = json.loads((WEIGHTS / "hybrid.json").read_text()) | {"reach": reach}
    (folder / "hybrid.json").write_text(json.dumps(said))
    return shipped_hybrid(folder)


def test_the_reach_of_a_reranker_makes_a_cut_of_its_floor(tmp_path):
    hybrid = with_reach(tmp_path, REACH)
    assert hybrid.reach == Reach(**REACH)
    assert hybrid.cut("r" * 64, -1.0) == pytest.approx((-1.0 + 6.5 - 1.0) / 6.5)
    # A floor that lets all pass, and another reranker: the policy's own cut.
    assert hybrid.cut("r" * 64, -math.inf) == hybrid.cut("x" * 64, 5.0) == hybrid.recall_cut
    # A floor that nothing passes.
    assert hybrid.cut("r" * 64, math.inf) == math.inf


@pytest.mark.parametrize("fault", [{"slope": 0}, {"lift": "much"}, {"reranker": None, "bias": []}])
def test_a_damaged_reach_is_told(tmp_path, fault):
    with pytest.raises(ModelError, match="no usable shortlist policy"):
        with_reach(tmp_path, REACH | fault)
