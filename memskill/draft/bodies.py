"""What a draft is made of, between the model's reply and the file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memskill.records import Node

Profile = Literal["flat", "spec"]
# Bump when the wording of the prompt or of the extractive drafter changes what comes out.
PROMPT_VERSION = "1"


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thing to do, how to see that it worked, and what to do when it did not."""

    do: str
    # Verbatim block that belongs to the step; empty for none.
    code: str = ""
    language: str = ""
    check: str = ""
    on_failure: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftBody:
    """The parts that a drafter supplies. The name and the provenance are set by code."""

    title: str
    # What it does, "Use when ...", "Not for ...": one line.
    description: str
    when_to_use: str = ""
    steps: tuple[Step, ...] = ()
    # What to do when something is off, where no one step is meant.
    failures: tuple[str, ...] = ()
    pitfalls: tuple[str, ...] = ()
    verification: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A body with its name and its provenance: all that the file says."""

    name: str
    node: Node
    body: DraftBody
    model: str
    # UTC, ISO 8601 with Z, to the second.
    generated_at: str
    prompt_version: str = PROMPT_VERSION


@dataclass(frozen=True, slots=True, kw_only=True)
class Published:
    """What the door did with a draft."""

    path: Path
    # `proposed`: a person edited the draft, so the new text lies beside it.
    action: Literal["written", "unchanged", "proposed", "replaced"]
    # sha256 of what lies at `path` now.
    sha: str
    # Where the former text went on `replaced`.
    backup: Path | None = None
    # Unified diff from the file on disk to the new text on `proposed` and `replaced`.
    diff: str = ""
