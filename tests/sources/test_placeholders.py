import pytest

from memskill.sources.placeholders import looks_given, looks_mixed, looks_valued


@pytest.mark.parametrize(
    "value",
    [
        *("<token>", "${TOKEN}", "$TOKEN", "{{ token }}", "%s", "your-token-1", "YOUR_KEY_1"),
        *("yourKey1", "sk-ant-...", "ghp_xxxx", "****", "changeme1", "password", "None", "abc…"),
        "example-key-1",
    ],
)
def test_gaps_are_not_given(value: str) -> None:
    assert not looks_given(value)
    assert not looks_mixed(value)


@pytest.mark.parametrize("value", ["hunter2", "swordfish", "theta9", "mystery7", "anna-2004"])
def test_what_was_filled_in_is_given(value: str) -> None:
    assert looks_given(value)


@pytest.mark.parametrize(
    "value",
    ["string", "plain-words", "some.module.attr2", "process.env.KEY_1", "include", "sk-ant-"],
)
def test_words_and_lookups_are_no_values(value: str) -> None:
    assert not looks_valued(value)


def test_a_key_mixes_letters_and_digits() -> None:
    assert looks_mixed("a1b2c3")
    assert not looks_mixed("123456")
    assert not looks_mixed("abc!def")
