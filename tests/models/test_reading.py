from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.models.reading import readable


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("我在看 OrderService 的 checkout flow。", "OrderService checkout flow"),
        ("PR から loom-code の漏れ", "PR loom-code"),
        ("kubectl로 pod 재시작", "kubectl pod"),
    ],
)
def test_latin_words_stay_and_cjk_runs_go(text, read):
    assert readable(text) == read


@pytest.mark.parametrize("text", ["長城は宇宙から見えるか", "5 人に x を", "", "déjà  vu\n", "да"])
def test_a_text_without_cjk_or_without_a_latin_word_is_untouched(text):
    assert readable(text) == text


@given(st.text())
def test_reading_twice_changes_nothing(text):
    assert readable(readable(text)) == readable(text)
