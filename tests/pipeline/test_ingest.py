from __future__ import annotations

import os
import shutil

import pytest
from helpers.vaults import all_shas, digests, make_settings, now, write_note, write_skill
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from memskill.errors import NotFound, StoreBehind, StoreError
from memskill.models.fakes import HashEncoder
from memskill.pipeline.ingest import ingest
from memskill.pipeline.summary import summary_line
from memskill.sources.identity import node_sha
from memskill.store import migrate, open_store

SECRET = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2


def _run(settings, **options):
    return ingest(settings, encoder=HashEncoder(), **options)


def _at(settings, project, query_id):
    with open_store(settings) as store:
        return store.nodes_at(project, query_id)


def _superseded_by(settings, sha):
    with open_store(settings) as store:
        return store.superseded_by(sha)


def _edges(settings):
    with open_store(settings) as store:
        return store._con.execute("select * from node_edge order by all").fetchall()


def test_the_fixture_vault_goes_in_whole(team):
    report = _run(team)
    assert (report.notes_read, report.notes_new) == (14, 14)
    assert (report.skills_read, report.drafts_read, report.skills_new) == (8, 2, 10)
    assert report.skipped == ()
    assert report.changed


def test_a_second_run_changes_no_byte_and_says_so(team):
    _run(team)
    before = digests(team.vault)
    report = _run(team)
    assert not report.changed
    assert report.notes_unchanged == 14
    assert report.texts_encoded == 0
    assert summary_line(report).startswith("no change:")
    assert digests(team.vault) == before


def test_a_dry_run_reports_the_same_and_writes_nothing(team):
    before = digests(team.vault)
    planned = _run(team, dry_run=True)
    assert digests(team.vault) == before
    assert not team.state_dir.exists()
    real = _run(team)
    for name in ("notes_new", "skills_new", "texts_encoded", "changed", "warnings", "redactions"):
        assert getattr(planned, name) == getattr(real, name)
    assert summary_line(planned).startswith("would ingest:")


def test_a_dry_run_over_a_kept_vault_writes_nothing(settings):
    file = write_note(settings, "p/q", "one")
    _run(settings)
    file.write_text("two\n")
    before = digests(settings.vault)
    assert _run(settings, dry_run=True).notes_changed == 1
    assert digests(settings.vault) == before


def test_no_vault_is_an_error_that_makes_nothing(tmp_path):
    with pytest.raises(NotFound, match="no vault"):
        _run(make_settings(tmp_path / "vault"))
    assert list(tmp_path.iterdir()) == []


def test_an_empty_vault_has_a_database_too(settings):
    report = _run(settings)
    assert not report.changed
    assert all_shas(settings) == []


def test_an_edited_note_supersedes_its_old_node(settings):
    file = write_note(settings, "p/q", "one")
    _run(settings)
    (old,) = _at(settings, "p", "q")
    file.write_text("two\n")
    report = _run(settings)
    (new,) = _at(settings, "p", "q")
    assert (report.notes_changed, report.notes_new) == (1, 0)
    assert new.body == "two"
    assert _superseded_by(settings, old.sha) == new.sha
    assert (new.sha, old.sha, "supersedes") in _edges(settings)


def test_what_a_killed_run_left_beside_the_node_files_goes_with_the_next(settings):
    write_note(settings, "p/q", "Restart `a`.")
    settings.nodes_dir.mkdir(parents=True)
    old, young = (settings.nodes_dir / f".mem-{name}.tmp" for name in ("old", "young"))
    for aside in (old, young):
        aside.write_text("{")
    os.utime(old, (1, 1))
    _run(settings)
    # A young one may belong to a writer that is at work.
    assert (old.exists(), young.exists()) == (False, True)


def test_a_removed_note_closes_its_node_which_still_resolves(settings):
    file = write_note(settings, "p/q", "one")
    _run(settings)
    (old,) = _at(settings, "p", "q")
    file.unlink()
    assert _run(settings).notes_removed == 1
    assert _at(settings, "p", "q") == []
    assert _superseded_by(settings, old.sha) == ""
    with open_store(settings) as store:
        assert store.node(old.sha).body == "one"


def test_a_renamed_note_of_a_fixed_address_stays_one_node(settings):
    file = write_note(settings, "p/q", "one", project="p", query_id="q")
    _run(settings)
    (old,) = _at(settings, "p", "q")
    file.rename(file.with_name("other.md"))
    report = _run(settings)
    assert (report.notes_new, report.notes_removed) == (1, 1)
    assert _at(settings, "p", "q") == [old]
    assert list(now(settings)["sources"]) == ["notes/p/other.md"]


def test_a_reverted_note_opens_its_old_node_again(settings):
    file = write_note(settings, "p/q", "one")
    _run(settings)
    (first,) = _at(settings, "p", "q")
    for body in ("two\n", "one\n"):
        file.write_text(body)
        _run(settings)
    assert _at(settings, "p", "q") == [first]
    assert len(all_shas(settings)) == 2
    with open_store(settings) as store:
        store.require_healthy()


