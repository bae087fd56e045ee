from __future__ import annotations

import pytest
from helpers.drafting import make_skill

from memskill.draft.doctor import AGENT_ROOTS, budget_findings, duplicate_findings, reachable_drafts
from memskill.draft.duplicates import lexical_similarity, near_duplicates, nearest


@pytest.fixture
def vault(tmp_path):
    file = tmp_path / "vault" / "skills" / "_drafts" / "a" / "SKILL.md"
    file.parent.mkdir(parents=True)
    file.write_text("x")
    (tmp_path / "home").mkdir()
    return tmp_path / "vault"


def look(vault):
    home = vault.parent / "home"
    return reachable_drafts(vault / "skills" / "_drafts", vault, home, vault)


def test_a_vault_of_its_own_is_reachable_from_nowhere(vault):
    assert look(vault) == []


@pytest.mark.parametrize("root", [r for r in AGENT_ROOTS if r.depth > 1], ids=lambda r: r.home)
def test_a_link_to_the_skills_folder_is_found_for_agents_that_look_deep(vault, root):
    link = vault.parent / "home" / root.home
    link.parent.mkdir(parents=True)
    link.symlink_to(vault / "skills")
    (finding,) = look(vault)
    assert (finding.rule, finding.severity) == ("drafts-reachable", "error")
    assert root.agent in finding.message


def test_an_agent_that_looks_one_level_down_sees_no_draft_through_the_skills_folder(vault):
    link = vault.parent / "home" / ".claude" / "skills"
    link.parent.mkdir(parents=True)
    link.symlink_to(vault / "skills")
    assert look(vault) == []


@pytest.mark.parametrize("target", ["skills/_drafts", "skills/_drafts/a"])
def test_a_link_to_the_drafts_or_to_one_of_them_is_found_for_every_agent(vault, target):
    place = vault / ".claude" / "skills"
    place.parent.mkdir(parents=True)
    if target.endswith("/a"):
        place.mkdir()
        (place / "renamed").symlink_to(vault / target)
    else:
        place.symlink_to(vault / target)
    assert [finding.rule for finding in look(vault)] == ["drafts-reachable"]


def test_a_loop_of_links_ends(vault):
    place = vault.parent / "home" / ".codex" / "skills"
    place.mkdir(parents=True)
    (place / "again").symlink_to(place)
    assert look(vault) == []


def test_twins_are_told_with_their_likeness_and_no_skill_is_its_own_twin():
    twin = "Restarts the export queue. Use when exports hang."
    skills = [make_skill("a", twin), make_skill("b", twin), make_skill("c", "Something else.")]
    (finding,) = duplicate_findings(skills, lexical_similarity)
    assert "(1.00)" in finding.message
    assert near_duplicates("a", twin, skills[:1], lexical_similarity) == []


def test_neighbours_come_nearest_first_then_by_name():
    skills = [make_skill(name, "Same words here.") for name in ("b", "a")]
    found = nearest("Same words", skills, lexical_similarity, 5)
    assert [skill.name for skill, _ in found] == ["a", "b"]
    assert nearest("x", [], lexical_similarity, 5) == []


def test_a_listing_beyond_the_budget_is_told():
    skills = [make_skill(f"s{i}", "x" * 900) for i in range(10)]
    assert [finding.rule for finding in budget_findings(skills)] == ["listing-budget"]
    assert budget_findings(skills[:5]) == []
