"""The shortlist of notes in SQL: filters before the limit, ties by name, those named kept."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.drafting import make_node

from memskill.match.passages import note_passages
from memskill.store import NOTE_VIEWS, NoteWeights, ShortlistPolicy, memory_store
from memskill.store.base import utc_now

MODEL = "e" * 64
WEIGHTS = NoteWeights(
    weights={"whole": 1.0, "title": 1.0, "passage": 1.0, "lexical": 1.0, "lesson": 0.0},
    k1=1.2,
    b=0.75,
    mean_length=50.0,
)
POLICY = ShortlistPolicy(
    weights=dict.fromkeys(("cosine", "clause", "lexical", "negative", "opposed"), 0.0),
    k1=1.2,
    b=0.75,
    mean_length=50.0,
    background_documents=10,
    background={"roof": 2},
    fingerprint="f",
)


def unit(cosine):
    """Return a vector with this cosine to the first axis."""
    vector = np.zeros(384, dtype=np.float32)
    vector[0], vector[1] = cosine, np.sqrt(1 - cosine**2)
    return vector


def filled(*notes):
    """Return a snapshot of (project, query id, level, body, cosine) notes."""
    store = memory_store()
    vectors = {}
    with store.transaction():
        store.load_policy(POLICY)
        store.load_note_weights(WEIGHTS, POLICY.background_documents)
        for project, query_id, level, body, cosine in notes:
            node = make_node(
                body, query=f"about {project} {query_id}", project=project, query_id=query_id,
                level=level,
            )  # fmt: skip
            rows = note_passages(node)
            store.add_nodes([(node, rows[0].text_sha)], utc_now())
            store.open_validity([node.sha], utc_now())
            store.add_passages(rows)
            vectors |= {row.text_sha: unit(cosine) for row in rows}
        store.add_vectors(vectors, MODEL)
    return store


def found(store, terms=(), **changes):
    asked = {"model": MODEL, "project": None, "level": None, "kind": None, "named": [], "k": 10}
    return store.shortlist_notes(unit(1.0), list(terms), **asked | changes)


def names(store, **changes):
    return [row.name for row in found(store, **changes)]


@pytest.fixture
def store():
    return filled(
        ("p", "near", "L1", "roof", 0.9),
        ("p", "far", "L2", "wall", 0.1),
        ("o", "middle", "L1", "roof and wall", 0.5),
    )


@pytest.mark.parametrize("frozen", [False, True])
def test_the_nearest_comes_first_frozen_or_not(store, frozen):
    if frozen:
        store.freeze(NOTE_VIEWS)
    assert names(store) == ["p/near", "o/middle", "p/far"]


def test_project_and_level_filter_before_the_limit(store):
    assert names(store, project="o", k=1) == ["o/middle"]
    assert names(store, level="L2", k=1) == ["p/far"]
    assert names(store, project="o", level="L2") == []
    assert names(store, kind="lesson") == []


def test_the_named_keep_a_place_but_no_filter_lets_go(store):
    (far,) = found(store, level="L2")
    assert names(store, k=1, named=[far.id]) == ["p/near", "p/far"]
    assert names(store, k=1, named=[far.id], project="o") == ["o/middle"]


def test_equal_evidence_is_ordered_by_name():
    store = filled(*[("p", name, "L1", "same", 0.5) for name in ("b", "c", "a")])
    assert names(store) == ["p/a", "p/b", "p/c"]
    assert names(store, k=2) == ["p/a", "p/b"]


def test_words_count_by_their_rarity_and_name_their_passage(store):
    near, middle, far = found(store, terms=("roof", "zzz"))
    assert 0 < near.lexical < 1
    assert far.lexical == 0
    assert (near.words_place, far.words_place) == (2, None)
    assert middle.place == 2


def test_another_models_vectors_are_never_mixed_in(store):
    assert found(store, model="f" * 64) == []


def test_a_closed_note_is_not_found(store):
    (near, *_) = found(store)
    store.close_validity({near.id: None}, utc_now())
    assert names(store) == ["o/middle", "p/far"]
    assert near.id not in {node.sha for node in store.search_nodes()}


def test_passages_come_back_as_they_were_kept(store):
    (near, *_) = found(store)
    rows = [row for row in store.passages() if row.owner == near.id]
    node = store.node(near.id)
    assert rows == note_passages(node)
    assert near.id in store.passage_owners()
