"""The catalogue: searched by words, filtered by project, in pages."""

from __future__ import annotations

import pytest
from helpers.pages import Page
from helpers.vaults import write_skill

from memskill.web.pages.catalogue import PAGE_SIZE


def _names(client, url):
    links = (a["href"] for a in Page(client.get(url).text).all("a"))
    return [link.removeprefix("/skills/") for link in links if link.startswith("/skills/")]


def test_every_promoted_skill_is_listed_by_name(client):
    names = _names(client, "/")
    assert len(names) == 8
    assert names == sorted(names)


@pytest.mark.parametrize("query", ["terraform", "TERRAFORM", "state terraf", "repair-terra"])
def test_every_word_must_be_found(client, query):
    assert _names(client, f"/?q={query}") == ["repair-terraform-state"]


def test_a_word_that_no_skill_holds_leads_to_the_match_page(client):
    page = Page(client.get("/?q=zeppelin").text)
    assert "0 of 8" in page.text
    assert page.has("a", href="/match")


def test_a_project_sees_its_own_skills_and_those_of_all(client):
    assert "postgres-migration-locks" in _names(client, "/?project=payments")
    assert "postgres-migration-locks" not in _names(client, "/?project=infra")
    assert "repair-terraform-state" in _names(client, "/?project=infra")


def test_the_search_stays_in_its_fields(client):
    page = Page(client.get("/?q=pods&project=infra").text)
    assert page.has("input", name="q", value="pods")
    assert page.has("option", value="infra", selected="")


def test_a_promotion_shows_at_once(client, vault):
    client.get("/")
    write_skill(vault, "new-one", "Frobs.")
    assert "new-one" in _names(client, "/")


def test_a_long_list_comes_in_pages_that_keep_the_search(client, vault):
    for number in range(PAGE_SIZE + 1):
        write_skill(vault, f"frob-{number:03}", f"Frobs {number}.")
    assert len(_names(client, "/?q=frob")) == PAGE_SIZE
    assert _names(client, "/?q=frob&page=2") == [f"frob-{PAGE_SIZE:03}"]
    assert _names(client, "/?q=frob&page=9") == [f"frob-{PAGE_SIZE:03}"]
    assert Page(client.get("/?q=frob").text).has("a", href="/?q=frob&page=2")


def test_a_file_that_cannot_be_used_is_told(client, vault):
    file = vault.skills_dir / "bad" / "SKILL.md"
    file.parent.mkdir()
    file.write_text("nothing")
    assert "skills/bad/SKILL.md" in Page(client.get("/").text).text


def test_an_empty_vault_says_what_comes_next(settings):
    from helpers.serving import fake_client

    assert "No skill is promoted yet" in fake_client(settings).get("/").text
