import pytest

from memskill.errors import NoteInvalid
from memskill.sources.notefields import (
    Faults,
    default_query,
    read_created,
    read_level,
    read_parents,
    read_tags,
    read_trust,
)


@pytest.mark.parametrize(
    ("written", "level"),
    [("", "L1"), ("L0", "L0"), ("l2", "L2"), ("1", "L1"), ("2", "L2"), (" L2 ", "L2"), ("0", "L0")],
)
def test_levels_are_read_as_people_write_them(written: str, level: str) -> None:
    assert read_level({"level": written}) == level


def test_a_note_without_level_is_l1() -> None:
    assert read_level({}) == "L1"


@pytest.mark.parametrize("written", ["L3", "three", "-1", "1.0"])
def test_another_level_is_refused(written: str) -> None:
    with pytest.raises(NoteInvalid, match="level"):
        read_level({"level": written})


@pytest.mark.parametrize(
    ("written", "time"),
    [
        ("2024-01-02", "2024-01-02T00:00:00Z"),
        ("2024-01-02T03:04:05", "2024-01-02T03:04:05Z"),
        ("2024-01-02 03:04", "2024-01-02T03:04:00Z"),
        ("2024-01-02T03:04:05+02:00", "2024-01-02T01:04:05Z"),
        ("2024-01-02T03:04:05.678Z", "2024-01-02T03:04:05Z"),
        ("", ""),
    ],
)
def test_times_become_utc(written: str, time: str) -> None:
    faults: Faults = []
    assert read_created({"created": written}, faults) == time
    assert read_created({"created_at": written, "created": "2000-01-01"}, faults) == (
        time or "2000-01-01T00:00:00Z"
    )
    assert faults == []


@pytest.mark.parametrize("written", ["yesterday", "2024-13-01", "0001-01-01T00:00:00+23:00"])
def test_a_time_that_is_none_is_left_out_with_a_fault(written: str) -> None:
    faults: Faults = []
    assert read_created({"created": written}, faults) == ""
    assert faults[0][0] == "created"


def test_an_unknown_trust_is_the_least() -> None:
    faults: Faults = []
    assert read_trust({"trust": "root"}, faults) == "imported"
    assert len(faults) == 1
    assert read_trust({"trust": "Agent"}, faults) == "agent"
    assert read_trust({}, faults) == "person"


def test_parents_are_addresses_however_they_are_linked() -> None:
    faults: Faults = []
    written = ["infra/a", "[[infra/b]]", "[[notes/infra/c.md|the c]]", "d", "infra/a"]
    parents = read_parents({"parents": list(written)}, "here", faults)
    assert parents == ("infra/a", "infra/b", "infra/c", "here/d")
    assert faults == []


def test_an_unquoted_wiki_link_is_a_parent_too() -> None:
    # YAML reads [[infra/b]] as a list in a list.
    assert read_parents({"parents": [["infra/b"]]}, "x", []) == ("infra/b",)


def test_a_parent_that_is_no_address_is_left_out() -> None:
    faults: Faults = []
    assert read_parents({"parents": ["a/", "x" * 300, "ok"]}, "p", faults) == ("p/ok",)
    assert [name for name, _ in faults] == ["parents", "parents"]


def test_tags_lose_their_hash_and_doubles() -> None:
    assert read_tags({"tags": "#a, b c #a"}) == ("a", "b", "c")
    assert read_tags({"tags": ["#a", "b c", ""]}) == ("a", "b c")
    assert read_tags({}) == ()


@pytest.mark.parametrize(
    ("body", "query"),
    [
        ("# How to  drain a node #\ntext", "How to drain a node"),
        ("text first\n\n## Then a heading", "Then a heading"),
        ("```\n# a comment\n```\nDo this. Then that.", "Do this."),
        ("One sentence! Another.", "One sentence!"),
        ("雨が降る。風が吹く。", "雨が降る。"),
        ("no end", "no end"),
        ("#hashtag is no heading. Really", "#hashtag is no heading."),
        ("```\nonly code\n```", "``` only code ```"),
        ("x" * 300, "x" * 199 + "…"),
        ("# \u202e\n#", "#"),
    ],
)
def test_a_note_says_what_it_is_about(body: str, query: str) -> None:
    assert default_query(body) == query
