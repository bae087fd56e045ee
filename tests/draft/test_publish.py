from __future__ import annotations

import hashlib
import os
import string
from pathlib import Path

import pytest
from helpers.drafting import tree_hash
from hypothesis import given, settings
from hypothesis import strategies as st

from memskill.draft.names import MAX_SLUG, draft_name, name_of_out, require_name
from memskill.draft.publish import publish
from memskill.errors import PathRefused

TEXT = '---\nname: "a"\ngenerated_at: "2026-01-01T00:00:00Z"\n---\n\nbody\n'
LATER = TEXT.replace("2026-01-01", "2026-01-02")


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def test_a_draft_lands_in_its_folder_whole(tmp_path):
    published = publish(tmp_path, "a-b", TEXT)
    assert published.path == tmp_path / "skills" / "_drafts" / "a-b" / "SKILL.md"
    assert (published.action, published.path.read_text(), published.sha) == (
        "written",
        TEXT,
        sha(TEXT),
    )
    assert [path.name for path in published.path.parent.iterdir()] == ["SKILL.md"]


def test_an_equal_draft_is_left_alone_whatever_its_time(tmp_path):
    path = publish(tmp_path, "a", TEXT).path
    before = path.stat()
    published = publish(tmp_path, "a", LATER)
    assert (published.action, published.sha) == ("unchanged", sha(TEXT))
    assert path.stat().st_mtime_ns == before.st_mtime_ns


def test_a_time_in_the_body_is_not_overlooked(tmp_path):
    publish(tmp_path, "a", TEXT + "generated_at: 1\n")
    again = publish(tmp_path, "a", TEXT + "generated_at: 2\n")
    assert again.action == "proposed"


def test_what_memskill_wrote_itself_is_replaced(tmp_path):
    first = publish(tmp_path, "a", TEXT)
    again = publish(tmp_path, "a", TEXT + "more\n", recorded_sha=first.sha)
    assert (again.action, first.path.read_text()) == ("replaced", TEXT + "more\n")


def test_an_edited_draft_is_never_overwritten(tmp_path):
    first = publish(tmp_path, "a", TEXT)
    first.path.write_text(TEXT + "mine\n")
    again = publish(tmp_path, "a", TEXT + "more\n", recorded_sha=first.sha)
    assert again.action == "proposed"
    assert first.path.read_text() == TEXT + "mine\n"
    assert again.path.name == "SKILL.proposed.md"
    assert "-mine\n+more\n" in again.diff


def test_force_keeps_a_backup_of_the_edited_text(tmp_path):
    first = publish(tmp_path, "a", TEXT)
    first.path.write_text(TEXT + "mine\n")
    again = publish(tmp_path, "a", TEXT + "more\n", recorded_sha=first.sha, force=True)
    assert again.action == "replaced"
    assert again.backup is not None
    assert again.backup.read_text() == TEXT + "mine\n"
    assert first.path.read_text() == TEXT + "more\n"


@pytest.mark.parametrize("part", ["skills", "skills/_drafts", "skills/_drafts/a"])
def test_a_link_on_the_way_is_refused_before_a_byte_is_written(tmp_path, part):
    outside = tmp_path / "outside"
    outside.mkdir()
    link = tmp_path / "vault" / part
    link.parent.mkdir(parents=True)
    link.symlink_to(outside)
    with pytest.raises(PathRefused, match="no plain folder"):
        publish(tmp_path / "vault", "a", TEXT)
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("part", ["skills", "skills/_drafts", "skills/_drafts/a"])
def test_a_file_on_the_way_is_refused(tmp_path, part):
    (tmp_path / part).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / part).write_text("x")
    with pytest.raises(PathRefused):
        publish(tmp_path, "a", TEXT)


@pytest.mark.parametrize("kind", ["link", "folder", "fifo"])
def test_something_else_in_the_place_of_the_file_is_refused(tmp_path, kind):
    target = tmp_path / "skills" / "_drafts" / "a" / "SKILL.md"
    target.parent.mkdir(parents=True)
    if kind == "link":
        (tmp_path / "secret").write_text("kept")
        target.symlink_to(tmp_path / "secret")
    elif kind == "folder":
        target.mkdir()
    else:
        os.mkfifo(target)
    with pytest.raises(PathRefused):
        publish(tmp_path, "a", TEXT)
    assert kind != "link" or (tmp_path / "secret").read_text() == "kept"


def test_a_missing_vault_is_refused(tmp_path):
    with pytest.raises(PathRefused, match="no vault"):
        publish(tmp_path / "nowhere", "a", TEXT)


NASTY = [
    "..",
    "/",
    "\\",
    "\0",
    "~",
    "CON",
    "nul",
    "AUX.",
    "_drafts",
    "SKILL.md",
    "%2e%2e",
    " ",
    ".",
    "-",
]
ANY = st.one_of(
    st.text(max_size=80),
    st.lists(st.sampled_from(NASTY), max_size=5).map("".join),
    st.text(alphabet=string.ascii_letters + "./\\-_~\u0130\u212a\ufb01\u0131", max_size=300),
)


@settings(max_examples=10_000, deadline=None)
@given(ANY, ANY)
def test_any_ids_give_a_name_that_stays_inside_drafts(project, query_id):
    name = draft_name(project, query_id, [f"{project}/{query_id}", "x/y"]).name
    assert require_name(name) == name
    assert len(name) <= MAX_SLUG
    assert name not in {"con", "prn", "aux", "nul"}


@settings(max_examples=300, deadline=None)
@given(ANY)
def test_any_other_name_is_refused_and_writes_nothing(tmp_path_factory, name):
    vault = tmp_path_factory.mktemp("v")
    try:
        publish(vault, name, TEXT)
    except PathRefused:
        assert tree_hash(vault) == {}
    else:
        assert list(tree_hash(vault)) == [f"skills/_drafts/{name}/SKILL.md"]


@settings(max_examples=10_000, deadline=None)
@given(ANY)
def test_any_out_path_names_a_draft_or_is_refused(out):
    drafts = Path("/vault/skills/_drafts")
    try:
        name = name_of_out(out, drafts)
    except PathRefused:
        return
    assert require_name(name) == name


@pytest.mark.parametrize(
    "out",
    [
        "/etc/passwd",
        "{drafts}",
        "{drafts}/../a",
        "{drafts}/a/b",
        "{drafts}/A",
        "{drafts}/a/SKILL.md/SKILL.md",
        "{drafts}/../../skills/a/SKILL.md",
        "{drafts}/a\0",
        "a",
    ],
)
def test_an_out_path_elsewhere_is_refused(tmp_path, out):
    with pytest.raises(PathRefused):
        name_of_out(
            out.format(drafts=tmp_path / "skills" / "_drafts"), tmp_path / "skills" / "_drafts"
        )


@pytest.mark.parametrize("out", ["{drafts}/a-b", "{drafts}/a-b/SKILL.md", "{drafts}/a-b/"])
def test_an_out_path_below_drafts_names_the_draft(tmp_path, out):
    drafts = tmp_path / "skills" / "_drafts"
    assert name_of_out(out.format(drafts=drafts), drafts) == "a-b"


def test_two_addresses_with_one_slug_are_told_apart_in_any_order():
    known = ["a/b-c", "a-b/c"]
    one, two = draft_name("a", "b-c", known), draft_name("a-b", "c", known[::-1])
    assert one.name != two.name
    assert one.shared_with == ("a-b/c",)
    assert one.name.startswith("a-b-c-")
    assert draft_name("a", "b-c", ["a/b-c"]).name == "a-b-c"
