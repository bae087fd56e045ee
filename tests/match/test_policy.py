"""The shipped shortlist policy and lexicon."""

from __future__ import annotations

import shutil

import pytest

from memskill.errors import ModelError
from memskill.match.policy import shipped_hybrid
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
