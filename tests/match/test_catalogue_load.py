"""The catalogue under many requests: one works, nobody waits for more than it must."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest
from helpers.vaults import write_skill

from memskill.match import catalogue as module
from memskill.match.catalogue import Catalogue
from memskill.match.policy import shipped_hybrid
from memskill.models.fakes import HashEncoder
from memskill.store import open_store


class SlowEncoder(HashEncoder):
    """Notes every text that it is asked to encode, and waits where it is held up."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.let = threading.Event()
        self.busy = threading.Event()
        self.let.set()

    def encode(self, texts):
        self.texts += texts
        self.busy.set()
        assert self.let.wait(60)
        return super().encode(texts)


@pytest.fixture
def encoder():
    return SlowEncoder()


@pytest.fixture
def catalogue(settings, encoder):
    return Catalogue(settings, encoder, shipped_hybrid())


def said(catalogue) -> dict[str, str]:
    return {s.name: s.description for s in catalogue.current().skills.values()}


@pytest.fixture
def one_skill(settings, encoder, catalogue):
    """The catalogue once it has taken in a skill."""
    write_skill(settings, "mow", "Mows the lawn.")
    time.sleep(0.1)  # the folder's own time stamp has settled: no need to look again at once
    catalogue.current()
    encoder.busy.clear()
    return catalogue


def test_while_one_request_takes_an_edit_in_the_others_get_the_last_snapshot(
    settings, encoder, one_skill
):
    encoder.let.clear()
    write_skill(settings, "mow", "Mows the yard.")
    time.sleep(settings.rescan_seconds)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(said, one_skill)
        assert encoder.busy.wait(60)
        assert said(one_skill) == {"mow": "Mows the lawn."}
        encoder.let.set()
        assert first.result(60) == {"mow": "Mows the yard."}
    assert said(one_skill) == {"mow": "Mows the yard."}


def test_many_requests_after_a_promotion_read_the_vault_for_all(
    settings, encoder, one_skill, monkeypatch
):
    reads: list[int] = []
    read = one_skill._reader.read

    def counting():
        reads.append(1)
        return read()

    monkeypatch.setattr(one_skill._reader, "read", counting)
    encoder.let.clear()
    write_skill(settings, "cut", "Cuts hedges.")
    with ThreadPoolExecutor(16) as pool:
        asked = [pool.submit(said, one_skill) for _ in range(16)]
        assert encoder.busy.wait(60)
        time.sleep(0.2)
        encoder.let.set()
        both = {"cut": "Cuts hedges.", "mow": "Mows the lawn."}
        assert [one.result(60) for one in asked] == [both] * 16
    # One that builds; one for those who came meanwhile and cannot know what it saw.
    assert len(reads) <= 3


def test_a_folder_that_just_changed_is_not_read_anew_for_every_request(
    settings, encoder, monkeypatch
):
    catalogue = Catalogue(replace(settings, rescan_seconds=60), encoder, shipped_hybrid())
    write_skill(settings, "mow", "Mows the lawn.")
    reads: list[int] = []
    read = catalogue._reader.read

    def counting():
        reads.append(1)
        return read()

    monkeypatch.setattr(catalogue._reader, "read", counting)
    snapshots = {id(catalogue.current()) for _ in range(20)}
    time.sleep(0.1)
    snapshots |= {id(catalogue.current()) for _ in range(20)}
    assert (len(snapshots), len(reads)) == (1, 1)


def test_a_request_neither_reads_nor_writes_the_database_for_a_promotion(
    settings, catalogue, encoder, monkeypatch
):
    with open_store(settings, write=True):
        pass
    write_skill(settings, "mow", "Mows the lawn.")
    said(catalogue)
    opened: list[str] = []

    def noting(settings, **options):
        opened.append(threading.current_thread().name)
        return open_store(settings, **options)

    monkeypatch.setattr(module, "open_store", noting)
    monkeypatch.setattr(module, "_WRITE_BACK_SECONDS", 0.0)
    with catalogue.watch():
        write_skill(settings, "cut", "Cuts hedges.")
        assert len(said(catalogue)) == 2
        deadline = time.monotonic() + 60
        while not opened and time.monotonic() < deadline:
            time.sleep(0.02)
        assert set(opened) == {"mem-watch"}
    other = SlowEncoder()
    assert len(said(Catalogue(settings, other, shipped_hybrid()))) == 2
    assert other.texts == []


def test_what_was_encoded_last_is_kept_when_the_watch_ends(settings, catalogue):
    with open_store(settings, write=True):
        pass
    with catalogue.watch():
        write_skill(settings, "mow", "Mows the lawn.")
        said(catalogue)
    other = SlowEncoder()
    Catalogue(settings, other, shipped_hybrid()).current()
    assert other.texts == []


def test_after_many_edits_the_database_is_made_anew_and_says_the_same(
    settings, catalogue, encoder, monkeypatch
):
    monkeypatch.setattr(module, "_MANY_REPLACED", 3)
    write_skill(settings, "cut", "Cuts hedges.")
    stores = set()
    for number in range(10):
        write_skill(settings, "mow", f"Mows lawn number {number}.")
        snapshot = catalogue.refresh()
        stores.add(id(snapshot.store))
        assert snapshot.skills["skills/mow/SKILL.md"].description == f"Mows lawn number {number}."
        with snapshot.reading() as store:
            assert {skill.name for skill in store.skills("promoted")} == {"cut", "mow"}
    assert 2 <= len(stores) < 10
    assert encoder.texts.count("Cuts hedges.") == 1
