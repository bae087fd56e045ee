"""A setting's line is changed, and nothing else in the file."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.errors import ConfigError
from memskill.sources.tomlline import with_setting

FILE = """\
# Settings of this vault.

# encoder = "default"
# reranker = "default"
threads = 2  # of eight
"""


def test_a_new_line_follows_the_comment_that_shows_it():
    out = with_setting(FILE, "reranker", "onnx:/models/r")
    assert out.splitlines()[3:5] == ['# reranker = "default"', 'reranker = "onnx:/models/r"']
    assert out.replace('reranker = "onnx:/models/r"\n', "") == FILE


def test_the_line_that_sets_it_is_replaced_and_taken_away():
    once = with_setting(FILE, "reranker", "none")
    twice = with_setting(once, "reranker", "default")
    assert tomllib.loads(twice) == {"threads": 2, "reranker": "default"}
    assert with_setting(twice, "reranker", None) == FILE


def test_an_empty_file_and_one_without_a_last_newline_are_files_too():
    assert with_setting("", "encoder", "default") == 'encoder = "default"\n'
    assert with_setting("threads = 1", "encoder", "x") == 'threads = 1\nencoder = "x"\n'


@pytest.mark.parametrize(
    "text",
    [
        'host = """\nreranker = "no setting"\n"""\nreranker = "default"\n',
        'reranker = """\ndefault"""\n',
        "[table]\n",
        "reranker = ",
    ],
)
def test_a_file_that_cannot_be_changed_by_one_line_is_refused(text):
    with pytest.raises(ConfigError):
        with_setting(text, "reranker", "none")


@given(st.text(alphabet=st.characters(codec="utf-8")))
def test_whatever_the_value_it_is_read_back(value):
    assert tomllib.loads(with_setting(FILE, "reranker", value))["reranker"] == value
