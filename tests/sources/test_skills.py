import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.errors import SkillInvalid
from memskill.sources.identity import file_sha
from memskill.sources.skills import (
    FoundSkill,
    list_skill_files,
    parse_skill,
    read_skill,
    scan_skills,
)

LIMIT = 100_000
SHA = "0123456789abcdef" * 4


def parse(front: str, path: str = "skills/drain/SKILL.md") -> FoundSkill:
    return parse_skill(path, f"---\n{front}\n---\nbody\n".encode())


def put(
    vault: Path, name: str, text: str = "---\ndescription: Use when it rains.\n---\nbody"
) -> Path:
    path = vault / name / "SKILL.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def names(vault: Path) -> list[tuple[str, str]]:
    return [(s.skill.name, s.skill.state) for s in scan_skills(vault, max_bytes=LIMIT).skills]


def test_a_skill_is_its_two_matched_fields_and_its_place() -> None:
    data = b"---\nname: other\ndescription: Drains.\nwhen_to_use: On call.\n---\nbody\n"
    found = parse_skill("skills/drain/SKILL.md", data)
    skill = found.skill
    assert (skill.name, skill.description, skill.when_to_use) == ("drain", "Drains.", "On call.")
    assert (skill.state, skill.projects, skill.generated_from) == ("promoted", (), "")
    assert skill.content_sha == file_sha(data)
    assert (found.body, found.warnings) == ("body\n", ())


def test_a_folder_below_drafts_makes_a_draft() -> None:
    assert parse("description: x", "skills/_drafts/drain/SKILL.md").skill.state == "draft"


@pytest.mark.parametrize(
    "front",
    [
        "projects: [b, a]",
        "projects:\n  - a\n  - b",
        "projects: a, b",
        "project: a\nprojects: b",
        "metadata:\n  projects: a, b",
        'metadata: {"projects": ["a", "b"]}',
        "metadata:\n  project: a\nproject: b\nprojects: a",
    ],
)
def test_projects_are_read_wherever_they_stand(front: str) -> None:
    expected = ("b", "a") if "metadata:\n  project: a" in front else ("a", "b")
    assert parse(f"description: x\n{front}").skill.projects == tuple(sorted(expected))


@pytest.mark.parametrize("front", [f"generated_from: sha256:{SHA}", f'generated_from: "{SHA}"'])
def test_the_source_node_is_a_bare_sha(front: str) -> None:
    assert parse(f"description: x\n{front}").skill.generated_from == SHA
    assert parse(f"description: x\nmetadata:\n  {front}").skill.generated_from == SHA


@pytest.mark.parametrize("value", ["", "sha256:12", "md5:" + SHA, "[a]"])
def test_what_is_no_sha_is_no_source(value: str) -> None:
    assert parse(f"description: x\ngenerated_from: {value}").skill.generated_from == ""


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (">\n  Use when\n  it rains.", "Use when it rains."),
        ("|\n  Use when\n\n  it rains.", "Use when it rains."),
        ('"Use \\u202Ewhen\\u200B it\\trains."', "Use when it rains."),
        ("Use when cafe\u0301 opens.", "Use when caf\u00e9 opens."),
        ("42", "42"),
        ("true", "true"),
    ],
)
def test_a_description_becomes_one_line(written: str, read: str) -> None:
    found = parse(f"description: {written}")
    assert found.skill.description == read
    assert found.warnings == ()


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("\n  - Use when it rains\n  - or snows", "Use when it rains; or snows"),
        ("\n  use: rain\n  avoid: sun", "use: rain; avoid: sun"),
    ],
)
def test_a_description_that_is_no_text_is_joined_and_told(written: str, read: str) -> None:
    found = parse(f"name: x\ndescription:{written}")
    assert found.skill.description == read
    assert (found.warnings[0].line, "entries were joined" in found.warnings[0].reason) == (3, True)


def test_a_broken_description_is_mended_and_told() -> None:
    found = parse("name: x\ndescription: Use when: it rains")
    assert found.skill.description == "Use when: it rains"
    assert found.warnings[0].line == 3


@pytest.mark.parametrize("field", ["description", "when_to_use"])
def test_an_endless_field_is_cut_and_told(field: str) -> None:
    found = parse(f"description: x\n{field}: {'word ' * 2000}")
    assert 4000 < len(getattr(found.skill, field)) <= 4096
    assert "cut to 4096" in found.warnings[-1].reason


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "no description"),
        (b"# Just text", "no description"),
        (b"---\nname: x\n---\nbody", "no description"),
        (b'---\ndescription: " \\u200B "\n---\nbody', "no description"),
        (b"---\ndescription: []\n---\nbody", "no description"),
        (b"\0\0", "binary"),
    ],
)
def test_what_has_nothing_to_match_is_no_skill(data: bytes, reason: str) -> None:
    with pytest.raises(SkillInvalid, match=reason):
        parse_skill("skills/x/SKILL.md", data)


