from __future__ import annotations

import json
import sys
import time

import llm
import pytest

from memskill.errors import ChatTimeout, ExtraMissing, ModelError, UsageError
from memskill.models.chat import OutOfReplies, Usage, chat_model


@pytest.fixture
def register(monkeypatch, tmp_path):
    """Return a function that makes `llm` know a model of ours for one test."""
    monkeypatch.setenv("LLM_USER_PATH", str(tmp_path))
    monkeypatch.setenv("LLM_LOAD_PLUGINS", "")
    names = []

    def add(model) -> None:
        class Plugin:
            __name__ = "ours"

            @llm.hookimpl
            def register_models(self, register):
                register(model, aliases=("ours",))

        llm.plugins.pm.register(Plugin(), name=f"ours-{id(model)}")
        names.append(f"ours-{id(model)}")

    yield add
    for name in names:
        llm.plugins.pm.unregister(name=name)


class Scripted(llm.Model):
    model_id = "ours-1"
    supports_schema = True
    can_stream = False

    def __init__(self, act) -> None:
        self.act, self.seen = act, []

    def execute(self, prompt, stream, response, conversation=None):
        self.seen.append(prompt)
        response.set_usage(input=5, output=3)
        yield self.act()


def test_an_llm_model_is_asked_by_alias_with_system_and_schema(register):
    model = Scripted(lambda: "hello")
    register(model)
    chat = chat_model("ours")
    reply = chat.complete("sys", "ask", {"type": "object"})
    assert (chat.name, reply.text) == ("llm:ours-1", "hello")
    assert reply.usage == Usage(input_tokens=5, output_tokens=3)
    assert (model.seen[0].system, model.seen[0].schema) == ("sys", {"type": "object"})


def test_an_llm_model_without_schemas_is_asked_without_one(register):
    model = Scripted(lambda: "hello")
    model.supports_schema = False
    register(model)
    chat_model("ours").complete("s", "p", {"type": "object"})
    assert model.seen[0].schema is None


def fail():
    raise ValueError("the key is wrong")


def test_whatever_a_plugin_raises_becomes_a_model_error(register):
    register(Scripted(fail))
    with pytest.raises(ModelError, match="ValueError: the key is wrong"):
        chat_model("ours").complete("s", "p", {})


def test_a_plugin_that_hangs_ends_at_the_deadline(register):
    register(Scripted(lambda: time.sleep(3) or ""))
    with pytest.raises(ChatTimeout):
        chat_model("ours", timeout_seconds=0.2).complete("s", "p", {})


def test_a_huge_reply_of_a_plugin_is_refused(register):
    register(Scripted(lambda: "x" * 2_000_000))
    with pytest.raises(ModelError, match="larger than"):
        chat_model("ours").complete("s", "p", {})


def test_an_unknown_model_says_how_to_find_one():
    with pytest.raises(ModelError) as caught:
        chat_model("no-such-model")
    assert "llm models" in caught.value.hint


def test_without_llm_the_install_line_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "llm", None)
    with pytest.raises(ExtraMissing) as caught:
        chat_model("gpt-4o")
    assert caught.value.hint == "pip install 'memskill[llm]'"


@pytest.mark.parametrize("text", ["one\n=== next reply ===\ntwo", json.dumps(["one", "two"])])
def test_scripted_replies_come_in_their_order(tmp_path, text):
    (tmp_path / "r.txt").write_text(text)
    model = chat_model(f"scripted:{tmp_path / 'r.txt'}")
    assert [model.complete("", "", {}).text for _ in range(2)] == ["one", "two"]
    with pytest.raises(OutOfReplies):
        model.complete("", "", {})


def test_a_scripted_model_is_named_after_its_file_and_never_cached(tmp_path):
    (tmp_path / "r.json").write_text("{}")
    model = chat_model(f"scripted:{tmp_path / 'r.json'}")
    assert (model.name, model.cacheable) == ("scripted:r.json", False)


@pytest.mark.parametrize("file", ["", "gone.json", "\0"])
def test_a_scripted_file_that_cannot_be_read_is_told(file):
    with pytest.raises(ModelError, match="scripted replies"):
        chat_model(f"scripted:{file}")


@pytest.mark.parametrize("spec", ["", " ", "extractive"])
def test_what_is_no_chat_model_is_refused(spec):
    with pytest.raises(UsageError):
        chat_model(spec)
