from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.pipeline.plan import parent_edges, plan_notes, plan_skills
from memskill.records import Node
from memskill.sources.notes import FoundNote


def _found(path, sha, file_sha="f", **values):
    values = {"level": "L1", "project": "p", "query_id": "q", "query": "what", "body": "b"} | values
    node = Node(sha=sha, **values)
    return FoundNote(path=path, node=node, file_sha=file_sha, size=1, first_line=1, last_line=1)


def _paths(notes):
    return [note.path for note in notes]


def test_an_empty_vault_and_database_change_nothing():
    assert plan_notes({}, set(), []).empty


def test_a_new_file_opens_its_node():
    plan = plan_notes({}, set(), [_found("a", "A")])
    assert (_paths(plan.new), plan.opened, dict(plan.closed)) == (["a"], ("A",), {})


def test_an_unchanged_file_changes_nothing():
    plan = plan_notes({"a": ("A", "f")}, {"A"}, [_found("a", "A")])
    assert plan.empty
    assert plan.unchanged == 1


def test_an_edited_file_closes_the_old_node_for_the_new_one():
    plan = plan_notes({"a": ("A", "f")}, {"A"}, [_found("a", "B", "g")])
    assert (_paths(plan.changed), plan.opened) == (["a"], ("B",))
    assert (dict(plan.closed), plan.retired) == ({"A": "B"}, (("a", "A"),))


def test_other_bytes_of_the_same_node_touch_its_file_only():
    plan = plan_notes({"a": ("A", "f")}, {"A"}, [_found("a", "A", "g")])
    assert (_paths(plan.touched), plan.opened, dict(plan.closed)) == (["a"], (), {})
    assert not plan.empty


def test_a_removed_file_closes_its_node_without_an_heir():
    plan = plan_notes({"a": ("A", "f")}, {"A"}, [])
    assert (dict(plan.removed), dict(plan.closed)) == ({"a": "A"}, {"A": None})


def test_a_renamed_file_keeps_its_node_open():
    plan = plan_notes({"a": ("A", "f")}, {"A"}, [_found("b", "A")])
    assert (_paths(plan.new), dict(plan.removed)) == (["b"], {"a": "A"})
    assert (plan.opened, dict(plan.closed)) == ((), {})


def test_a_reverted_file_opens_its_old_node_again():
    plan = plan_notes({"a": ("B", "g")}, {"B"}, [_found("a", "A")])
    assert (plan.opened, dict(plan.closed)) == (("A",), {"B": "A"})


def test_two_files_that_swap_their_content_close_nothing():
    kept = {"a": ("A", "f"), "b": ("B", "g")}
    plan = plan_notes(kept, {"A", "B"}, [_found("a", "B", "g"), _found("b", "A", "f")])
    assert _paths(plan.changed) == ["a", "b"]
    assert (plan.opened, dict(plan.closed)) == ((), {})


def test_an_edit_at_one_path_beats_a_removal_of_the_same_content():
    kept = {"a": ("A", "f"), "z": ("A", "f")}
    plan = plan_notes(kept, {"A"}, [_found("a", "B", "g")])
    assert dict(plan.closed) == {"A": "B"}


def test_a_node_that_should_hold_and_does_not_is_opened():
    plan = plan_notes({"a": ("A", "f")}, set(), [_found("a", "A")])
    assert (plan.opened, plan.empty) == (("A",), False)


VAULT = st.dictionaries(
    st.sampled_from("abcd"), st.tuples(st.sampled_from("ABC"), st.sampled_from("fg")), max_size=4
)


@given(st.lists(VAULT, min_size=1, max_size=6))
def test_plans_keep_the_database_equal_to_the_vault(states):
    """Applying plan after plan leaves what the last state of the vault says, and nothing else."""
    kept: dict[str, tuple[str, str]] = {}
    valid: set[str] = set()
    for vault in states:
        found = [_found(path, sha, file_sha) for path, (sha, file_sha) in sorted(vault.items())]
        plan = plan_notes(kept, valid, found)
        assert plan.empty == (kept == vault)
        assert set(plan.opened).isdisjoint(plan.closed)
        assert set(plan.closed) <= valid
        assert all(
            heir is None or heir in valid | set(plan.opened) for heir in plan.closed.values()
        )
        for path, sha in plan.retired:
            assert kept.pop(path)[0] == sha
        for note in (*plan.new, *plan.changed, *plan.touched):
            kept[note.path] = (note.node.sha, note.file_sha)
        valid = valid - set(plan.closed) | set(plan.opened)
        assert kept == vault
        assert valid == {sha for sha, _ in vault.values()}


@given(st.dictionaries(st.text(), st.text()), st.dictionaries(st.text(), st.text()))
def test_skill_plans_turn_what_is_kept_into_what_is_found(kept, found):
    plan = plan_skills(kept, found)
    after = {path: sha for path, sha in kept.items() if path not in plan.removed}
    after |= {path: found[path] for path in (*plan.new, *plan.changed)}
    assert after == found
    assert plan.empty == (kept == found)
    assert plan.unchanged == sum(kept.get(path) == sha for path, sha in found.items())
    for paths in (plan.new, plan.changed, plan.removed):
        assert list(paths) == sorted(paths)


def _note(sha, address, level="L1", parents=()):
    project, query_id = address.split("/")
    return _found(
        f"notes/{sha}.md", sha, project=project, query_id=query_id, level=level, parents=parents
    )


def test_a_synthesis_rests_on_the_notes_that_it_names():
    notes = [_note("A", "p/a"), _note("B", "p/b"), _note("C", "p/c", "L2", ("p/b", "p/a"))]
    edges, dangling = parent_edges(notes)
    assert edges == [("C", "B", "synthesis"), ("C", "A", "synthesis")]
    assert dangling == []


def test_a_synthesis_at_the_address_of_a_note_rests_on_that_note():
    edges, _ = parent_edges([_note("A", "p/a"), _note("B", "p/a", "L2", ("p/a",))])
    assert edges == [("B", "A", "synthesis")]


def test_the_highest_level_below_is_taken():
    notes = [_note("A", "p/a", "L0"), _note("B", "p/a"), _note("C", "p/c", "L2", ("p/a",))]
    assert parent_edges(notes)[0] == [("C", "B", "synthesis")]


def test_a_note_rests_on_evidence():
    edges, _ = parent_edges([_note("A", "p/a", "L0"), _note("B", "p/b", "L1", ("p/a",))])
    assert edges == [("B", "A", "evidence")]


@pytest.mark.parametrize("parent", ["p/none", "p/b", "p/a"])
def test_a_parent_that_leads_nowhere_is_told(parent):
    notes = [_note("A", "p/a"), _note("B", "p/b", "L1", (parent,))]
    edges, (dangling,) = parent_edges(notes)
    assert edges == []
    assert dangling.path == "notes/B.md"
    assert parent in dangling.reason