def test_a_hostile_folder_name_is_no_skill() -> None:
    with pytest.raises(SkillInvalid, match="folder name"):
        parse("description: x", "skills/a\u202eb/SKILL.md")


@given(
    st.binary(max_size=300) | st.text(max_size=200).map(lambda t: f"---\n{t}\n---\n{t}".encode())
)
def test_any_bytes_are_a_skill_or_invalid(data: bytes) -> None:
    try:
        found = parse_skill("skills/x/SKILL.md", data)
    except SkillInvalid:
        return
    assert found.skill.description.strip()
    assert "\n" not in found.skill.description + found.skill.when_to_use


def test_promoted_and_drafts_are_told_apart_by_place_alone(tmp_path: Path) -> None:
    for name in ("b", "a", "_drafts/d", "_Drafts/e", "_DRAFTS/f", "_other", ".hidden", "a/nested"):
        put(tmp_path, f"skills/{name}")
    put(tmp_path, "skills/_drafts/_x")
    put(tmp_path, "skills/_drafts/deep/er")
    put(tmp_path, "notes/n")
    put(tmp_path, "skills/_drafts")
    put(tmp_path, "skills")
    assert names(tmp_path) == [("d", "draft"), ("a", "promoted"), ("b", "promoted")]


def test_folders_and_files_of_other_things_are_silent(tmp_path: Path) -> None:
    put(tmp_path, "skills/a")
    (tmp_path / "skills" / "empty").mkdir()
    (tmp_path / "skills" / "README.md").write_text("x")
    scan = scan_skills(tmp_path, max_bytes=LIMIT)
    assert (len(scan.skills), scan.skipped) == (1, ())


def test_a_vault_without_skills_has_none(tmp_path: Path) -> None:
    scan = scan_skills(tmp_path, max_bytes=LIMIT)
    assert (scan.skills, scan.skipped, scan.warnings) == ((), (), ())


def test_one_bad_skill_hides_no_other(tmp_path: Path) -> None:
    put(tmp_path, "skills/a")
    put(tmp_path, "skills/b", "no frontmatter")
    put(tmp_path, "skills/c", "---\ndescription: x\n---\n" + "y" * 200)
    put(tmp_path, "skills/d", "---\n[broken\n---\n")
    (tmp_path / "skills" / "e" / "SKILL.md").mkdir(parents=True)
    (tmp_path / "skills" / "f").mkdir()
    os.mkfifo(tmp_path / "skills" / "f" / "SKILL.md")
    put(tmp_path, "skills/g")
    scan = scan_skills(tmp_path, max_bytes=100)
    assert [s.skill.name for s in scan.skills] == ["a", "g"]
    assert [s.path.split("/")[1] for s in scan.skipped] == ["b", "c", "d", "e", "f"]


def test_links_that_lead_out_are_refused_and_others_followed(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    outside = put(tmp_path, "elsewhere")
    inside = put(vault, "store/kept")
    put(vault, "skills/a")
    (vault / "skills" / "out").symlink_to(outside.parent)
    (vault / "skills" / "file").mkdir()
    (vault / "skills" / "file" / "SKILL.md").symlink_to(outside)
    (vault / "skills" / "in").symlink_to(inside.parent)
    scan = scan_skills(vault, max_bytes=LIMIT)
    assert [s.skill.name for s in scan.skills] == ["a", "in"]
    assert [s.path for s in scan.skipped] == ["skills/file/SKILL.md", "skills/out/SKILL.md"]


def test_a_skills_folder_that_leads_out_is_refused(tmp_path: Path) -> None:
    put(tmp_path, "elsewhere/a")
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "skills").symlink_to(tmp_path / "elsewhere")
    scan = scan_skills(tmp_path / "vault", max_bytes=LIMIT)
    assert (scan.skills, [s.path for s in scan.skipped]) == ((), ["skills"])


def test_a_listing_opens_nothing_and_its_keys_follow_edits(tmp_path: Path) -> None:
    path = put(tmp_path, "skills/a", "---\ndescription: one\n---\n")
    before = list_skill_files(tmp_path).files[0]
    assert read_skill(tmp_path, before, max_bytes=LIMIT).skill.description == "one"
    assert list_skill_files(tmp_path).files[0] == before
    path.write_text("---\ndescription: two\n---\n")
    after = list_skill_files(tmp_path).files[0]
    assert after.path == before.path
    assert after.key != before.key
    assert read_skill(tmp_path, after, max_bytes=LIMIT).key == after.key
