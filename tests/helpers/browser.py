"""Debian's own Chromium, driven through Playwright: no browser is downloaded."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

import pytest

from memskill.config import Settings
from memskill.pipeline.matching import Matching
from memskill.web import create_app
from memskill.web.server import Server

# A shared machine has slow moments.
TIMEOUT_MS = 120_000
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip


def chromium() -> str:
    """Return where Chromium lies; without one the test is skipped, in CI it fails."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found:
        return found
    reason = "no Chromium here: apt-get install chromium"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def launched() -> Generator[Any]:
    """Yield a headless browser."""
    path = chromium()
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=list(_FLAGS), timeout=TIMEOUT_MS
        )
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def served(settings: Settings, matching: Matching) -> Generator[str]:
    """Serve an app in a thread, as `mem serve` does, and yield its URL."""
    server = Server(create_app(settings, matching), settings)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.url
    finally:
        server.stop()
        thread.join(timeout=60)
