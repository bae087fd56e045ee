"""Drafts to review: text, lint, differences, and the command a person runs."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from helpers.pages import Page, put

from memskill.web.pages.drafts import MAX_DIFF_CHARS, draft_diffs, promote_lines

DRAFT = "docs-site-007"


def _commands(client, name):
    return re.findall(r'<pre id="promote-\d">([^<]*)</pre>', client.get(f"/drafts/{name}").text)


def _promote_as(vault, draft, name):
    shutil.copytree(vault.drafts_dir / draft, vault.skills_dir / name)


def _run(vault, commands):
    for start in (["git", "init", "-q"], ["git", "add", "-A"]):
        subprocess.run(start, cwd=vault.vault, check=True, capture_output=True)
    who = ["-c", "user.name=t", "-c", "user.email=t@example.com"]
    subprocess.run(["git", *who, "commit", "-qm", "x"], cwd=vault.vault, check=True)
    for command in commands:
        subprocess.run(command, shell=True, check=True, capture_output=True)


def test_the_commands_promote_the_draft_as_they_stand(client, vault):
    _run(vault, _commands(client, DRAFT))
    assert (vault.skills_dir / DRAFT / "SKILL.md").is_file()
    assert not (vault.drafts_dir / DRAFT).exists()


def test_a_draft_of_a_promoted_name_takes_the_place_of_its_file(client, vault):
    _promote_as(vault, DRAFT, DRAFT)
    newer = put(vault, f"skills/_drafts/{DRAFT}/SKILL.md", "---\ndescription: Newer.\n---\nB\n")
    text = newer.read_text()
    _run(vault, _commands(client, DRAFT))
    assert (vault.skills_dir / DRAFT / "SKILL.md").read_text() == text
    assert not (vault.skills_dir / DRAFT / DRAFT).exists()


@pytest.mark.parametrize("name", ["a b", "$(touch x)", "a;b", "it's", "-rf", "a`b`"])
def test_a_name_is_quoted_for_the_shell(vault, name):
    import shlex

    for twin in (False, True):
        for line in promote_lines(vault, name, has_twin=twin):
            words = shlex.split(line)
            assert words[:2] == ["git", "-C"]
            assert f"skills/_drafts/{name}" in " ".join(words)


def test_the_difference_from_the_promoted_skill_is_shown(client, vault):
    _promote_as(vault, DRAFT, DRAFT)
    file = vault.drafts_dir / DRAFT / "SKILL.md"
    file.write_text(file.read_text() + "A new last line.\n")
    page = Page(client.get(f"/drafts/{DRAFT}").text)
    assert "+A new last line." in page.text
    assert len([s for s in page.all("span") if s.get("class") == "added"]) == 1


def test_the_difference_to_a_proposal_is_shown(client, vault):
    put(vault, f"skills/_drafts/{DRAFT}/SKILL.proposed.md", "quite another text\n")
    assert "+quite another text" in Page(client.get(f"/drafts/{DRAFT}").text).text


def test_equal_files_show_no_difference(client, vault):
    _promote_as(vault, DRAFT, DRAFT)
    assert "no difference" in client.get(f"/drafts/{DRAFT}").text


def test_texts_of_megabytes_are_not_compared(vault):
    for place in ("_drafts/big", "big"):
        put(vault, f"skills/{place}/SKILL.md", f"{place}\n" * MAX_DIFF_CHARS)
    (diff,) = draft_diffs(vault, "big")
    assert diff.lines == ()
    assert "mem skill diff" in diff.remark


def test_lint_errors_are_told_before_the_text(client, vault):
    put(vault, "skills/_drafts/bad/SKILL.md", "---\nname: bad\ndescription: Frobs <x>.\n---\nx\n")
    text = client.get("/drafts/bad").text
    assert text.index("before this is promoted") < text.index("What it would tell")
    assert "angle-brackets" in text
    assert re.search(r"\d+ error", client.get("/drafts").text)


def test_a_draft_that_says_what_a_skill_says_is_told(client, vault):
    _promote_as(vault, DRAFT, "rebuild-index")
    text = client.get(f"/drafts/{DRAFT}").text
    assert "Nearly the same" in text
    assert 'href="/skills/rebuild-index"' in text
    assert f'href="/drafts/{DRAFT}"' in client.get("/skills/rebuild-index").text


def test_skills_that_differ_are_no_twins(client):
    assert "Nearly the same" not in client.get("/skills/rollback-release").text


def test_no_draft_says_how_one_is_made(client, vault):
    shutil.rmtree(vault.drafts_dir)
    assert "mem skill draft" in client.get("/drafts").text


def test_a_draft_with_its_note_is_linted_against_it(client, vault, encoder):
    from memskill.pipeline.ingest import ingest

    ingest(vault, encoder=encoder)
    text = Page(client.get(f"/drafts/{DRAFT}").text).text
    assert "notes/docs-site/007.md" in text
    assert "Unresolved" not in text
