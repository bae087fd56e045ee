"""Small vaults of notes and lessons whose search runs on fakes."""

from __future__ import annotations

import dataclasses
from types import SimpleNamespace
from typing import Any

from memskill.config import Settings
from memskill.match.notepolicy import NotePolicy, own_path, write_policy
from memskill.models.calibration import Calibration
from memskill.models.fakes import HashEncoder
from memskill.pipeline.querying import Querying
from memskill.records import Lesson
from memskill.store import open_store

WEIGHTS = {"whole": 2, "title": 2, "passage": 4, "lexical": 4, "lesson": 0, "signature": 4}


def note_policy(**changes: Any) -> NotePolicy:
    """Return a fit for `HashEncoder` under which a few common words make a hit."""
    plain: dict[str, Any] = {
        "encoder_fingerprint": HashEncoder().fingerprint,
        "weights": {name: float(value) for name, value in WEIGHTS.items()},
        "k1": 1.2,
        "b": 0.75,
        "mean_length": 60.0,
        "calibration": Calibration(kind="platt", a=1.0, b=-4.0),
        "floor": 0.5,
    }
    return NotePolicy(**plain | changes)


def fake_querying(settings: Settings, **changes: Any) -> Querying:
    """Return notes search over `HashEncoder`, its fit written into the vault."""
    write_policy(own_path(settings), note_policy(**changes))
    encoder = HashEncoder()
    matching: Any = SimpleNamespace(
        matcher=SimpleNamespace(encoder=encoder), vector=lambda text: encoder.encode([text])[0]
    )
    return Querying(settings, matching)


def keep_lessons(settings: Settings, *lessons: Lesson) -> None:
    """Put lessons, each with one failure and one fix, into the database."""
    names = ("id", "tool", "subcommand", "signature", "scope", "symptom", "resolution", "command")
    rows = [{n: getattr(one, n) for n in (*names, "fix_command")} for one in lessons]
    events = [
        {"id": f"{one.id}-{kind}", "lesson_id": one.id, "session": "s",
         "happened_at": one.last_seen, "kind": kind, "call_id": f"c-{one.id}", "node_sha": ""}
        for one in lessons
        for kind in ("failure", "fix")
    ]  # fmt: skip
    with open_store(settings, write=True) as store, store.transaction():
        store.replace_lessons({one.scope for one in lessons}, rows, events)


def renamed(lesson: Lesson, **changes: Any) -> Lesson:
    """Return a lesson with other values."""
    return dataclasses.replace(lesson, **changes)
