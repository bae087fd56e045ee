"""Settings that are switched on and off."""

from __future__ import annotations

import pytest

from memskill.config import load_settings
from memskill.errors import ConfigError


def _load(tmp_path, text="", **environ):
    (tmp_path / "memskill.toml").write_text(text, encoding="utf-8")
    return load_settings({"vault": tmp_path}, environ=environ)


def test_a_switch_is_off_unless_it_is_set(tmp_path):
    assert _load(tmp_path).feedback_log is False


@pytest.mark.parametrize(("said", "value"), [("true", True), ("false", False)])
def test_a_switch_is_read_from_the_file(tmp_path, said, value):
    assert _load(tmp_path, f"feedback_log = {said}\n").feedback_log is value


@pytest.mark.parametrize(("said", "value"), [("true", True), ("FALSE", False), (" True ", True)])
def test_a_switch_is_read_from_the_environment(tmp_path, said, value):
    assert _load(tmp_path, MEMSKILL_FEEDBACK_LOG=said).feedback_log is value


@pytest.mark.parametrize("said", ["1", "0", '"yes"', '"on"', '""', "1.0", "[true]"])
def test_a_switch_takes_nothing_but_true_and_false(tmp_path, said):
    with pytest.raises(ConfigError, match="'feedback_log' must be true or false"):
        _load(tmp_path, f"feedback_log = {said}\n")


@pytest.mark.parametrize("key", ["threads", "encoder", "rescan_seconds"])
def test_other_settings_take_no_switch(tmp_path, key):
    with pytest.raises(ConfigError, match=f"{key!r} must be"):
        _load(tmp_path, f"{key} = true\n")
