"""What a training run says about itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainReport:
    """The settings and outcome of a run; written into the model card beside the weights."""

    kind: str
    # Folder of the trained network (torch), or of the exported one.
    target: Path
    base: str
    seed: int
    # sha256 over every file that was read.
    data_fingerprint: str
    examples: int
    steps: int
    seconds: float
    # Mean loss over the last tenth of the steps.
    loss: float
    settings: Mapping[str, object] = field(default_factory=dict[str, object])
