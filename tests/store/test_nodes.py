from __future__ import annotations

from datetime import datetime, timedelta

import duckdb
import numpy as np
import pytest

from memskill.records import Node
from memskill.sources.identity import node_sha
from memskill.store import NoteSource, memory_store, source_id
from memskill.store.base import from_iso, to_iso

T0 = datetime(2026, 1, 1, 12)
T1, T2, T3 = (T0 + timedelta(hours=hours) for hours in (1, 2, 3))


def _node(query_id="q", level="L1", body="body", **values):
    values = {"project": "p", "query": "what", "created_at": "2026-01-01T00:00:00Z"} | values
    sha = node_sha(level, values["project"], query_id, values["query"], body)
    return Node(sha=sha, level=level, query_id=query_id, body=body, **values)


def _kept(*nodes, at=T0):
    store = memory_store()
    store.add_nodes([(node, f"text {node.sha}") for node in nodes], at)
    store.open_validity([node.sha for node in nodes], at)
    return store


def _source(path, node, file_sha="f"):
    return NoteSource(
        path=path,
        node_sha=node.sha,
        file_sha=file_sha,
        byte_end=10,
        line_start=1,
        line_end=2,
        parser_version=1,
    )


def test_a_node_comes_back_as_it_was():
    node = _node(author="Ada", trust="agent", tags=("a", "b"))
    assert _kept(node).node(node.sha) == node


def test_an_unknown_sha_is_none():
    assert memory_store().node("0" * 64) is None


def test_a_known_node_stays_as_it_is():
    node = _node()
    store = _kept(node)
    store.add_nodes([(_node(author="someone else"), "other")], T1)
    assert store.node(node.sha) == node


def test_a_node_without_a_time_gets_that_of_its_keeping():
    node = _node(created_at="")
    assert _kept(node).node(node.sha).created_at == "2026-01-01T12:00:00Z"


def test_facts_follow_the_note_but_the_content_does_not():
    node = _node(author="Ada", tags=("old",))
    store = _kept(node)
    store.update_facts([_node(author="Bo", trust="imported", tags=("new", "er"), created_at="")])
    assert store.node(node.sha) == _node(author="Bo", trust="imported", tags=("new", "er"))


@pytest.mark.parametrize(
    "broken",
    [
        {"level": "L9"},
        {"trust": "nobody"},
        {"sha": "ABC"},
        {"sha": "g" * 64},
    ],
)
def test_a_row_that_is_no_node_is_refused(broken):
    values = {name: getattr(_node(), name) for name in Node.__slots__} | broken
    with pytest.raises(duckdb.ConstraintException):
        memory_store().add_nodes([(Node(**values), "text")], T0)


def test_an_address_gives_its_newest_node_first_and_l2_before_l1():
    old, new = _node(body="old"), _node(body="new")
    above = _node(level="L2", body="above")
    store = _kept(old)
    store.add_nodes([(new, "t"), (above, "t")], T1)
    store.open_validity([new.sha, above.sha], T1)
    assert [n.body for n in store.nodes_at("p", "q")] == ["above", "new", "old"]


def test_addresses_are_those_of_valid_notes_in_order():
    store = _kept(_node("b"), _node("a"), _node("gone"), _node("x", level="L0"))
    store.close_validity({_node("gone").sha: None}, T1)
    assert store.addresses() == ["p/a", "p/b"]


def test_a_closed_node_names_its_heir():
    old, new = _node(body="old"), _node(body="new")
    store = _kept(old, new)
    assert store.superseded_by(old.sha) is None
    store.close_validity({old.sha: new.sha}, T1)
    assert store.superseded_by(old.sha) == new.sha
    assert store.valid_shas() == {new.sha}
    assert store.node(old.sha) is not None


def test_a_removed_node_has_no_heir():
    node = _node()
    store = _kept(node)
    store.close_validity({node.sha: None}, T1)
    assert store.superseded_by(node.sha) == ""
    assert store.superseded_by("0" * 64) is None


def test_the_latest_end_counts_for_a_node_that_came_back_and_went_again():
    old, new = _node(body="old"), _node(body="new")
    store = _kept(old, new)
    store.close_validity({old.sha: new.sha}, T1)
    store.open_validity([old.sha], T2)
    assert store.superseded_by(old.sha) is None
    store.close_validity({old.sha: None}, T3)
    assert store.superseded_by(old.sha) == ""


def test_a_clock_that_was_set_back_makes_no_interval_that_ends_before_it_starts():
    node = _node()
    store = _kept(node, at=T2)
    store.close_validity({node.sha: None}, T0)
    assert store.valid_shas() == set()
    assert store.failed_checks() == {}


def test_closing_a_closed_node_changes_nothing():
    node = _node()
    store = _kept(node)
    store.close_validity({node.sha: None}, T1)
    store.close_validity({node.sha: "0" * 64}, T2)
    assert store.superseded_by(node.sha) == ""


def test_parents_come_with_address_and_role():
    child, parent = _node(level="L2"), _node("deep")
    store = _kept(child, parent)
    store.add_edges([(child.sha, parent.sha, "synthesis"), (child.sha, parent.sha, "synthesis")])
    assert store.parents(child.sha) == [("p/deep", "synthesis", parent.sha)]


