from __future__ import annotations

import shutil

import pytest
from helpers.vaults import all_shas, digests, make_settings, now, write_note, write_skill

from memskill.errors import CheckFailed, NotFound, PathRefused, StoreError
from memskill.models.fakes import HashEncoder
from memskill.pipeline.database import (
    backup_database,
    check_database,
    database_stats,
    migrate_database,
    rebuild_database,
)
from memskill.pipeline.ingest import ingest
from memskill.store import open_store


def _ingest(settings):
    return ingest(settings, encoder=HashEncoder())


def _rebuild(settings):
    return rebuild_database(settings, encoder=HashEncoder())


@pytest.fixture(scope="module")
def grown_once(tmp_path_factory):
    """A vault with history: a note edited twice, one removed, one synthesis, one skill."""
    settings = make_settings(tmp_path_factory.mktemp("grown") / "vault")
    write_note(settings, "p/gone", "was here")
    for body in ("one", "two", "three"):
        write_note(settings, "p/q", body)
        write_note(settings, "p/all", "sum", level="L2", parents="[p/q]")
        _ingest(settings)
    (settings.vault / "notes/p/gone.md").unlink()
    write_skill(settings, "roof", "Mend roofs. Not for walls.")
    _ingest(settings)
    return settings


@pytest.fixture
def grown(grown_once, tmp_path):
    """A copy of it for one test."""
    shutil.copytree(grown_once.vault, tmp_path / "vault")
    return make_settings(tmp_path / "vault")


def _sql(settings, statement):
    with open_store(settings, write=True) as store:
        store._con.execute(statement)


def test_a_healthy_database_says_how_many_nodes_it_checked(grown):
    assert check_database(grown) == 5


def test_a_row_that_breaks_a_check_is_a_reason(grown):
    _sql(grown, "delete from skill")
    with pytest.raises(CheckFailed) as caught:
        check_database(grown)
    assert any("skill_parts_have_skill" in reason for reason in caught.value.reasons)


def test_a_node_whose_text_was_changed_is_a_reason(grown):
    _sql(grown, "update memory_node set body = 'forged' where body = 'two'")
    with pytest.raises(CheckFailed) as caught:
        check_database(grown)
    assert len(caught.value.reasons) == 1
    assert "gives another sha" in caught.value.reasons[0]


def test_a_node_file_that_is_gone_is_a_reason_and_a_rebuild_writes_it_again(grown):
    before = digests(grown.nodes_dir)
    for file in grown.nodes_dir.iterdir():
        file.unlink()
    with pytest.raises(CheckFailed) as caught:
        check_database(grown)
    assert len(caught.value.reasons) == 5
    assert "mem db rebuild" in caught.value.hint
    _rebuild(grown)
    assert set(digests(grown.nodes_dir)) == set(before)
    assert check_database(grown) == 5


def test_stats_count_files_rows_and_valid_nodes(grown):
    stats = database_stats(grown)
    assert stats["bytes"] == grown.database.stat().st_size
    assert stats["valid_nodes"] == {"L1": 1, "L2": 1}
    assert stats["tables"]["memory_node"] == 5


def test_migrating_makes_a_database_where_there_is_none(settings):
    migrate_database(settings)
    assert check_database(settings) == 0


@pytest.mark.parametrize("verb", [check_database, database_stats, backup_database])
def test_without_a_database_it_says_how_to_make_one(settings, verb):
    with pytest.raises(NotFound) as caught:
        verb(settings)
    assert "mem ingest" in caught.value.hint


@pytest.mark.parametrize("verb", [migrate_database, rebuild_database, backup_database])
def test_no_vault_is_not_made_by_looking_after_it(tmp_path, verb):
    with pytest.raises(NotFound):
        verb(make_settings(tmp_path / "typo"))
    assert list(tmp_path.iterdir()) == []


