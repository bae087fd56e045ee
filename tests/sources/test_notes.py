import os
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.errors import NoteInvalid
from memskill.sources.identity import file_sha, node_sha
from memskill.sources.notes import FoundNote, parse_note, scan_notes
from memskill.sources.redact import redact

LIMIT = 100_000
TOKEN = "ghp_" + "a1B2" * 9


def parse(text: str, path: str = "notes/infra/drain.md") -> FoundNote:
    return parse_note(path, text.encode(), max_bytes=LIMIT)


def vault(root: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def test_a_bare_note_takes_its_address_from_its_place() -> None:
    node = parse("# Drain a node\nCordon first.").node
    assert (node.level, node.address, node.query) == ("L1", "infra/drain", "Drain a node")
    assert (node.trust, node.author, node.created_at, node.parents) == ("person", "", "", ())


def test_frontmatter_gives_every_field() -> None:
    found = parse(
        "---\nlevel: L2\nproject: ops\nquery_id: 007\nquery: Why?\nparents:\n  - infra/drain\n"
        "tags: [a, b]\nauthor: Ann\ncreated: 2024-01-02\ntrust: agent\n---\n\nBecause.\n\n"
    )
    node = found.node
    assert (node.level, node.address, node.query, node.body) == (
        "L2",
        "ops/007",
        "Why?",
        "Because.",
    )
    assert (node.parents, node.tags) == (("infra/drain",), ("a", "b"))
    assert (node.author, node.created_at, node.trust) == ("Ann", "2024-01-02T00:00:00Z", "agent")
    assert (found.first_line, found.last_line) == (14, 14)
    assert found.warnings == ()


@pytest.mark.parametrize("name", ["007", "1e10", "on", "null", "12:30:45", "2024-01-02", "0x1F"])
def test_ids_stay_as_written(name: str) -> None:
    node = parse(f"---\nproject: {name}\nquery_id: {name}\n---\nx").node
    assert (node.project, node.query_id) == (name, name)


def test_a_note_is_redacted_before_it_is_hashed() -> None:
    found = parse(f"---\nquery: use {TOKEN}\nauthor: {TOKEN}\n---\nrun with {TOKEN}")
    node = found.node
    assert TOKEN not in repr(found)
    assert node.body == "run with [REDACTED:github-token]"
    assert found.redactions == {"github-token": 3}
    assert node.sha == node_sha("L1", "infra", "drain", node.query, node.body)
    assert found.file_sha != parse("other").file_sha


def test_a_cut_never_leaves_half_a_secret() -> None:
    found = parse("# " + "x " * 95 + TOKEN)
    assert "ghp_" not in repr(found)
    assert found.redactions == {"github-token": 1}


@pytest.mark.parametrize("field", ["trust", "created", "level", "parents", "project"])
def test_no_message_repeats_a_secret(field: str) -> None:
    text = f"---\n{field}: {TOKEN}/\n---\nx"
    try:
        told = repr(parse(text).warnings)
    except NoteInvalid as error:
        told = error.message
    assert field in told
    assert TOKEN not in told


def test_two_secrets_in_one_place_are_one_node() -> None:
    first, second = (parse(f"run with ghp_{c * 36}").node for c in "ab")
    assert first.sha == second.sha


def test_blank_lines_and_line_ends_do_not_change_a_node() -> None:
    plain = parse("---\nlevel: 1\n---\none\ntwo").node
    assert parse("---\r\nlevel: 1\r\n---\r\n\r\none\r\ntwo\r\n\r\n").node == plain
    assert parse("\ufeff---\nlevel: 1\n---\n\n\none\ntwo\n").node == plain


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "body is empty"),
        ("---\nlevel: 1\n---\n \n\t\n", "body is empty"),
        ("---\nlevel: L9\n---\nx", "level 'L9' is unknown"),
        ("---\nproject: a/b\n---\nx", "project 'a/b' contains a slash"),
        ("---\nproject: ..\n---\nx", "project '..' is a folder reference"),
        ('---\nquery_id: "a\\0b"\n---\nx', "query_id 'ab' contains a control"),
        ('---\nquery_id: "a\\u202Eb"\n---\nx', "query_id 'ab' contains a control"),
        (f"---\nquery_id: {'x' * 201}\n---\nx", "query_id .* has 201 characters"),
        ("---\nquery_id: [a, b]\n---\nx", "query_id must be one text"),
        (f"---\nproject: {TOKEN}\n---\nx", r"project looks like a secret \(github-token\)"),
        ("a\0b", "binary"),
        ("x" * (LIMIT + 1), f"larger than {LIMIT} bytes"),
    ],
)
def test_a_hostile_or_empty_note_is_refused_with_its_field(text: str, reason: str) -> None:
    with pytest.raises(NoteInvalid, match=reason):
        parse(text)


