"""The whole product on an invented team's vault, in a folder of its own."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib.resources.abc import Traversable
from pathlib import Path

from memskill.config import Settings
from memskill.errors import NotSkillWorthy, PathRefused
from memskill.pipeline.draft import DraftReport, DraftRequest, draft_skill
from memskill.pipeline.ingest import IngestReport, ingest
from memskill.pipeline.matching import Matching, MatchResult
from memskill.pipeline.notes import query_notes
from memskill.records import NoteHit
from memskill.shipped import shipped

QUESTION = "why does a host lookup from a pod take seconds?"
DRAFTED = ("infra/q12", "payments/q88")
TASKS = (
    "tollbooth restarts every few minutes since noon, its pods say OOMKilled",
    "the new quaymaster release throws errors at checkout, get us back to the old one",
    "somebody pasted the parcel API token into a public chat",
    "update the README changelog",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoReport:
    """What the demo did, step by step."""

    vault: Path
    ingested: IngestReport
    # A second run, which changes nothing.
    again: IngestReport
    question: str
    hits: list[NoteHit]
    drafts: list[DraftReport]
    # Address -> why its note is not worth a skill.
    refused: dict[str, str]
    # In the order of TASKS.
    answers: list[tuple[str, MatchResult]]


def run_demo(settings: Settings, folder: Path | None = None) -> DemoReport:
    """Copy the fixture vault, ingest it, draft, search and match; return what happened.

    Args:
        settings: Names the models; its vault is not touched.
        folder: Made by the demo, must not exist; a new temporary folder by default.

    Raises:
        PathRefused: `folder` exists.
    """
    if folder is None:
        folder = Path(tempfile.mkdtemp(prefix="memskill-demo-")) / "vault"
    if folder.exists():
        raise PathRefused(f"{folder} exists", hint="Name a folder that the demo may make.")
    for relative, data in _files(shipped("data") / "vault"):
        target = folder / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)
    own = replace(settings, vault=folder)
    first, again = ingest(own), ingest(own)
    drafts: list[DraftReport] = []
    refused: dict[str, str] = {}
    for address in DRAFTED:
        try:
            drafts.append(draft_skill(own, address, DraftRequest(model="extractive")))
        except NotSkillWorthy as error:
            refused[address] = error.message
    matching = Matching(own)
    return DemoReport(
        vault=folder,
        ingested=first,
        again=again,
        question=QUESTION,
        hits=query_notes(own, QUESTION, limit=3),
        drafts=drafts,
        refused=refused,
        answers=[(task, matching.match(task)) for task in TASKS],
    )


def _files(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """Yield (relative path, bytes) of everything below a folder, in order of path."""
    for entry in sorted(folder.iterdir(), key=lambda e: e.name):
        if entry.is_dir():
            yield from _files(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry.read_bytes()