@pytest.mark.parametrize(
    ("key", "value", "kept"),
    [("tags", "b, c", ("b", "c")), ("author", "Bo", "Bo"), ("trust", "imported", "imported")],
)
def test_a_fact_beside_the_content_follows_the_note(settings, key, value, kept):
    write_note(settings, "p/q", "one", tags="a", author="Ada")
    _run(settings)
    (old,) = _at(settings, "p", "q")
    write_note(settings, "p/q", "one", **({"tags": "a", "author": "Ada"} | {key: value}))
    report = _run(settings)
    (node,) = _at(settings, "p", "q")
    assert node.sha == old.sha
    assert getattr(node, key) == kept
    assert (report.notes_changed, report.texts_encoded) == (1, 0)


def test_parents_become_edges_and_leave_with_their_names(settings):
    write_note(settings, "p/a", "one")
    write_note(settings, "p/all", "sum", level="L2", parents="[p/a, p/none]")
    report = _run(settings)
    (child,), (parent,) = _at(settings, "p", "all"), _at(settings, "p", "a")
    assert now(settings)["edges"] == [(child.sha, "synthesis", parent.sha)]
    assert [w.path for w in report.warnings] == ["notes/p/all.md"]
    write_note(settings, "p/all", "sum", level="L2")
    _run(settings)
    assert now(settings)["edges"] == []


def test_an_edge_follows_the_edited_parent(settings):
    write_note(settings, "p/a", "one")
    write_note(settings, "p/all", "sum", level="L2", parents="[p/a]")
    _run(settings)
    write_note(settings, "p/a", "two")
    _run(settings)
    (child,), (parent,) = _at(settings, "p", "all"), _at(settings, "p", "a")
    assert now(settings)["edges"] == [(child.sha, "synthesis", parent.sha)]


def test_a_synthesis_and_a_note_share_one_address(settings):
    write_note(settings, "p/q", "note")
    write_note(settings, "p/q-l2", "sum", level="L2", query_id="q", parents="[p/q]")
    _run(settings)
    above, below = _at(settings, "p", "q")
    assert (above.level, below.level) == ("L2", "L1")
    with open_store(settings) as store:
        assert store.parents(above.sha) == [("p/q", "synthesis", below.sha)]


def test_two_files_of_one_content_are_one_node_with_a_warning(settings):
    write_note(settings, "p/a", "same", query_id="q")
    write_note(settings, "p/b", "same", query_id="q")
    report = _run(settings)
    assert report.notes_read == 1
    assert [w.path for w in report.warnings] == ["notes/p/b.md"]
    (settings.vault / "notes/p/a.md").unlink()
    _run(settings)
    assert len(_at(settings, "p", "q")) == 1
    assert list(now(settings)["sources"]) == ["notes/p/b.md"]


def test_two_contents_at_one_address_are_both_kept(settings):
    write_note(settings, "p/a", "one", query_id="q")
    write_note(settings, "p/b", "two", query_id="q")
    report = _run(settings)
    assert {n.body for n in _at(settings, "p", "q")} == {"one", "two"}
    assert "same address" in report.warnings[0].reason


def test_a_secret_is_gone_before_the_hash_is_made(settings):
    write_note(settings, "p/q", f"login with {SECRET} please", query=f"why {SECRET}")
    report = _run(settings)
    (node,) = _at(settings, "p", "q")
    assert report.redactions == {"github-token": 2}
    assert node.sha == node_sha("L1", "p", "q", node.query, node.body)
    kept = [p for p in settings.state_dir.rglob("*") if p.is_file()]
    assert len(kept) >= 2
    assert [p for p in kept if SECRET.encode() in p.read_bytes()] == []


def test_the_same_note_with_another_secret_is_the_same_node(settings):
    write_note(settings, "p/q", f"token {SECRET} here")
    _run(settings)
    before = all_shas(settings)
    write_note(settings, "p/q", f"token {SECRET[:-4]}zzzz here")
    _run(settings)
    assert all_shas(settings) == before


def test_l1_and_l2_have_node_files_and_l0_has_none(settings):
    write_note(settings, "p/zero", "chunk", level="L0")
    write_note(settings, "p/one", "note")
    write_note(settings, "p/two", "sum", level="L2")
    _run(settings)
    kept = {_at(settings, "p", name)[0].sha for name in ("one", "two")}
    assert {p.stem for p in settings.nodes_dir.iterdir()} == kept


def test_old_node_files_stay_when_a_note_is_edited(settings):
    for body in ("one", "two", "three"):
        write_note(settings, "p/q", body)
        _run(settings)
    assert len(list(settings.nodes_dir.iterdir())) == 3


def test_skills_change_and_go_with_their_files(settings):
    file = write_skill(settings, "roof", "Mend roofs.")
    write_skill(settings, "wall", "Mend walls.", "skills/_drafts")
    assert _run(settings).skills_new == 2
    write_skill(settings, "roof", "Mend roofs and gutters.")
    assert _run(settings).skills_changed == 1
    file.unlink()
    assert _run(settings).skills_removed == 1
    with open_store(settings) as store:
        assert store.skills("promoted") == []
        assert [s.name for s in store.skills("draft")] == ["wall"]
        store.require_healthy()


