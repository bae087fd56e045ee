"""Fixtures that every folder shares: small vaults, and no setting from the outer world."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import hypothesis
import pytest
from helpers.tree import ROOT
from helpers.vaults import make_settings

from memskill.config import Settings
from memskill.models.fakes import HashEncoder

pytest_plugins = ("helpers.write_guard",)
# A shared machine has slow moments; a run that must be repeatable draws the same examples.
hypothesis.settings.register_profile(
    "memskill",
    deadline=None,
    derandomize=bool(os.environ.get("CI")),
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("memskill")


@pytest.fixture(autouse=True)
def _no_outer_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.startswith("MEMSKILL_"):
            monkeypatch.delenv(name)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings of an empty vault."""
    vault = tmp_path / "vault"
    (vault / "notes").mkdir(parents=True)
    return make_settings(vault)


@pytest.fixture
def encoder() -> HashEncoder:
    """An encoder that loads nothing."""
    return HashEncoder()


@pytest.fixture
def team(tmp_path: Path) -> Settings:
    """Settings of a copy of the fixture vault: 14 notes, 8 skills, 2 drafts."""
    ignored = shutil.ignore_patterns(".memskill")
    shutil.copytree(ROOT / "data" / "vault", tmp_path / "vault", ignore=ignored)
    return make_settings(tmp_path / "vault")
