"""A vault whose every text is an attack: each page still shows it, and nothing of it acts."""

from __future__ import annotations

import json

import pytest
from helpers.pages import Page, dangers, put

from memskill.pipeline.ingest import ingest

SCRIPT = "<script>alert(1)</script>"
BREAKOUT = '"><img src=x onerror=alert(1)>'
TEMPLATE = "{{ 7 * 7 }}{% raw %}${7*7}"
BIDI = "safe \u202egnp.exe\u2066"
LINK = "[click](javascript:alert(1)) <javascript:alert(1)> data:text/html,<script>"
ATTACKS = [SCRIPT, BREAKOUT, TEMPLATE, BIDI, LINK, "'\"&<>", "</textarea></pre><h1>", "]]>-->"]


def skill_text(attack: str) -> str:
    """Return a SKILL.md that attacks in every place."""
    said = json.dumps(f"Repairs the frobnicator {attack}. Not for {attack} at all.")
    return (
        f"---\nname: x\ndescription: {said}\nwhen_to_use: {said}\nproject: {json.dumps(attack)}\n"
        f"{json.dumps('key ' + attack)}: {said}\nmetadata:\n  inner: {said}\n"
        f"generated_from: sha256:{'0' * 64}\n---\n# {attack}\n\n- {attack}\n\n"
        f"```{attack}\n{attack}\n```\n"
    )


@pytest.fixture(params=range(len(ATTACKS)), ids=lambda place: f"attack{place}")
def attack(request, vault):
    """One attack, in a promoted skill, its draft and the draft's proposal."""
    text = ATTACKS[request.param]
    for path in ("frob", "_drafts/frob"):
        put(vault, f"skills/{path}/SKILL.md", skill_text(text))
    put(vault, "skills/_drafts/frob/SKILL.proposed.md", skill_text(text) + text)
    return text


URLS = ["/", "/?project=x", "/skills/frob", "/drafts", "/drafts/frob"]


def test_no_page_runs_loads_or_leads_to_anything_of_it(client, attack):
    replies = {url: client.get(url) for url in URLS}
    replies["/match"] = client.get("/match", query_string={"task": f"frobnicator {attack}"})
    replies["q"] = client.get("/", query_string={"q": attack, "project": attack})
    assert {url: reply.status_code for url, reply in replies.items()} == dict.fromkeys(replies, 200)
    assert {url: found for url, reply in replies.items() if (found := dangers(reply.text))} == {}


def test_no_template_is_made_of_it(client, attack):
    for url in URLS:
        assert "49" not in Page(client.get(url).text).text.replace("{{ 7 * 7 }}", "")


def test_no_hidden_character_is_left_on_a_page(client, attack):
    for url in URLS:
        assert not set("\u202e\u2066\u200b\x00") & set(client.get(url).text)


def test_a_task_goes_back_into_its_field_as_it_was_typed(client):
    task = "\n</textarea><script>x</script> \u202e & more"
    text = client.get("/match", query_string={"task": task}).text
    field = text.partition("<textarea")[2].partition(">")[2].partition("</textarea>")[0]
    assert Page(field).text == "\n" + task


@pytest.mark.parametrize("name", ["..", "%2e%2e", "..%2f..%2fetc", "a%00b", "%ff", "a" * 5_000])
@pytest.mark.parametrize("place", ["/skills/", "/drafts/", "/floor/reports/"])
def test_a_name_never_becomes_a_path(shared_client, place, name):
    reply = shared_client.get(place + name)
    assert reply.status_code == 404
    assert dangers(reply.text) == []


def test_a_note_that_attacks_is_shown_in_the_chain_and_does_nothing(client, vault, encoder):
    put(vault, "notes/p/q.md", f"---\nquery: {json.dumps(SCRIPT)}\n---\n{BREAKOUT} {BIDI}\n")
    ingest(vault, encoder=encoder)
    from memskill.store import open_store

    with open_store(vault) as store:
        (node,) = store.nodes_at("p", "q")
    text = skill_text("x").replace("0" * 64, node.sha)
    put(vault, "skills/frob/SKILL.md", text)
    reply = client.get("/skills/frob")
    assert "onerror" in Page(reply.text).text
    assert dangers(reply.text) == []


def test_a_body_of_megabytes_is_shown_in_part_and_in_bounded_time(client, vault):
    head = "---\nname: big\ndescription: Big one for x.\n---\n"
    put(vault, "skills/_drafts/big/SKILL.md", head + "[a](b *c* <d> `e` " * 150_000)
    reply = client.get("/drafts/big")
    assert reply.status_code == 200
    assert "Cut here" in reply.text


def test_a_draft_that_is_a_link_out_of_the_vault_is_not_shown(client, vault, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "SKILL.md").write_text("---\nname: s\ndescription: TOPSECRET\n---\n")
    (vault.drafts_dir / "leak").symlink_to(outside)
    assert "TOPSECRET" not in client.get("/drafts").text
    assert "TOPSECRET" not in client.get("/drafts/leak").text


def test_a_broken_draft_hides_no_other(client, vault):
    put(vault, "skills/_drafts/broken/SKILL.md", "no frontmatter at all")
    (vault.drafts_dir / "binary").mkdir()
    (vault.drafts_dir / "binary" / "SKILL.md").write_bytes(b"\x00\xff\x00")
    page = Page(client.get("/drafts").text)
    assert page.has("a", href="/drafts/docs-site-007")
    assert page.has("a", href="/drafts/broken")
    assert "Cannot be read" in page.text
    assert "is no skill as it lies" in client.get("/drafts/broken").text
