from __future__ import annotations

import math

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memskill.errors import StoreError
from memskill.store import memory_store
from memskill.store.vectors import DIMENSION


def _unit(seed):
    vector = np.random.default_rng(seed).normal(size=DIMENSION).astype(np.float32)
    return vector / np.linalg.norm(vector)


def test_vectors_come_back_as_they_were_bit_for_bit():
    store = memory_store()
    kept = {f"sha{i}": _unit(i) for i in range(5)}
    store.add_vectors(kept, "model")
    found = store.vectors(kept, "model")
    assert {k: v.tobytes() for k, v in found.items()} == {k: v.tobytes() for k, v in kept.items()}


def test_a_known_vector_stays_as_it_is():
    store = memory_store()
    store.add_vectors({"sha": _unit(1)}, "model")
    store.add_vectors({"sha": _unit(2)}, "model")
    assert store.vectors(["sha"], "model")["sha"].tobytes() == _unit(1).tobytes()


def test_models_never_mix():
    store = memory_store()
    store.add_vectors({"sha": _unit(1)}, "one")
    assert store.known_vectors(["sha"], "two") == set()
    assert store.vectors(["sha"], "two") == {}


def test_asking_for_none_or_unknown_texts_gives_none():
    store = memory_store()
    store.add_vectors({}, "model")
    assert store.known_vectors([], "model") == set()
    assert store.vectors(["unknown", "unknown"], "model") == {}


BAD = {
    "zero": np.zeros(DIMENSION),
    "nan": np.full(DIMENSION, math.nan),
    "one nan": np.where(np.arange(DIMENSION) == 7, math.nan, _unit(1)),
    "infinite": np.full(DIMENSION, math.inf),
    "too long": _unit(1) * 2,
    "too short": _unit(1) * 0.5,
}


@pytest.mark.parametrize("name", BAD)
def test_a_vector_that_would_sort_first_or_wrong_is_refused(name):
    store = memory_store()
    bad = BAD[name].astype(np.float32)
    with pytest.raises(StoreError, match="not of length one"):
        store.add_vectors({"good": _unit(1), "bad": bad}, "model")
    assert store.known_vectors(["good", "bad"], "model") == set()


@pytest.mark.parametrize("shape", [(1,), (383,), (385,), (384, 1), (0,)])
def test_a_vector_of_another_shape_is_refused_by_name(shape):
    with pytest.raises(StoreError, match="text sha: shape"):
        memory_store().add_vectors({"sha": np.ones(shape, dtype=np.float32)}, "model")


def test_the_door_holds_for_sql_too():
    con = memory_store()._con
    with pytest.raises(duckdb.ConstraintException):
        con.execute("insert into embedding_384 values ('s', 'm', array_value(" + "0," * 383 + "0))")


@settings(max_examples=25)
@given(st.lists(st.text(max_size=8), max_size=12), st.lists(st.text(max_size=8), max_size=12))
def test_known_is_the_overlap_of_asked_and_kept(kept, asked):
    def clean(texts):
        return {t.encode("utf-8", "replace").decode() for t in texts}

    store = memory_store()
    store.add_vectors({sha: _unit(1) for sha in clean(kept)}, "model")
    assert store.known_vectors(clean(asked), "model") == clean(kept) & clean(asked)
