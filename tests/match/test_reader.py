"""Reading promoted skills again and again: only what changed is opened, nothing is missed."""

from __future__ import annotations

import os
import time

import pytest
from helpers.vaults import write_skill

from memskill.match import reader as module
from memskill.match.reader import SkillReader


@pytest.fixture
def reader(settings):
    return SkillReader(settings.vault, max_bytes=100_000)


@pytest.fixture
def opened(monkeypatch):
    """The paths that were opened, in order."""
    paths: list[str] = []
    read = module.read_skill

    def noting(vault, file, **options):
        paths.append(file.path)
        return read(vault, file, **options)

    monkeypatch.setattr(module, "read_skill", noting)
    return paths


def said(reader) -> dict[str, str]:
    return {one.rows.skill.name: one.rows.skill.description for one in reader.read().values()}


def age(file, seconds: float) -> None:
    """Make a file look as if it had been written `seconds` ago, in every stamp that counts."""
    then = time.time() - seconds
    os.utime(file, (then, then))


def test_what_settled_is_not_opened_again(settings, reader, opened, monkeypatch):
    monkeypatch.setattr(module, "_SETTLED_SECONDS", -1.0)
    write_skill(settings, "mow", "Mows the lawn.")
    assert said(reader) == said(reader) == {"mow": "Mows the lawn."}
    assert opened == ["skills/mow/SKILL.md"]


def test_a_file_that_changed_just_now_is_read_again(settings, reader, opened):
    write_skill(settings, "mow", "Mows the lawn.")
    said(reader)
    said(reader)
    assert opened == ["skills/mow/SKILL.md"] * 2


def test_an_edit_of_the_same_size_in_the_same_second_is_seen(settings, reader):
    file = write_skill(settings, "mow", "Mows the lawn.")
    before = file.stat()
    said(reader)
    file.write_text(file.read_text().replace("lawn", "yard"))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_size == before.st_size
    assert said(reader) == {"mow": "Mows the yard."}


def test_an_old_time_stamp_that_came_with_the_file_does_not_hide_an_edit(settings, reader):
    file = write_skill(settings, "mow", "Mows the lawn.")
    age(file, 1000)
    said(reader)
    # `cp -p` within the same clock tick: size, inode and mtime stay as they were.
    file.write_text(file.read_text().replace("lawn", "yard"))
    age(file, 1000)
    assert said(reader) == {"mow": "Mows the yard."}


def test_a_broken_file_keeps_its_last_good_version_and_is_reported(settings, reader):
    file = write_skill(settings, "mow", "Mows the lawn.")
    said(reader)
    file.write_text("---\ndescri")
    assert said(reader) == {"mow": "Mows the lawn."}
    (fault,) = reader.faults
    assert (fault.path, "no description" in fault.reason) == ("skills/mow/SKILL.md", True)
    write_skill(settings, "mow", "Mows again.")
    assert said(reader) == {"mow": "Mows again."}
    assert reader.faults == []


@pytest.mark.parametrize(
    "content", [b"", b"\x00\x01\x02", b"---\nname: x\n", b"no frontmatter", b"x" * 200_000]
)
def test_one_bad_skill_hides_no_other(settings, reader, content):
    write_skill(settings, "mow", "Mows the lawn.")
    bad = write_skill(settings, "bad", "x")
    bad.write_bytes(content)
    assert said(reader) == {"mow": "Mows the lawn."}
    assert [fault.path for fault in reader.faults] == ["skills/bad/SKILL.md"]


def test_a_file_that_was_removed_is_gone_and_does_not_come_back(settings, reader):
    file = write_skill(settings, "mow", "Mows the lawn.")
    said(reader)
    file.unlink()
    assert said(reader) == {}
    file.write_text("broken")
    assert said(reader) == {}


def test_drafts_and_hidden_folders_are_not_read(settings, reader):
    write_skill(settings, "mow", "Mows the lawn.")
    write_skill(settings, "draft", "Is a draft.", folder="skills/_drafts")
    write_skill(settings, "_Drafts", "Is no skill.")
    write_skill(settings, ".hidden", "Is no skill.")
    assert said(reader) == {"mow": "Mows the lawn."}


def test_a_link_out_of_the_vault_is_refused_and_reported(settings, reader, tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "SKILL.md").write_text("---\ndescription: From outside.\n---\n")
    settings.skills_dir.mkdir()
    (settings.skills_dir / "linked").symlink_to(outside)
    write_skill(settings, "mow", "Mows the lawn.")
    (settings.skills_dir / "file").mkdir()
    (settings.skills_dir / "file" / "SKILL.md").symlink_to(outside / "SKILL.md")
    assert said(reader) == {"mow": "Mows the lawn."}
    assert len(reader.faults) == 2


def test_unchanged_is_true_only_of_what_was_read(settings, reader):
    file = write_skill(settings, "mow", "Mows the lawn.")
    path = "skills/mow/SKILL.md"
    assert not reader.unchanged(path)
    said(reader)
    assert reader.unchanged(path)
    file.write_text(file.read_text() + "more\n")
    assert not reader.unchanged(path)
    file.unlink()
    assert not reader.unchanged(path)


def test_folders_that_may_become_skills_are_known(settings, reader):
    (settings.skills_dir / "soon").mkdir(parents=True)
    (settings.skills_dir / "_drafts").mkdir()
    write_skill(settings, "mow", "Mows the lawn.")
    said(reader)
    assert [path.parent.name for path in reader.unfinished] == ["soon"]
