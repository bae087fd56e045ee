from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memskill.errors import ConfigError
from memskill.models.spec import ModelSpec, parse_spec


@pytest.mark.parametrize(
    ("value", "spec"),
    [
        ("default", ModelSpec(kind="default")),
        ("none", ModelSpec(kind="none")),
        ("onnx:/m", ModelSpec(kind="onnx", target="/m")),
        ("hf:BAAI/bge-reranker-base", ModelSpec(kind="hf", target="BAAI/bge-reranker-base")),
        ("hf:/m?backend=onnx", ModelSpec(kind="hf", target="/m", options={"backend": "onnx"})),
        ("http:http://h:1/v1", ModelSpec(kind="http", target="http://h:1/v1")),
        ("http://h:1", ModelSpec(kind="http", target="http://h:1")),
        (
            "https://h?shape=tei&scores=raw",
            ModelSpec(kind="http", target="https://h", options={"shape": "tei", "scores": "raw"}),
        ),
    ],
)
def test_a_setting_is_taken_apart(value, spec):
    assert parse_spec("reranker", value) == spec


@pytest.mark.parametrize("value", ["", "Default", "hf:", "hf", "fake", "torch:x", "/m", "none:"])
def test_what_has_no_such_form_is_refused_with_the_forms(value):
    with pytest.raises(ConfigError, match="reranker") as caught:
        parse_spec("reranker", value)
    assert "hf:NAME_OR_PATH" in caught.value.hint


def test_an_encoder_cannot_be_none():
    with pytest.raises(ConfigError) as caught:
        parse_spec("encoder", "none")
    assert "none" not in caught.value.hint


@pytest.mark.parametrize("value", ["hf:m?bakcend=onnx", "http://h?backend=onnx", "onnx:/m?a=1"])
def test_an_option_that_the_form_lacks_is_refused(value):
    with pytest.raises(ConfigError, match="has no option"):
        parse_spec("reranker", value)


@settings(deadline=None)
@given(st.text())
def test_any_text_is_read_or_refused(text):
    try:
        spec = parse_spec("reranker", text)
    except ConfigError:
        return
    assert spec.kind in ("default", "none") or spec.target


def test_a_choice_defaults_to_the_first_and_refuses_strangers():
    spec = parse_spec("reranker", "hf:m?backend=openvino")
    assert spec.choice("backend", ("torch", "openvino")) == "openvino"
    assert spec.choice("scores", ("raw", "probability")) == "raw"
    with pytest.raises(ConfigError, match="backend=openvino"):
        spec.choice("backend", ("torch", "onnx"))
