from __future__ import annotations

import pytest
from helpers.vaults import digests, make_settings, write_skill

from memskill.config import load_settings
from memskill.errors import NotFound, PathRefused
from memskill.models.fakes import HashEncoder
from memskill.pipeline.ingest import ingest
from memskill.pipeline.vault import init_vault, list_skills


def test_a_new_vault_has_its_skeleton(tmp_path):
    made = init_vault(tmp_path / "v")
    assert made == ["notes/", "skills/", "skills/_drafts/", "memskill.toml", "README.md"]
    assert (tmp_path / "v/skills/_drafts").is_dir()


def test_a_second_run_makes_nothing(tmp_path):
    init_vault(tmp_path)
    before = digests(tmp_path)
    assert init_vault(tmp_path) == []
    assert digests(tmp_path) == before


def test_what_exists_is_left_as_it_is(tmp_path):
    (tmp_path / "memskill.toml").write_text("threads = 2\n")
    (tmp_path / "README.md").write_text("mine")
    assert init_vault(tmp_path) == ["notes/", "skills/", "skills/_drafts/"]
    assert (tmp_path / "README.md").read_text() == "mine"


def test_a_new_vault_can_be_used_at_once(tmp_path):
    init_vault(tmp_path)
    settings = load_settings({"vault": str(tmp_path)}, environ={})
    assert settings.encoder == "default"
    report = ingest(settings, encoder=HashEncoder())
    assert (report.notes_read, report.skipped) == (0, ())


@pytest.mark.parametrize("place", ["v", "v/notes", "v/skills", "v/skills/_drafts"])
def test_a_file_in_the_way_is_refused_and_kept(tmp_path, place):
    file = tmp_path / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("in the way")
    with pytest.raises(PathRefused, match=r"not a folder|cannot be made"):
        init_vault(tmp_path / "v")
    assert file.read_text() == "in the way"


def test_skills_are_listed_by_state_and_name_without_a_database(settings):
    for name in ("b", "a"):
        write_skill(settings, name, "Mend roofs.")
    write_skill(settings, "c", "Mend walls.", "skills/_drafts")
    assert [s.name for s in list_skills(settings)[0]] == ["a", "b"]
    assert [s.name for s in list_skills(settings, "draft")[0]] == ["c"]
    assert not settings.state_dir.exists()


def test_a_project_sees_its_own_and_the_open_skills(settings):
    write_skill(settings, "open", "For all.")
    write_skill(settings, "mine", "For p.\nprojects: [p]")
    write_skill(settings, "theirs", "For o.\nprojects: [o]")
    assert [s.name for s in list_skills(settings, project="p")[0]] == ["mine", "open"]
    assert len(list_skills(settings)[0]) == 3


def test_a_skill_that_cannot_be_read_is_told(settings):
    write_skill(settings, "good", "Mend roofs.")
    write_skill(settings, "bad", "")
    skills, skipped = list_skills(settings)
    assert [s.name for s in skills] == ["good"]
    assert [s.path for s in skipped] == ["skills/bad/SKILL.md"]


def test_no_vault_is_told_from_one_without_skills(settings, tmp_path):
    assert list_skills(settings) == ([], [])
    with pytest.raises(NotFound, match="no vault"):
        list_skills(make_settings(tmp_path / "none"))
