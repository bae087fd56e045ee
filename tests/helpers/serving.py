"""Matching and its HTTP app over small vaults: with the shipped models, or with fakes."""

from __future__ import annotations

import dataclasses
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from flask.testing import FlaskClient

from helpers.tree import ROOT
from helpers.vaults import make_settings
from memskill.config import Settings
from memskill.match.floorfile import write_floor
from memskill.match.matcher import Matcher
from memskill.match.policy import shipped_hybrid
from memskill.models.fakes import HashEncoder, OverlapReranker
from memskill.pipeline.matching import Matching
from memskill.records import Floor
from memskill.web import create_app

FIXTURE = ROOT / "data" / "vault"


def copy_vault(target: Path, skills: Iterable[str] | None = None) -> Settings:
    """Return settings of a copy of the fixture vault with both drafts and only these skills."""
    shutil.copytree(FIXTURE, target)
    for folder in (target / "skills").iterdir():
        if skills is not None and folder.name not in {"_drafts", *skills}:
            shutil.rmtree(folder)
    return make_settings(target)


def fake_matcher(**changes: Any) -> Matcher:
    """Return a matcher whose models know nothing of language and load nothing.

    Everything is reranked, and a score of 0.5 means half of the task's words.
    """
    values: dict[str, Any] = {
        "encoder": HashEncoder(),
        "reranker": OverlapReranker(),
        "hybrid": dataclasses.replace(shipped_hybrid(), recall_cut=-1e9),
        "shortlist_size": 20,
    }
    return Matcher(**values | changes)


def fake_matching(settings: Settings, floor: float = 0.5, **changes: Any) -> Matching:
    """Return matching with `fake_matcher`, its floor set in the vault."""
    matcher = fake_matcher(**changes)
    set_floor(settings, matcher, floor)
    return Matching(settings, matcher)


def set_floor(settings: Settings, matcher: Matcher, value: float) -> None:
    """Write floor.toml for the models of `matcher`."""
    write_floor(
        settings,
        Floor(
            value=value,
            encoder_fingerprint=matcher.encoder.fingerprint,
            reranker_fingerprint=matcher.reranker_fingerprint,
            origin="set by hand",
        ),
    )


def fake_client(settings: Settings, floor: float = 0.5, **changes: Any) -> FlaskClient:
    """Return a client of an app with `fake_matching`."""
    return create_app(settings, fake_matching(settings, floor, **changes)).test_client()


def ask(client: FlaskClient, task: str, **params: object) -> list[dict[str, Any]]:
    """Return what comes back for a task."""
    reply = client.get("/memory/skills", query_string={"task": task, **params})
    assert reply.status_code == 200, reply.text
    return reply.get_json()


def explained(client: FlaskClient, task: str, **params: object) -> dict[str, Any]:
    """Return the explanation of an answer."""
    query = {"task": task, "explain": 1, **params}
    return client.get("/memory/skills", query_string=query).get_json()