def test_a_promotion_moves_the_skill_from_draft_to_promoted(settings):
    write_skill(settings, "roof", "Mend roofs.", "skills/_drafts")
    _run(settings)
    shutil.move(settings.drafts_dir / "roof", settings.skills_dir / "roof")
    report = _run(settings)
    assert (report.skills_new, report.skills_removed) == (1, 1)
    with open_store(settings) as store:
        assert [s.name for s in store.skills("promoted")] == ["roof"]
        assert store.skills("draft") == []


def test_another_encoder_encodes_anew_and_keeps_the_old_vectors(settings):
    write_note(settings, "p/q", "one")
    _run(settings)
    report = ingest(settings, encoder=HashEncoder(seed=1))
    # The note whole; its question and its one passage say the same.
    assert (report.texts_encoded, report.notes_new) == (2, 0)
    assert report.changed
    assert not _run(settings).changed


def test_only_texts_without_a_vector_are_encoded(settings):
    class Counting(HashEncoder):
        def encode(self, texts):
            seen.extend(texts)
            return super().encode(texts)

    seen: list[str] = []

    write_note(settings, "p/a", "one", query="first")
    ingest(settings, encoder=Counting())
    write_note(settings, "p/b", "two", query="second")
    ingest(settings, encoder=Counting())
    first, second = ["first\none", "first", "one"], ["second\ntwo", "second", "two"]
    assert sorted(seen[:3]) == sorted(first)
    assert sorted(seen[3:]) == sorted(second)


def test_progress_ends_at_the_number_of_texts(settings):
    for number in range(70):
        write_note(settings, f"p/q{number}", f"body {number}")
    seen = []
    report = _run(settings, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (report.texts_encoded, report.texts_encoded) == (140, 140)
    assert len(seen) > 1


def test_a_failing_encoder_leaves_no_database(settings):
    class Broken(HashEncoder):
        def encode(self, texts):
            raise ZeroDivisionError

    write_note(settings, "p/q", "one")
    with pytest.raises(ZeroDivisionError):
        ingest(settings, encoder=Broken())
    assert not settings.database.exists()
    assert _run(settings).notes_new == 1


def test_a_database_of_an_older_schema_is_brought_up_to_date(settings, monkeypatch):
    write_note(settings, "p/q", "one")
    _run(settings)
    monkeypatch.setattr(migrate, "derived_fingerprint", lambda: "of a newer memskill")
    write_note(settings, "p/q", "two")
    with pytest.raises(StoreBehind):
        _run(settings, dry_run=True)
    assert _run(settings).notes_changed == 1


def test_a_state_folder_that_cannot_be_written_is_a_store_error(settings):
    write_note(settings, "p/q", "one")
    settings.state_dir.mkdir()
    settings.nodes_dir.write_text("in the way")
    with pytest.raises(StoreError, match="nodes"):
        _run(settings)


def test_what_a_note_says_reaches_no_other_place(settings):
    before = set(settings.vault.parent.rglob("*"))
    write_note(settings, "p/q", "x", project="'../../../etc'", query_id="'; drop table skill; --'")
    report = _run(settings)
    assert len(report.skipped) == 1
    new = set(settings.vault.parent.rglob("*")) - before
    assert all(p.is_relative_to(settings.vault) for p in new)


FILES = ("p/a", "p/b", "q/a")
EDITS = st.lists(
    st.tuples(
        st.sampled_from(FILES),
        st.sampled_from(["one", "two", None]),
        st.sampled_from(["", "L2"]),
        st.sampled_from(["", "p/a", "p/b"]),
        st.sampled_from(["", "t"]),
        # An address of its own, or one that two files share.
        st.sampled_from(["", "shared"]),
    ),
    min_size=1,
    max_size=4,
)


@examples(max_examples=8)
@given(EDITS)
def test_edit_after_edit_ends_where_one_ingest_of_the_last_vault_ends(tmp_path_factory, edits):
    folder = tmp_path_factory.mktemp("edits")
    grown, fresh = make_settings(folder / "vault"), make_settings(folder / "fresh")
    (grown.vault / "notes").mkdir(parents=True)
    for path, body, level, parent, tag, query_id in edits:
        if body is None:
            (grown.vault / "notes" / f"{path}.md").unlink(missing_ok=True)
        else:
            front = {"level": level, "parents": parent, "tags": tag, "query_id": query_id}
            write_note(grown, path, body, **{k: v for k, v in front.items() if v})
        _run(grown)
    shutil.copytree(grown.vault / "notes", fresh.vault / "notes")
    _run(fresh)
    assert now(grown) == now(fresh)
    assert set(all_shas(fresh)) <= set(all_shas(grown))
    with open_store(grown) as store:
        store.require_healthy()
