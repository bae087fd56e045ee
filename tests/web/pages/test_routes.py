"""Every page answers, with the same strict headers, and none of them writes."""

from __future__ import annotations

import re

import pytest
from helpers.pages import Page, dangers
from helpers.vaults import digests

PAGES = [
    "/",
    "/?q=terraform&project=infra",
    "/skills/debug-kubernetes-pods",
    "/match",
    "/match?task=the+pod+keeps+restarting",
    "/match?task=the+pod+keeps+restarting&project=infra&floor=0.9",
    "/drafts",
    "/drafts/docs-site-007",
    "/floor",
]


@pytest.fixture
def client(shared_client):
    return shared_client


@pytest.fixture
def vault(shared_vault):
    return shared_vault


@pytest.mark.parametrize("url", PAGES)
def test_a_page_is_html_that_can_do_nothing(client, url):
    reply = client.get(url)
    assert reply.status_code == 200
    assert reply.headers["Content-Type"] == "text/html; charset=utf-8"
    assert dangers(reply.text) == []
    assert Page(reply.text).has("html", lang="en")


@pytest.mark.parametrize("url", PAGES)
def test_the_policy_allows_no_inline_script_or_style(client, url):
    policy = client.get(url).headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert not re.search(r"https?:", policy)


@pytest.mark.parametrize("url", PAGES)
def test_every_page_has_one_heading_of_level_one_and_marks_where_it_is(client, url):
    page = Page(client.get(url).text)
    assert len(page.all("h1")) == 1
    assert page.has("a", **{"aria-current": "page"})


@pytest.mark.parametrize("url", PAGES)
def test_every_link_inside_leads_somewhere(client, url):
    page = Page(client.get(url).text)
    inner = {a["href"].partition("#")[0] for a in page.all("a") if a["href"].startswith("/")}
    assert {link: client.get(link).status_code for link in inner} == dict.fromkeys(inner, 200)


@pytest.mark.parametrize("url", ["/", "/match", "/drafts", "/floor", "/skills/rollback-release"])
def test_nothing_can_be_posted_to_a_page(client, url):
    reply = client.post(url, data={"task": "x"})
    assert reply.status_code == 405
    assert "HEAD" in reply.headers["Allow"]


def test_looking_at_every_page_changes_no_file(client, vault):
    client.get("/")
    before = digests(vault.vault)
    for url in PAGES:
        client.get(url)
    assert digests(vault.vault) == before


def test_an_unchanged_page_is_answered_by_its_tag(client):
    tag = client.get("/drafts").headers["ETag"]
    assert client.get("/drafts", headers={"If-None-Match": tag}).status_code == 304


def test_what_somebody_typed_is_kept_by_no_cache(client):
    assert client.get("/match?task=private").headers["Cache-Control"] == "no-store"


@pytest.mark.parametrize("url", ["/?color=red", "/?q=a&q=b", "/floor?x=1", "/?page=0", "/?page=x"])
def test_a_parameter_that_means_nothing_is_refused(client, url):
    assert client.get(url).status_code == 400


@pytest.mark.parametrize("floor", ["2", "-0.1", "nan", "1e5", "inf", ".", "0x1", "1e-"])
def test_a_floor_to_try_is_a_share(client, floor):
    reply = client.get("/match", query_string={"task": "a pod", "floor": floor})
    assert reply.status_code == 400


def test_an_empty_field_of_a_form_counts_as_not_there(client):
    assert client.get("/?q=&project=&page=").status_code == 200
    assert "Answer" not in client.get("/match?task=+&project=").text


def test_a_task_that_is_too_long_is_refused_by_name(client, vault):
    reply = client.get("/match", query_string={"task": "a " * vault.max_task_chars})
    assert reply.status_code == 400
    assert "characters" in reply.text


def test_a_foreign_host_gets_no_page(client):
    assert client.get("/", headers={"Host": "evil.example"}).status_code == 421


def test_a_head_request_is_answered(client):
    assert client.head("/").status_code == 200


def test_the_plural_of_a_skill_leads_to_the_catalogue(client):
    assert client.get("/skills").headers["Location"] == "/"