def test_a_backup_opens_and_holds_the_same(grown, tmp_path):
    kept = now(grown)
    copy = backup_database(grown, tmp_path / "deep" / "copy.duckdb")
    grown.database.unlink()
    copy.replace(grown.database)
    assert now(grown) == kept
    assert [p.name for p in (tmp_path / "deep").iterdir()] == []


def test_a_backup_without_a_name_is_dated_and_never_the_same_twice(grown):
    first, second = backup_database(grown), backup_database(grown)
    assert first != second
    assert first.parent == second.parent == grown.state_dir / "backup"


def test_a_backup_overwrites_nothing(grown, tmp_path):
    target = tmp_path / "precious"
    target.write_text("keep me")
    with pytest.raises(PathRefused):
        backup_database(grown, target)
    assert target.read_text() == "keep me"


def test_a_backup_that_cannot_be_written_is_a_store_error(grown, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreError, match="cannot be written"):
        backup_database(grown, tmp_path / "file" / "copy.duckdb")


def test_a_rebuild_gives_the_same_shas_and_the_same_present(grown):
    shas, present = all_shas(grown), now(grown)
    report, old, unreadable = _rebuild(grown)
    assert all_shas(grown) == shas
    assert now(grown) == present
    assert report.notes_new == 2
    assert old.is_file()
    assert unreadable == []
    assert check_database(grown) == 5


def test_superseded_nodes_still_resolve_after_a_rebuild(grown):
    with open_store(grown) as store:
        bodies = {node.sha: node.body for node in store.all_nodes()}
        (present,) = store.nodes_at("p", "q")
    _rebuild(grown)
    with open_store(grown) as store:
        for sha, body in bodies.items():
            assert store.node(sha).body == body
        heirs = {body: store.superseded_by(sha) for sha, body in bodies.items()}
    assert heirs == {
        "one": present.sha,
        "two": present.sha,
        "three": None,
        "sum": None,
        "was here": "",
    }


def test_two_rebuilds_are_as_good_as_one(grown):
    _rebuild(grown)
    first = now(grown), all_shas(grown)
    _rebuild(grown)
    assert (now(grown), all_shas(grown)) == first


def test_a_rebuild_from_the_vault_and_node_files_alone(grown):
    shas = all_shas(grown)
    grown.database.unlink()
    _, old, _ = _rebuild(grown)
    assert old is None
    assert all_shas(grown) == shas


@pytest.mark.parametrize("damage", [b"", b"no database", None])
def test_a_rebuild_mends_a_damaged_database(grown, damage):
    shas = all_shas(grown)
    data = grown.database.read_bytes()
    grown.database.write_bytes(b"\xff" * 4096 + data[4096:] if damage is None else damage)
    _, old, _ = _rebuild(grown)
    assert old.is_file()
    assert all_shas(grown) == shas


def test_a_rebuild_mends_an_edited_ledger(grown):
    shas = all_shas(grown)
    _sql(grown, "update ledger set sha = 'edited' where number = 2")
    _rebuild(grown)
    assert all_shas(grown) == shas


def test_a_rebuild_that_fails_puts_the_old_database_back(grown):
    class Broken(HashEncoder):
        def encode(self, texts):
            raise ZeroDivisionError

    before = grown.database.read_bytes()
    with pytest.raises(ZeroDivisionError):
        rebuild_database(grown, encoder=Broken())
    assert grown.database.read_bytes() == before


def test_node_files_that_cannot_be_read_are_reported_and_stop_nothing(grown):
    for name, text in (("junk", "{"), ("a" * 64, "{}"), ("list", "[]")):
        (grown.nodes_dir / f"{name}.json").write_text(text)
    (grown.nodes_dir / "folder.json").mkdir()
    forged = next(grown.nodes_dir.glob("*[0-9].json"))
    (grown.nodes_dir / f"{'b' * 64}.json").write_bytes(forged.read_bytes())
    _, _, unreadable = _rebuild(grown)
    assert len(unreadable) == 5
    assert len(all_shas(grown)) == 5
