from pathlib import Path

from memskill.sources.walk import walk_markdown


def put(root: Path, *paths: str) -> None:
    for path in paths:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("x")


def test_markdown_is_found_in_order_of_path(tmp_path: Path) -> None:
    put(tmp_path, "b.md", "a/z.md", "a/b/c.MD", "a/x.txt", "z/y.markdown")
    assert walk_markdown(tmp_path).files == ["a/b/c.MD", "a/z.md", "b.md"]


def test_dot_names_and_left_out_folders_are_silent(tmp_path: Path) -> None:
    put(tmp_path, ".git/x.md", "a/.obsidian/y.md", ".z.md", "skills/s/SKILL.md", "a/skills/k.md")
    walk = walk_markdown(tmp_path, leave_out=("skills",))
    assert (walk.files, walk.skipped) == (["a/skills/k.md"], [])


def test_links_that_lead_out_are_reported(tmp_path: Path) -> None:
    put(tmp_path, "out/secret.md", "vault/a.md")
    vault = tmp_path / "vault"
    (vault / "file.md").symlink_to(tmp_path / "out" / "secret.md")
    (vault / "folder").symlink_to(tmp_path / "out")
    (vault / "up").symlink_to("..")
    walk = walk_markdown(vault)
    assert walk.files == ["a.md"]
    assert [s.path for s in walk.skipped] == ["file.md", "folder", "up"]
    assert {s.reason for s in walk.skipped} == {"symbolic link that leads out of the vault"}


def test_links_inside_are_read_once(tmp_path: Path) -> None:
    put(tmp_path, "notes/a.md", "store/b.md", "store/c.txt")
    (tmp_path / "notes" / "again.md").symlink_to("a.md")
    (tmp_path / "notes" / "loop").symlink_to("..")
    (tmp_path / "notes" / "c.md").symlink_to("../store/c.txt")
    (tmp_path / "notes" / "c2.md").symlink_to("../store/c.txt")
    assert walk_markdown(tmp_path).files == ["notes/a.md", "notes/c.md", "store/b.md"]


def test_links_into_hidden_and_left_out_folders_are_not_followed(tmp_path: Path) -> None:
    put(tmp_path, "skills/s/SKILL.md", ".memskill/x.md", "a.md")
    (tmp_path / "b.md").symlink_to("skills/s/SKILL.md")
    (tmp_path / "c").symlink_to("skills")
    (tmp_path / "d").symlink_to(".memskill")
    assert walk_markdown(tmp_path, leave_out=("skills",)).files == ["a.md"]


def test_a_link_to_nothing_is_reported(tmp_path: Path) -> None:
    (tmp_path / "a.md").symlink_to("gone.md")
    (tmp_path / "b.md").symlink_to("b.md")
    assert [s.path for s in walk_markdown(tmp_path).skipped] == ["a.md", "b.md"]


def test_a_vault_that_is_a_link_itself_is_walked(tmp_path: Path) -> None:
    put(tmp_path, "real/a.md")
    (tmp_path / "vault").symlink_to("real")
    assert walk_markdown(tmp_path / "vault").files == ["a.md"]


def test_a_vault_that_is_not_there_is_reported(tmp_path: Path) -> None:
    walk = walk_markdown(tmp_path / "gone")
    assert walk.files == []
    assert "cannot be read" in walk.skipped[0].reason


def test_a_deep_tree_needs_no_recursion(tmp_path: Path) -> None:
    path = tmp_path
    for _ in range(300):
        path = path / "d"
    path.mkdir(parents=True)
    (path / "x.md").write_text("x")
    assert len(walk_markdown(tmp_path).files) == 1
