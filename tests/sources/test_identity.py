import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.sources.identity import canonical_json, file_sha, node_sha, text_sha

WORD = st.text(max_size=30)


def test_node_sha_is_pinned() -> None:
    # A changed value here orphans every stored node: that takes a new schema tag.
    sha = node_sha("L1", "infra", "q1", "Why?", "Because.")
    text = '["memskill/node/1","L1","infra","q1","Why?","Because."]'
    assert sha == hashlib.sha256(text.encode()).hexdigest()


def test_evidence_is_known_by_its_text_alone() -> None:
    assert node_sha("L0", "a", "1", "x", "same") == node_sha("L0", "b", "2", "y", "same")


@given(WORD, WORD, WORD, WORD, WORD)
def test_every_field_of_a_note_takes_part(
    project: str, query_id: str, query: str, body: str, other: str
) -> None:
    base = node_sha("L1", project, query_id, query, body)
    assert base != node_sha("L2", project, query_id, query, body)
    if other != query_id:
        assert base != node_sha("L1", project, other, query, body)
    if other != query:
        assert base != node_sha("L1", project, query_id, other, body)


def test_fields_cannot_run_into_each_other() -> None:
    assert node_sha("L1", "a", "bc", "", "") != node_sha("L1", "ab", "c", "", "")


def test_composed_and_decomposed_bodies_are_one_node() -> None:
    assert node_sha("L1", "p", "q", "x", "caf\u00e9") == node_sha("L1", "p", "q", "x", "cafe\u0301")


def test_canonical_json_sorts_keys_and_keeps_characters() -> None:
    assert canonical_json({"b": [1, 2], "a": "é"}) == '{"a":"é","b":[1,2]}'


def test_canonical_json_refuses_what_json_cannot_say() -> None:
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(float("nan"))


@given(st.dictionaries(WORD, WORD | st.integers()))
def test_canonical_json_reads_back(value: dict[str, object]) -> None:
    assert json.loads(canonical_json(value)) == value


def test_text_sha_is_the_sha_of_its_utf8_bytes() -> None:
    assert text_sha("é") == file_sha("é".encode())


def test_a_lone_surrogate_does_not_stop_a_sha() -> None:
    assert text_sha("a\ud800b") == text_sha("a\ufffdb")
