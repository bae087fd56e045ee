import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.errors import SourceError
from memskill.sources.encoding import decode

TEXT = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]))


@given(TEXT)
def test_utf8_comes_back_unchanged(text: str) -> None:
    assert decode(text.encode()) == (text.removeprefix("\ufeff"), None)


def test_a_byte_order_mark_is_dropped() -> None:
    assert decode(codecs.BOM_UTF8 + b"name") == ("name", None)


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_with_a_mark_is_read_and_reported(codec: str) -> None:
    text, problem = decode("\ufeffgrüß".encode(codec))
    assert text == "grüß"
    assert problem is not None
    assert "UTF-16" in problem


def test_windows_text_is_read_and_reported_with_its_line() -> None:
    text, problem = decode(b"one\ncaf\xe9 \x93quoted\x94")
    assert text == "one\ncaf\u00e9 \u201cquoted\u201d"
    assert problem == "is not UTF-8 (line 2); read as Windows-1252"


def test_a_byte_that_windows_lacks_falls_back_to_latin_1() -> None:
    text, problem = decode(b"a\x81b")
    assert text == "a\x81b"
    assert problem is not None
    assert problem.endswith("Latin-1")


@pytest.mark.parametrize("data", [b"\0", b"text\0text", "x".encode("utf-16-le"), b"\xff\xfe\0\0"])
def test_binary_is_refused(data: bytes) -> None:
    with pytest.raises(SourceError, match="binary"):
        decode(data)


def test_broken_utf16_is_refused() -> None:
    with pytest.raises(SourceError, match="broken UTF-16"):
        decode(codecs.BOM_UTF16_LE + b"a")


@pytest.mark.parametrize("data", [b"a\r\nb\r\nc", b"a\rb\rc", b"a\nb\r\nc"])
def test_newlines_become_line_feeds(data: bytes) -> None:
    assert decode(data)[0] == "a\nb\nc"


@given(st.binary(max_size=200))
def test_any_bytes_are_text_or_a_source_error(data: bytes) -> None:
    try:
        text, _ = decode(data)
    except SourceError:
        return
    assert "\0" not in text
    assert "\r" not in text
