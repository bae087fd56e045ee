from memskill.sources.fields import as_line, as_list, nested


def test_any_value_becomes_one_line() -> None:
    assert as_line(None) == ""
    assert as_line("  a\n\tb  ") == "a b"
    assert as_line(["a", "", ["b", "c"]]) == "a; b; c"
    assert as_line({"use": "x", "avoid": ["y", "z"]}) == "use: x; avoid: y; z"


def test_control_and_bidi_characters_go() -> None:
    assert as_line("a\u202eb\x1bc\ufeff") == "a b c"


def test_lists_and_separated_texts_are_the_same() -> None:
    assert as_list(["a", "b", "a", ""]) == as_list("a, b ,a,") == ("a", "b")
    assert as_list(None) == ()
    assert as_list("a b,c", r",\s") == ("a", "b", "c")


def test_a_flat_key_beats_one_under_metadata() -> None:
    data = {"x": "flat", "metadata": {"x": "deep", "y": "only"}}
    assert nested(data, "x") == "flat"
    assert nested(data, "y") == "only"
    assert nested({"metadata": "text"}, "y") is None
