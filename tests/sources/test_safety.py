import os
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.errors import PathRefused, SourceError
from memskill.sources.safety import (
    id_fault,
    no_surrogates,
    one_line,
    printable,
    read_bounded,
    within,
)

ANY = st.text(st.characters(), max_size=200)


def test_a_path_inside_is_returned_resolved(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    assert within(tmp_path, tmp_path / "a" / ".." / "b") == tmp_path.resolve() / "b"


@pytest.mark.parametrize("path", ["", ".", "..", "../x", "/etc/passwd", "a/../../x"])
def test_a_path_that_is_not_strictly_inside_is_refused(tmp_path: Path, path: str) -> None:
    with pytest.raises(PathRefused):
        within(tmp_path, tmp_path / path)


def test_a_sibling_with_the_same_beginning_is_outside(tmp_path: Path) -> None:
    with pytest.raises(PathRefused):
        within(tmp_path / "vault", tmp_path / "vault2" / "x")


def test_a_link_is_judged_by_where_it_leads(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / "out").symlink_to(tmp_path)
    (root / "in").symlink_to(root / "x")
    assert within(root, root / "in") == root.resolve() / "x"
    with pytest.raises(PathRefused):
        within(root, root / "out" / "y")


def test_a_nul_in_a_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PathRefused):
        within(tmp_path, tmp_path / "a\0b")


def test_a_loop_of_links_is_not_outside_the_root(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "b")
    (tmp_path / "b").symlink_to(tmp_path / "a")
    assert within(tmp_path, tmp_path / "a").is_relative_to(tmp_path.resolve())


@given(ANY, st.integers(1, 80))
def test_printable_is_one_short_line_without_controls(text: str, limit: int) -> None:
    shown = printable(text, limit)
    assert len(shown) <= limit
    assert not any(unicodedata.category(c) in ("Cc", "Cs") for c in shown)
    assert not any(c in shown for c in "\u202e\u2066\u200b\ufeff")


def test_terminal_sequences_go_whole() -> None:
    assert printable("a\x1b[31mred\x1b[0m \x1b]0;title\x07b") == "ared b"


def test_a_cut_is_marked() -> None:
    assert printable("abcdef", 4) == "abc…"


def test_a_huge_text_is_not_read_to_its_end() -> None:
    assert printable("\x1b]" * 5_000_000, 10).endswith("…")


@given(ANY)
def test_one_line_is_stable_and_normal(text: str) -> None:
    line = one_line(text)
    assert one_line(line) == line
    assert unicodedata.is_normalized("NFC", line)
    assert "\n" not in line
    assert "\u202e" not in line


def test_joiners_of_scripts_and_emoji_stay() -> None:
    assert one_line("👩\u200d💻 a\u200cb") == "👩\u200d💻 a\u200cb"


@pytest.mark.parametrize(
    "value",
    [
        *("", "  ", "a/b", "a\\b", "a\0b", "a\nb", "a\x1bb", "a\u202eb", "a\u200bb", "a\x85b"),
        *("..", "x" * 201, "a\ud800", "a\U000e0041"),
    ],
)
def test_hostile_ids_have_a_fault(value: str) -> None:
    assert id_fault(value)


@pytest.mark.parametrize(
    "value", ["007", "on", "1e10", "a b", "été", "日本", "x" * 200, "a.b", "..."]
)
def test_plain_ids_have_none(value: str) -> None:
    assert id_fault(value) is None


def test_surrogates_are_replaced() -> None:
    assert no_surrogates("a\ud800") == "a\ufffd"


def test_a_file_of_the_limit_is_read_and_one_byte_more_is_not(tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_bytes(b"12345")
    assert read_bounded(file, 5) == b"12345"
    with pytest.raises(SourceError, match="larger than 4 bytes"):
        read_bounded(file, 4)


def test_a_fifo_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(SourceError, match="not a regular file"):
        read_bounded(tmp_path / "pipe", 10)


@pytest.mark.parametrize("name", ["gone", "a\0b", "."])
def test_what_cannot_be_opened_is_a_source_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(SourceError, match=r"cannot be read|not a regular"):
        read_bounded(tmp_path / name, 10)