def test_a_file_name_that_cannot_be_an_id_is_refused() -> None:
    with pytest.raises(NoteInvalid, match="path contains a control"):
        parse("x", "notes/a\u202eb/c.md")
    with pytest.raises(NoteInvalid, match="from the file's place"):
        parse("x", "notes/a\\b/c.md")


def test_a_broken_note_is_read_and_told_with_its_lines() -> None:
    found = parse("---\nquery: Why: because\nlevel: 2\n---\nbody")
    assert found.node.query == "Why: because"
    assert found.node.level == "L2"
    assert {w.line for w in found.warnings} == {2}


def test_an_odd_field_is_told_with_its_line() -> None:
    warning = parse("---\nlevel: 1\ntrust: root\n---\nx").warnings[0]
    assert (warning.path, warning.line) == ("notes/infra/drain.md", 3)


def test_a_huge_query_is_cut() -> None:
    found = parse(f"---\nquery: {'x' * 3000}\n---\nbody")
    assert len(found.node.query) == 2000
    assert "cut" in found.warnings[0].reason


@given(
    st.binary(max_size=300) | st.text(max_size=200).map(lambda t: f"---\n{t}\n---\n{t}".encode())
)
def test_any_bytes_are_a_note_or_invalid(data: bytes) -> None:
    try:
        found = parse_note("notes/p/q.md", data, max_bytes=LIMIT)
    except NoteInvalid:
        return
    node = found.node
    assert node.sha == node_sha(node.level, node.project, node.query_id, node.query, node.body)
    assert node.body.strip()
    assert redact(node.body).text == node.body
    assert 1 <= found.first_line <= found.last_line
    assert found == parse_note("notes/p/q.md", data, max_bytes=LIMIT)


def test_the_scan_finds_notes_by_place_and_by_keys(tmp_path: Path) -> None:
    vault(
        tmp_path,
        {
            "notes/infra/a.md": "a",
            "notes/top.md": "b",
            "README.md": "# no note",
            "other/c.md": "---\nquery_id: x\n---\nc",
            "other/d.md": "---\ntitle: x\n---\nd",
            "e.md": "---\nlevel: 0\n---\ne",
            "skills/s/SKILL.md": "---\nlevel: 1\nname: s\n---\nx",
            "skills/s/more.md": "---\nquery_id: 1\n---\nx",
            ".obsidian/f.md": "---\nlevel: 1\n---\nf",
            "notes/.trash/g.md": "g",
            "notes/h.txt": "h",
        },
    )
    scan = scan_notes(tmp_path, max_bytes=LIMIT)
    assert [(n.path, n.node.address) for n in scan.notes] == [
        ("e.md", "notes/e"),
        ("notes/infra/a.md", "infra/a"),
        ("notes/top.md", "notes/top"),
        ("other/c.md", "other/x"),
    ]
    assert (scan.skipped, scan.warnings) == ((), ())
    assert [n.file_sha for n in scan.notes][1] == file_sha(b"a")


