from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.config import _AT_LEAST, _AT_MOST, SETTING_NAMES, Settings, load_settings
from memskill.errors import ConfigError

DEFAULTS = Settings(vault="x")
NUMBERS = sorted(n for n in SETTING_NAMES if type(getattr(DEFAULTS, n)) in (int, float))


@pytest.fixture
def vault(tmp_path):
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


def _load(vault, toml="", env=None, **flags):
    (vault / "memskill.toml").write_text(toml, encoding="utf-8")
    return load_settings({"vault": str(vault), **flags}, environ=env or {})


def test_later_layers_beat_earlier_ones(vault):
    assert _load(vault).threads == 0
    assert _load(vault, "threads = 1").threads == 1
    assert _load(vault, "threads = 1", {"MEMSKILL_THREADS": "2"}).threads == 2
    assert _load(vault, "threads = 1", {"MEMSKILL_THREADS": "2"}, threads=3).threads == 3


def test_every_value_knows_its_origin(vault):
    origins = _load(vault, "threads = 1", {"MEMSKILL_PORT": "9000"}, host="0.0.0.0").origins
    assert origins["threads"] == str(vault / "memskill.toml")
    assert origins["port"] == "MEMSKILL_PORT"
    assert origins["host"] == "flag"
    assert origins["encoder"] == "default"
    assert set(origins) == {"vault", *SETTING_NAMES}


def test_a_flag_that_was_not_given_counts_for_nothing(vault):
    assert _load(vault, "threads = 1", threads=None).threads == 1


def test_the_vault_is_the_flag_then_the_variable_then_the_nearest_file_then_vault(tmp_path):
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    env = {"MEMSKILL_VAULT": "from-env"}
    assert load_settings({"vault": "f"}, environ=env, cwd=deep).vault == deep / "f"
    assert load_settings(environ=env, cwd=deep).vault == deep / "from-env"
    assert load_settings(environ={}, cwd=deep).vault == deep / "vault"
    (tmp_path / "memskill.toml").write_text("")
    found = load_settings(environ={}, cwd=deep)
    assert found.vault == tmp_path
    assert found.origins["vault"] == str(tmp_path / "memskill.toml")
    (tmp_path / "a" / "memskill.toml").write_text("")
    assert load_settings(environ={}, cwd=deep).vault == tmp_path / "a"


def test_places_follow_from_the_vault(vault):
    settings = _load(vault)
    assert settings.database == vault / ".memskill" / "memory.duckdb"
    assert settings.nodes_dir == vault / ".memskill" / "nodes"
    assert settings.drafts_dir == vault / "skills" / "_drafts"


@pytest.mark.parametrize(
    ("toml", "env"),
    [("thread = 1", {}), ("", {"MEMSKILL_THREAD": "1"}), ("[threads]\na = 1\n", {})],
)
def test_an_unknown_or_nested_setting_is_refused(vault, toml, env):
    with pytest.raises(ConfigError, match="thread"):
        _load(vault, toml, env)


def test_an_unknown_setting_names_the_nearest_or_the_list(vault):
    with pytest.raises(ConfigError) as caught:
        _load(vault, "treads = 1")
    assert "'threads'" in caught.value.hint
    with pytest.raises(ConfigError) as caught:
        _load(vault, "zzz = 1")
    assert "mem help settings" in caught.value.hint


@pytest.mark.parametrize(
    "toml",
    [
        "threads = 1.5",
        "threads = inf",
        "threads = true",
        'threads = "many"',
        "threads = [1]",
        "encoder = 1",
        "encoder = false",
        "rescan_seconds = nan",
        "rescan_seconds = inf",
        "chat_timeout_seconds = -inf",
        'feedback_log = "perhaps"',
        "feedback_log = 1",
        "port = 65536",
        "port = -1",
        f"max_file_bytes = {10**15}",
        "threads = 9223372036854775807",
    ],
)
def test_a_value_that_cannot_be_is_refused_by_place_and_name(vault, toml):
    with pytest.raises(ConfigError) as caught:
        _load(vault, toml)
    assert str(vault / "memskill.toml") in caught.value.message
    assert toml.split()[0] in caught.value.message


@pytest.mark.parametrize("value", ["9" * 400, "1" * 5000, "", " ", "0x10", "1e3", "\u0664\u0662x"])
def test_a_number_from_the_environment_must_be_one_that_can_be(vault, value):
    with pytest.raises(ConfigError, match="MEMSKILL_THREADS"):
        _load(vault, env={"MEMSKILL_THREADS": value})


@pytest.mark.parametrize("name", NUMBERS)
def test_every_number_has_bounds_that_hold(vault, name):
    least = _AT_LEAST[name]
    kind = type(getattr(DEFAULTS, name))
    assert getattr(_load(vault, **{name: kind(least)}), name) == least
    with pytest.raises(ConfigError, match="at least"):
        _load(vault, **{name: kind(least - 1)})
    with pytest.raises(ConfigError, match="at most"):
        _load(vault, **{name: kind(_AT_MOST.get(name, 1e12) + 1)})


@pytest.mark.parametrize(("text", "value"), [("true", True), ("False", False), (" TRUE ", True)])
def test_a_switch_is_said_in_words(vault, text, value):
    assert _load(vault, env={"MEMSKILL_FEEDBACK_LOG": text}).feedback_log is value


@pytest.mark.parametrize("text", ["not = = toml", "threads = 1\nthreads = 2\n", "a = \x00"])
def test_a_file_that_is_not_toml_is_named(vault, text):
    with pytest.raises(ConfigError, match=r"memskill\.toml"):
        _load(vault, text)


def test_a_file_that_is_not_utf8_is_named(vault):
    (vault / "memskill.toml").write_bytes(b"host = '\xff'")
    with pytest.raises(ConfigError, match=r"memskill\.toml"):
        load_settings({"vault": str(vault)}, environ={})


def test_a_bom_in_the_file_is_passed_over(vault):
    (vault / "memskill.toml").write_bytes(b"\xef\xbb\xbfthreads = 2")
    assert load_settings({"vault": str(vault)}, environ={}).threads == 2


def test_the_process_environment_is_the_default(vault, monkeypatch):
    monkeypatch.setenv("MEMSKILL_PORT", "9001")
    assert load_settings({"vault": str(vault)}).port == 9001


VALUES = st.one_of(st.text(), st.integers(), st.floats(), st.booleans())


@given(st.sampled_from(SETTING_NAMES), VALUES)
def test_any_value_is_taken_in_its_type_or_refused_by_name(name, value):
    try:
        settings = load_settings({"vault": "/nowhere", name: value}, environ={})
    except ConfigError as error:
        said = error.message
    else:
        said = name
        assert type(getattr(settings, name)) is type(getattr(DEFAULTS, name))
    assert name in said
