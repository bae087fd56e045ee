"""Terms: spellings of one word meet, stop words are gone, identifiers fall apart."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.sources.terms import STOP_WORDS, stem, terms


@pytest.mark.parametrize(
    "spellings",
    [
        ("write", "writes", "writing"),
        ("migrate", "migrates", "migrating", "migrated", "migration", "migrations"),
        ("plan", "plans", "planning", "planned"),
        ("query", "queries"),
        ("class", "classes"),
        ("box", "boxes"),
        ("call", "calls", "calling", "called"),
        ("optimize", "optimise", "optimising", "optimizing"),
        ("analysis", "analyses"),
        ("invoice", "invoices", "Invoice", "INVOICES"),
    ],
)
def test_spellings_of_one_word_meet(spellings: tuple[str, ...]) -> None:
    assert len({tuple(terms(word)) for word in spellings}) == 1


@pytest.mark.parametrize("name", ["create-invoice", "create_invoice", "createInvoice"])
def test_identifiers_fall_into_their_words(name: str) -> None:
    assert terms(name) == terms("create invoice")


def test_a_brand_of_two_humps_stays_whole() -> None:
    assert terms("GitHub and DuckDB") == ["github", "duckdb"]


def test_versions_and_languages_keep_their_signs() -> None:
    assert terms("k8s v3 C++ C# 404") == ["k8s", "v3", "c++", "c#", "404"]


def test_accents_do_not_part_words() -> None:
    assert terms("naïve Café") == terms("naive cafe")


def test_scripts_without_spaces_yield_pairs() -> None:
    assert terms("数据分析") == ["数据", "据分", "分析"]
    assert set(terms("分析")) <= set(terms("数据分析报告"))


def test_noise_longer_than_a_word_is_left_out() -> None:
    assert terms("deadbeef" * 20) == []


@pytest.mark.parametrize("hostile", ["aB" * 500_000, "ab " * 300_000, "_" * 10**6, "é" * 10**6])
def test_a_megabyte_is_read_in_a_moment(hostile: str) -> None:
    started = time.perf_counter()
    terms(hostile)
    assert time.perf_counter() - started < 5


@given(st.text(max_size=300))
def test_any_text_yields_terms_without_stop_words_or_blanks(text: str) -> None:
    found = terms(text)
    assert not set(found) & (STOP_WORDS - {stem(word) for word in terms(text)})
    assert all(term and not any(char.isspace() for char in term) for term in found)


@given(st.from_regex(r"[a-z]{1,12}", fullmatch=True))
def test_case_never_parts_a_word_from_itself(word: str) -> None:
    assert terms(word) == terms(word.upper())