def test_one_bad_file_hides_no_other(tmp_path: Path) -> None:
    vault(
        tmp_path,
        {
            "notes/a.md": "good",
            "notes/b.md": b"\0",
            "notes/c.md": "",
            "notes/d.md": "x" * 200,
            "notes/e.md": "---\nname: x\nlevel: nine\n---\nx",
            "notes/z.md": "also good",
        },
    )
    os.mkfifo(tmp_path / "notes" / "f.md")
    (tmp_path / "notes" / "g.md").symlink_to("/etc/hostname")
    scan = scan_notes(tmp_path, max_bytes=100)
    assert [n.path for n in scan.notes] == ["notes/a.md", "notes/z.md"]
    assert [(s.path[-4], s.line) for s in scan.skipped] == [
        ("b", None), ("c", None), ("d", None), ("e", 3), ("f", None), ("g", None),
    ]  # fmt: skip


def test_equal_notes_are_one_and_told(tmp_path: Path) -> None:
    text = "---\nproject: p\nquery_id: q\n---\nsame"
    vault(tmp_path, {"notes/a.md": text, "notes/b.md": text + "\n"})
    scan = scan_notes(tmp_path, max_bytes=LIMIT)
    assert [n.path for n in scan.notes] == ["notes/a.md"]
    assert scan.warnings[0].path == "notes/b.md"
    assert scan.warnings[0].reason == "same content as notes/a.md"


def test_two_notes_of_one_address_are_both_kept_and_told(tmp_path: Path) -> None:
    head = "---\nproject: p\nquery_id: q\n---\n"
    vault(tmp_path, {"notes/a.md": head + "one", "notes/b.md": head + "two", "notes/c.md": "three"})
    scan = scan_notes(tmp_path, max_bytes=LIMIT)
    assert len(scan.notes) == 3
    assert [w.path for w in scan.warnings] == ["notes/b.md"]
    assert "same address p/q as notes/a.md" in scan.warnings[0].reason


def test_another_level_at_the_address_is_no_double(tmp_path: Path) -> None:
    head = "---\nproject: p\nquery_id: q\nlevel: {}\n---\n"
    vault(tmp_path, {"notes/a.md": head.format(1) + "x", "notes/b.md": head.format(2) + "x"})
    scan = scan_notes(tmp_path, max_bytes=LIMIT)
    assert (len(scan.notes), scan.warnings) == (2, ())


def test_damaged_files_never_stop_the_scan(tmp_path: Path) -> None:
    rng = random.Random(5)
    good = (
        "---\nlevel: 1\nquery: How does it work?\ntags:\n  - a\n---\n# Title\n\nText of a note.\n"
    )
    for n in range(120):
        data = bytearray(good.encode() + str(n).encode())
        for _ in range(rng.randint(1, 12)):
            data[rng.randrange(len(data))] = rng.randrange(256)
        vault(tmp_path, {f"notes/bad{n:03}.md": bytes(data[: rng.randint(1, len(data))])})
    vault(tmp_path, {f"notes/good{n}.md": good + str(n) for n in range(5)})
    scan = scan_notes(tmp_path, max_bytes=LIMIT)
    read = {n.path for n in scan.notes}
    assert {f"notes/good{n}.md" for n in range(5)} <= read
    told = {s.path for s in (*scan.skipped, *scan.warnings)}
    assert all(f"notes/bad{n:03}.md" in read | told for n in range(120))
    assert scan == scan_notes(tmp_path, max_bytes=LIMIT)


def test_a_file_name_that_is_no_text_is_reported(tmp_path: Path) -> None:
    vault(tmp_path, {"notes/a.md": "x"})
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/notes/\xff\xfe.md")).write_text("x")
    scan = scan_notes(tmp_path, max_bytes=LIMIT)
    assert len(scan.notes) == len(scan.skipped) == 1
    assert "path contains" in scan.skipped[0].reason
    assert scan.skipped[0].path.encode()
