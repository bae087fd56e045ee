"""Notes, lessons and contexts over small vaults, with models that know nothing of language."""

from __future__ import annotations

import atexit
import functools
import shutil
import tempfile
from datetime import datetime
from pathlib import Path

from helpers.serving import copy_vault, fake_matching
from helpers.tree import ROOT
from helpers.vaults import make_settings
from memskill.config import Settings
from memskill.match.notepolicy import FEATURES, NotePolicy, own_path, write_policy
from memskill.models.calibration import Calibration
from memskill.models.fakes import HashEncoder
from memskill.pipeline.context import Contexts
from memskill.pipeline.ingest import ingest
from memskill.pipeline.transcripts import ingest_transcripts

TRANSCRIPTS = ROOT / "data" / "transcripts"
NOW = datetime(2026, 4, 1)


def learn(settings: Settings, *transcripts: Path) -> None:
    """Read the vault and transcripts (the fixture's by default) into the database."""
    ingest(settings, encoder=HashEncoder())
    ingest_transcripts(settings, list(transcripts or [TRANSCRIPTS]), now=NOW)


@functools.cache
def _learned() -> Path:
    """Return a vault that has read the fixture once; copied for each test that wants it."""
    home = Path(tempfile.mkdtemp(prefix="memskill-test-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    settings = copy_vault(home / "vault")
    learn(settings)
    return settings.vault


def learned_vault(target: Path) -> Settings:
    """Return settings of a copy of the fixture's vault, its notes and transcripts ingested."""
    shutil.copytree(_learned(), target)
    return make_settings(target)


def set_note_floor(settings: Settings, floor: float = 0.5) -> None:
    """Fit notes search to the fake encoder: words in common and pasted errors decide."""
    weights = {**dict.fromkeys(FEATURES, 0.0), "passage": 1.0, "lexical": 6.0, "signature": 6.0}
    policy = NotePolicy(
        encoder_fingerprint=HashEncoder().fingerprint,
        weights=weights,
        k1=1.2,
        b=0.75,
        mean_length=90,
        calibration=Calibration.from_mapping({"kind": "platt", "a": 1, "b": -4.0, "c": 0.0}),
        floor=floor,
    )
    write_policy(own_path(settings), policy)


def fake_contexts(settings: Settings, floor: float = 0.5) -> Contexts:
    """Return contexts with fake models, both floors set in the vault."""
    set_note_floor(settings, floor)
    return Contexts(fake_matching(settings, floor))
