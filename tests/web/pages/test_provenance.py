"""Where a skill came from, and whether that still holds."""

from __future__ import annotations

import pytest
from helpers.pages import Page, put
from helpers.vaults import write_note

from memskill.pipeline.ingest import ingest
from memskill.store import open_store
from memskill.web.pages.provenance import MAX_NODES, provenance


@pytest.fixture
def sha_of(vault, encoder):
    """Ingest and return the sha of the node at an address."""

    def find(address):
        ingest(vault, encoder=encoder)
        with open_store(vault) as store:
            return store.nodes_at(*address.split("/"))[0].sha

    return find


def _skill_from(settings, sha):
    put(
        settings,
        "skills/made/SKILL.md",
        f"---\nname: made\ndescription: Frobs.\ngenerated_from: sha256:{sha}\n---\nBody.\n",
    )


def test_a_skill_written_by_hand_names_no_note(client):
    assert "Written by hand" in client.get("/skills/rollback-release").text


def test_the_chain_leads_from_skill_to_note_to_parents_and_files(client, vault, sha_of):
    write_note(vault, "p/low", "Evidence one.", query="what broke")
    write_note(vault, "p/high", "Synthesis.", level="L2", query="why", parents="p/low")
    _skill_from(vault, sha_of("p/high"))
    text = Page(client.get("/skills/made").text).text
    places = [text.index(part) for part in ("p/high", "notes/p/high.md", "p/low", "notes/p/low.md")]
    assert places == sorted(places)


def test_a_newer_note_makes_a_skill_stale(client, vault, sha_of):
    write_note(vault, "p/q", "First.")
    _skill_from(vault, sha_of("p/q"))
    assert "Stale" not in client.get("/skills/made").text
    write_note(vault, "p/q", "Second.")
    sha_of("p/q")
    page = client.get("/skills/made").text
    assert "Stale" in page
    assert "mem skill draft --from p/q" in page


def test_a_removed_note_makes_a_skill_stale(client, vault, sha_of):
    note = write_note(vault, "p/q", "First.")
    write_note(vault, "p/other", "Other.")
    _skill_from(vault, sha_of("p/q"))
    note.unlink()
    sha_of("p/other")
    assert "was removed" in client.get("/skills/made").text


def test_a_note_that_nobody_knows_is_told(client, vault, sha_of):
    sha_of("infra/q31")
    _skill_from(vault, "a" * 64)
    assert "Unresolved" in client.get("/skills/made").text


def test_without_a_database_the_page_says_that_it_does_not_know(client, vault):
    _skill_from(vault, "a" * 64)
    reply = client.get("/skills/made")
    assert reply.status_code == 200
    assert "is not known" in reply.text
    assert "Unresolved" not in reply.text


def test_a_damaged_database_hides_only_the_chain(client, vault):
    vault.database.parent.mkdir(exist_ok=True)
    vault.database.write_bytes(b"not a database" * 1000)
    _skill_from(vault, "a" * 64)
    assert client.get("/skills/made").status_code == 200


def test_a_circle_of_edges_ends_all_the_same(vault, sha_of):
    write_note(vault, "p/a", "A.")
    write_note(vault, "p/b", "B.")
    first, second = sha_of("p/a"), sha_of("p/b")
    with open_store(vault, write=True) as store, store.transaction():
        store.add_edges([(first, second, "evidence"), (second, first, "evidence")])
    chain = provenance(vault, first)
    assert [step.node.address for step in chain.steps] == ["p/a", "p/b"]


def test_a_wide_chain_is_cut_and_says_so(vault, sha_of):
    names = [f"p/n{number}" for number in range(MAX_NODES + 5)]
    for name in names:
        write_note(vault, name, f"Evidence {name}.")
    write_note(vault, "p/top", "Top.", level="L2", parents=", ".join(names))
    chain = provenance(vault, sha_of("p/top"))
    assert len(chain.steps) == MAX_NODES
    assert chain.cut
