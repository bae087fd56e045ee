"""The page's own files."""

from __future__ import annotations

import re

import pytest
from helpers.tree import PACKAGE

from memskill.web.pages.assets import asset

FILES = {"page.css": "text/css", "page.js": "text/javascript", "icon.svg": "image/svg+xml"}


@pytest.fixture
def client(shared_client):
    return shared_client


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_its_version_may_be_kept_for_a_year(client, name):
    reply = client.get(f"/assets/{name}?v={asset(name).version}")
    assert (reply.status_code, reply.mimetype) == (200, FILES[name])
    assert "immutable" in reply.headers["Cache-Control"]


@pytest.mark.parametrize("url", ["/assets/page.css", "/assets/page.css?v=old"])
def test_a_file_of_another_version_is_asked_for_each_time(client, url):
    reply = client.get(url)
    assert reply.headers["Cache-Control"] == "no-cache"
    again = client.get(url, headers={"If-None-Match": reply.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize("name", ["..%2fapp.py", "app.py", "%2e%2e/app.py", "page.css%00"])
def test_nothing_else_can_be_had(client, name):
    assert client.get(f"/assets/{name}").status_code == 404


def test_every_shipped_file_is_served():
    assert {file.name for file in (PACKAGE / "web" / "static").iterdir()} == set(FILES)


@pytest.mark.parametrize("name", FILES)
def test_no_file_leads_to_another_host(name):
    text = asset(name).body.decode().replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert (
        re.findall(r"https?://|//[a-z]|@import|url\(|fetch\(|XMLHttp|eval\(|innerHTML", text) == []
    )
