"""Who may ask, and the headers on every answer."""

from __future__ import annotations

import pytest
from helpers.serving import fake_client
from helpers.vaults import make_settings

from memskill.web.guard import allowed_hosts, host_name


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST:8765", "127.0.0.1:1", "[::1]", "[::1]:80", "mem.lan:8765",
             "box.lan", "10.0.0.7:8765", "localhost."],
)  # fmt: skip
def test_known_hosts_are_answered(team, host):
    client = fake_client(
        make_settings(team.vault, host="10.0.0.7", allowed_hosts="mem.lan, box.lan:9")
    )
    assert client.get("/healthz", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.nip.io", "evil.example:8765",
             "[::2]", "", "0.0.0.0", "evil.example@localhost", "localhost@evil.example"],
)  # fmt: skip
def test_other_hosts_are_refused_on_every_url(team, host):
    client = fake_client(team)
    for url in ("/healthz", "/memory/skills", "/metrics", "/nothing"):
        reply = client.get(url, environ_overrides={"HTTP_HOST": host})
        assert reply.status_code == 421
        assert reply.mimetype == "application/problem+json"


def test_every_answer_carries_the_security_headers(team):
    client = fake_client(team)
    for url in ("/memory/skills", "/memory/skills?task=", "/nothing", "/metrics"):
        headers = client.get(url).headers
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
        assert "Access-Control-Allow-Origin" not in headers


def test_an_ipv6_address_in_the_settings_needs_no_brackets(team):
    assert "fe80::1" in allowed_hosts(make_settings(team.vault, host="fe80::1"))


@pytest.mark.parametrize(
    ("header", "name"),
    [("A.b:80", "a.b"), ("[::1]:80", "::1"), ("::1", "::1"), ("", ""), ("[", ""), (":80", "")],
)
def test_a_host_name_is_without_port_and_brackets(header, name):
    assert host_name(header) == name