def test_edges_between_notes_go_and_all_others_stay():
    child, note, chunk = _node(level="L2"), _node("n"), _node("c", level="L0")
    store = _kept(child, note, chunk)
    store.add_sources([_source("notes/p/n.md", note)], T0)
    edges = [
        (child.sha, note.sha, "synthesis"),
        (child.sha, note.sha, "supersedes"),
        (child.sha, chunk.sha, "evidence"),
    ]
    store.add_edges(edges)
    store.remove_note_edges([child.sha])
    kept = [(role, sha) for _, role, sha in store.parents(child.sha)]
    assert sorted(kept) == sorted([("supersedes", note.sha), ("evidence", chunk.sha)])


def test_a_source_is_retired_and_holds_again():
    node = _node()
    store = _kept(node)
    store.add_sources([_source("notes/p/q.md", node, "one")], T0)
    assert store.note_sources() == {"notes/p/q.md": (node.sha, "one")}
    store.retire_sources([source_id("notes/p/q.md", node.sha)], T1)
    assert store.note_sources() == {}
    store.add_sources([_source("notes/p/q.md", node, "two")], T2)
    assert store.note_sources() == {"notes/p/q.md": (node.sha, "two")}


def test_the_path_of_a_node_is_the_present_one_then_the_latest():
    node = _node()
    store = _kept(node)
    store.add_sources([_source(f"notes/p/{name}.md", node) for name in ("a", "b", "c")], T0)
    assert store.note_paths() == {node.sha: "notes/p/a.md"}
    for name, at in (("a", T1), ("c", T2), ("b", T3)):
        store.retire_sources([source_id(f"notes/p/{name}.md", node.sha)], at)
    assert store.note_paths() == {node.sha: "notes/p/b.md"}


def _vector(*values):
    vector = np.zeros(384, dtype=np.float32)
    vector[: len(values)] = values
    return vector / np.linalg.norm(vector)


def _searchable():
    notes = [
        _node("near", body="1"),
        _node("far", body="2"),
        _node("other", body="3", project="o"),
        _node("deep", body="4", level="L2"),
        _node("gone", body="5"),
    ]
    store = _kept(*notes)
    store.close_validity({notes[4].sha: None}, T1)
    shapes = [(1.0, 0.1), (0.1, 1.0), (1.0, 1.0), (1.0, 2.0), (1.0, 0.0)]
    vectors = {f"text {n.sha}": _vector(*v) for n, v in zip(notes, shapes, strict=True)}
    store.add_vectors(vectors, "model")
    return store


def _hits(store, **values):
    asked = {"model": "model", "project": None, "level": None, "k": 10} | values
    return [hit.address for hit in store.nearest_nodes(_vector(1.0), **asked)]


def test_the_nearest_notes_come_best_first_and_only_valid_ones():
    assert _hits(_searchable()) == ["p/near", "o/other", "p/deep", "p/far"]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"k": 1}, ["p/near"]),
        ({"project": "o"}, ["o/other"]),
        ({"level": "L2"}, ["p/deep"]),
        ({"project": "o", "level": "L2"}, []),
        ({"model": "another"}, []),
        ({"project": "' or true --"}, []),
    ],
)
def test_a_search_can_be_narrowed(asked, found):
    assert _hits(_searchable(), **asked) == found


def test_equal_cosines_are_ordered_by_address():
    notes = [_node(name, project=project) for name in ("b", "a") for project in ("z", "y")]
    store = _kept(*notes)
    store.add_vectors({f"text {n.sha}": _vector(1.0) for n in notes}, "model")
    assert _hits(store) == ["y/a", "y/b", "z/a", "z/b"]


def test_a_cosine_is_rounded_once_to_four_places():
    (best, *_) = _searchable().nearest_nodes(
        _vector(1.0), model="model", project=None, level=None, k=1
    )
    assert best.cosine == round(1 / np.sqrt(1.01), 4)


def test_hostile_text_is_kept_as_text():
    hostile = "'; drop table memory_node; -- $sha {{ 7*7 }} \x1b[31m \u202e"
    node = _node(body=hostile, author=hostile, tags=(hostile,))
    assert _kept(node).node(node.sha) == node


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2026-01-02T03:04:05Z", datetime(2026, 1, 2, 3, 4, 5)),
        ("2026-01-02T03:04:05+02:00", datetime(2026, 1, 2, 1, 4, 5)),
        ("2026-01-02", datetime(2026, 1, 2)),
        ("0001-01-01T00:00:00+14:00", T0),
        ("9999-12-31T23:59:59-14:00", T0),
        ("yesterday", T0),
        ("", T0),
    ],
)
def test_iso_times_become_utc_or_the_other_value(text, moment):
    assert from_iso(text, T0) == moment


def test_times_of_early_years_can_be_read_back():
    early = datetime(7, 1, 1)
    assert to_iso(early) == "0007-01-01T00:00:00Z"
    assert from_iso(to_iso(early), T0) == early
