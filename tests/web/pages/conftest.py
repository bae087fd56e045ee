"""A vault, and its page with models that load nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask.testing import FlaskClient
from helpers.serving import copy_vault, fake_client

from memskill.config import Settings


@pytest.fixture
def vault(tmp_path: Path) -> Settings:
    """Settings of a copy of the fixture vault."""
    return copy_vault(tmp_path / "vault")


@pytest.fixture
def client(vault: Settings) -> FlaskClient:
    """A browser's client of its page; the floor is 0.3."""
    return _browser(vault)


@pytest.fixture(scope="session")
def shared_vault(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    """The same for tests that only look: nothing in it may change."""
    return copy_vault(tmp_path_factory.mktemp("shared") / "vault")


@pytest.fixture(scope="session")
def shared_client(shared_vault: Settings) -> FlaskClient:
    """A browser's client of the shared page."""
    return _browser(shared_vault)


def _browser(settings: Settings) -> FlaskClient:
    made = fake_client(settings, 0.3)
    made.environ_base["HTTP_ACCEPT"] = "text/html,application/xhtml+xml,*/*;q=0.8"
    return made
