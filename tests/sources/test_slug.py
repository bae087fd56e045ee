import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.sources.slug import slug

SHAPE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
ANY = st.text(max_size=300) | st.sampled_from(["claude", "anthropic", "con", "-", "_drafts", ".."])


@given(ANY, ANY)
def test_every_address_has_a_slug_of_the_right_shape(project: str, query_id: str) -> None:
    name = slug(project, query_id)
    assert SHAPE.fullmatch(name)
    assert len(name) <= 64
    assert "claude" not in name
    assert "anthropic" not in name
    assert name == slug(project, query_id)


@given(st.from_regex(r"[a-z0-9]{1,12}(-[a-z0-9]{1,12})?", fullmatch=True))
def test_a_plain_name_stays_as_it_is(name: str) -> None:
    if "claude" not in name and "anthropic" not in name:
        assert slug("infra", name) == f"infra-{name}"


@pytest.mark.parametrize(
    ("project", "query_id", "name"),
    [
        ("Infra", "Pod CrashLoop", "infra-pod-crashloop"),
        ("infra", "007", "infra-007"),
        ("café", "Straße №5", "cafe-strasse-no5"),
        ("ﬁle", "Ⅷ", "file-viii"),
        ("a--b", "__c__", "a-b-c"),
        ("claude-code", "anthropic", "assistant-code-vendor"),
        ("../..", "etc/passwd", None),
    ],
)
def test_known_addresses(project: str, query_id: str, name: str | None) -> None:
    assert slug(project, query_id) == (name or slug(project, query_id))
    assert "/" not in slug(project, query_id)


def test_a_script_without_ascii_leaves_a_hash_that_tells_names_apart() -> None:
    first, second = slug("日本", "q1"), slug("中国", "q1")
    assert re.fullmatch(r"[0-9a-f]{8}-q1", first)
    assert first != second


def test_long_addresses_that_differ_at_the_end_have_different_slugs() -> None:
    assert slug("p", "a" * 100 + "1") != slug("p", "a" * 100 + "2")


def test_a_cut_leaves_no_hyphen_before_the_hash() -> None:
    assert "--" not in slug("p", "a" * 52 + "-" + "b" * 40)
