"""The catalogue in force: sees what people do to the vault, and rebuilds no more than it must."""

from __future__ import annotations

import shutil
import threading
import time

import duckdb
import pytest
from helpers.vaults import write_skill

from memskill.errors import ModelError
from memskill.match import catalogue as module
from memskill.match.catalogue import Catalogue
from memskill.match.policy import shipped_hybrid
from memskill.models.fakes import HashEncoder
from memskill.store import open_store


class CountingEncoder(HashEncoder):
    """Notes every text that it is asked to encode."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def encode(self, texts):
        self.texts += texts
        return super().encode(texts)


@pytest.fixture
def encoder():
    return CountingEncoder()


@pytest.fixture
def catalogue(settings, encoder):
    return Catalogue(settings, encoder, shipped_hybrid())


def said(catalogue) -> dict[str, str]:
    return {s.name: s.description for s in catalogue.current().skills.values()}


def wait_for(true) -> None:
    deadline = time.monotonic() + 20
    while not true():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_a_vault_without_skills_is_an_empty_catalogue(catalogue):
    assert said(catalogue) == {}


def test_a_promotion_shows_at_once(settings, catalogue):
    write_skill(settings, "paint", "Paints fences.", folder="skills/_drafts")
    assert said(catalogue) == {}
    shutil.move(settings.drafts_dir / "paint", settings.skills_dir / "paint")
    assert said(catalogue) == {"paint": "Paints fences."}


def test_a_rename_and_a_removal_show_at_once(settings, catalogue):
    write_skill(settings, "mow", "Mows the lawn.")
    write_skill(settings, "cut", "Cuts hedges.")
    assert said(catalogue) == {"cut": "Cuts hedges.", "mow": "Mows the lawn."}
    (settings.skills_dir / "mow").rename(settings.skills_dir / "mow-lawn")
    assert said(catalogue) == {"cut": "Cuts hedges.", "mow-lawn": "Mows the lawn."}
    shutil.rmtree(settings.skills_dir / "cut")
    assert said(catalogue) == {"mow-lawn": "Mows the lawn."}
    (settings.skills_dir / "mow-lawn").rename(settings.drafts_dir.parent / "_old")
    assert said(catalogue) == {}


def test_a_folder_that_gets_its_file_later_shows_at_once(settings, catalogue):
    (settings.skills_dir / "paint").mkdir(parents=True)
    assert said(catalogue) == {}
    time.sleep(0.1)  # the folder's own time stamp has settled by now
    assert said(catalogue) == {}
    write_skill(settings, "paint", "Paints fences.")
    assert said(catalogue) == {"paint": "Paints fences."}


def test_many_promotions_in_one_clock_tick_are_all_seen(settings, catalogue):
    said(catalogue)
    for number in range(12):
        write_skill(settings, f"skill-{number:02}", f"Does thing {number}.")
        assert len(said(catalogue)) == number + 1


def test_an_edit_shows_within_a_second_to_who_watches(settings, catalogue):
    write_skill(settings, "mow", "Mows the lawn.")
    said(catalogue)
    with catalogue.watch():
        started = time.monotonic()
        write_skill(settings, "mow", "Mows the yard.")
        wait_for(lambda: said(catalogue) == {"mow": "Mows the yard."})
        assert time.monotonic() - started < 10  # a loaded machine; half a second on an idle one


def test_an_edit_shows_after_the_interval_where_nobody_watches(settings, catalogue):
    write_skill(settings, "mow", "Mows the lawn.")
    said(catalogue)
    write_skill(settings, "mow", "Mows the yard.")
    time.sleep(settings.rescan_seconds)
    assert said(catalogue) == {"mow": "Mows the yard."}


def test_only_what_changed_is_encoded(settings, catalogue, encoder):
    write_skill(settings, "mow", "Mows the lawn.")
    write_skill(settings, "cut", "Cuts hedges.")
    catalogue.refresh()
    encoder.texts.clear()
    write_skill(settings, "cut", "Cuts trees.")
    (settings.skills_dir / "mow").rename(settings.skills_dir / "mow-lawn")
    catalogue.refresh()
    assert set(encoder.texts) == {"Cuts trees."}


def test_a_changed_body_leaves_vectors_and_snapshot_as_they_are(settings, catalogue, encoder):
    file = write_skill(settings, "mow", "Mows the lawn.")
    before = catalogue.refresh()
    encoder.texts.clear()
    file.write_text(file.read_text() + "Kubernetes pods and other things.\n")
    after = catalogue.refresh()
    assert encoder.texts == []
    assert (after.generation, after.store, after.fingerprint) == (
        before.generation, before.store, before.fingerprint,
    )  # fmt: skip
    shas = [s.skills["skills/mow/SKILL.md"].content_sha for s in (before, after)]
    assert shas[0] != shas[1]


def test_nothing_changed_is_the_same_snapshot(settings, catalogue):
    write_skill(settings, "mow", "Mows the lawn.")
    assert catalogue.current() is catalogue.refresh() is catalogue.current()


def test_vectors_are_kept_in_the_database_and_found_there(settings, encoder):
    write_skill(settings, "mow", "Mows the lawn.")
    with open_store(settings, write=True):
        pass
    Catalogue(settings, encoder, shipped_hybrid()).current()
    assert encoder.texts
    other = CountingEncoder()
    Catalogue(settings, other, shipped_hybrid()).current()
    assert other.texts == []


def test_vectors_of_a_database_that_an_older_memskill_made_are_found(settings, encoder):
    write_skill(settings, "mow", "Mows the lawn.")
    with open_store(settings, write=True):
        pass
    Catalogue(settings, encoder, shipped_hybrid()).current()
    with duckdb.connect(str(settings.database)) as con:
        con.execute("update meta set value = 'another' where key = 'derived_fingerprint'")
    other = CountingEncoder()
    Catalogue(settings, other, shipped_hybrid()).current()
    assert other.texts == []


def test_a_damaged_or_busy_database_stops_nothing(settings, encoder):
    write_skill(settings, "mow", "Mows the lawn.")
    settings.state_dir.mkdir()
    settings.database.write_bytes(b"this is no database at all")
    assert said(Catalogue(settings, encoder, shipped_hybrid())) == {"mow": "Mows the lawn."}


def test_an_encoder_that_fails_leaves_the_last_catalogue_to_the_watcher(
    settings, catalogue, encoder, monkeypatch
):
    write_skill(settings, "mow", "Mows the lawn.")
    said(catalogue)

    def fail(texts):
        raise ModelError("gone")

    with monkeypatch.context() as patched:
        patched.setattr(encoder, "encode", fail)
        write_skill(settings, "cut", "Cuts hedges.")
        with pytest.raises(ModelError), catalogue.watch():
            said(catalogue)
    assert said(catalogue) == {"cut": "Cuts hedges.", "mow": "Mows the lawn."}


def test_requests_see_whole_generations_while_the_vault_changes(settings, catalogue):
    """One skill is renamed to and fro; a snapshot fits together and holds one of the names."""
    seen: set[frozenset[str]] = set()
    stop = threading.Event()
    write_skill(settings, "a", "Does number 0.")
    said(catalogue)

    def look() -> None:
        while not stop.is_set():
            snapshot = catalogue.current()
            names = {skill.name for skill in snapshot.skills.values()}
            assert names == snapshot.names
            assert set(snapshot.positive) == set(snapshot.skills) == set(snapshot.clauses)
            seen.add(frozenset(names))

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    with catalogue.watch():
        for number in range(1, 30):
            old, new = ("a", "b") if number % 2 else ("b", "a")
            (settings.skills_dir / old).rename(settings.skills_dir / new)
    stop.set()
    for thread in threads:
        thread.join()
    assert seen <= {frozenset({"a"}), frozenset({"b"}), frozenset()}


def test_a_rebuild_that_nobody_waits_for_leaves_the_old_snapshot_usable(settings, catalogue):
    write_skill(settings, "mow", "Mows the lawn.")
    old = catalogue.current()
    write_skill(settings, "cut", "Cuts hedges.")
    new = catalogue.current()
    assert new.generation == old.generation + 1
    for snapshot in (old, new):
        with snapshot.reading() as store:
            assert len(store.skills("promoted")) == len(snapshot.skills)
    assert [len(s.skills) for s in (old, new)] == [1, 2]


def test_the_write_back_waits_less_than_a_request_may(settings, encoder, monkeypatch):
    monkeypatch.setattr(module, "_WRITE_BACK_WAIT_SECONDS", 0.1)
    write_skill(settings, "mow", "Mows the lawn.")
    with open_store(settings, write=True):
        pass
    release = threading.Event()
    held = threading.Event()

    def hold() -> None:
        with open_store(settings, write=True):
            held.set()
            release.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait(30)
    found = said(Catalogue(settings, encoder, shipped_hybrid()))
    release.set()
    thread.join()
    assert found == {"mow": "Mows the lawn."}
