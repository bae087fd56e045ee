"""How notes search weighs its evidence, and from which score on it answers: one encoder's fit."""

from __future__ import annotations

import functools
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from memskill.config import Settings
from memskill.errors import ConfigError, FloorMissing, MemskillError, ModelError
from memskill.models.calibration import Calibration
from memskill.models.registry import WEIGHTS
from memskill.sources.atomic import write_atomic
from memskill.store import NoteWeights

SHIPPED = WEIGHTS / "notes.json"
OWN_FILE = "notes.json"
FIT_COMMAND = 'mem floor tune --for notes --tasks FILE --target "false_fire<=0.1"'
# What SQL weighs, and what is added outside: how well a pasted error meets a lesson's signature.
IN_SQL = ("whole", "title", "passage", "lexical", "lesson")
FEATURES = (*IN_SQL, "signature")


@dataclass(frozen=True, slots=True, kw_only=True)
class NotePolicy:
    """Weights, calibration and floor of notes search, bound to one encoder."""

    encoder_fingerprint: str
    # Of each of FEATURES; all but `lesson` are >= 0.
    weights: Mapping[str, float]
    k1: float
    b: float
    mean_length: float
    # From the weighed sum to the chance that a hit answers the question.
    calibration: Calibration
    # The least score that is returned, in [0, 1].
    floor: float
    # "shipped" or "notes.json".
    origin: str = ""
    data_fingerprint: str = ""
    seed: int = 0
    # Figures of the fit; none of a question's text.
    report: Mapping[str, object] = field(default_factory=dict[str, object])

    @property
    def shortlist(self) -> NoteWeights:
        """What the SQL shortlist needs."""
        weights = {name: self.weights[name] for name in IN_SQL}
        return NoteWeights(weights=weights, k1=self.k1, b=self.b, mean_length=self.mean_length)

    @property
    def fingerprint(self) -> str:
        """Sha of all that a score depends on but the encoder."""
        said = [*(self.weights[name] for name in FEATURES), self.k1, self.b, self.mean_length]
        return hashlib.sha256(repr((said, self.calibration)).encode()).hexdigest()

    def as_mapping(self) -> dict[str, object]:
        """Return what the file holds of it."""
        return {
            "encoder_fingerprint": self.encoder_fingerprint,
            "weights": {name: self.weights[name] for name in FEATURES},
            "lexical": {"k1": self.k1, "b": self.b, "mean_length": self.mean_length},
            "calibration": self.calibration.as_mapping(),
            "floor": self.floor,
            "data_fingerprint": self.data_fingerprint,
            "seed": self.seed,
            "report": dict(self.report),
        }


def note_policy_in_force(settings: Settings, encoder_fingerprint: str) -> NotePolicy:
    """Return the fit for this encoder: the vault's own, else the shipped one.

    Raises:
        FloorMissing: Neither is bound to this encoder; the hint is the command that fits one.
        ConfigError: The vault's own file is damaged.
        ModelError: The shipped file is damaged.
    """
    own = own_policies(settings)
    for policy in (*own, *shipped_policies()):
        if policy.encoder_fingerprint == encoder_fingerprint:
            return policy
    raise FloorMissing(
        f"no floor of notes search was fitted for encoder {encoder_fingerprint[:12]}"
        + ("; notes.json is bound to another one" if own else ""),
        hint=f"Fit one: {FIT_COMMAND}",
    )


def own_path(settings: Settings) -> Path:
    """Return `<vault>/.memskill/notes.json`."""
    return settings.state_dir / OWN_FILE


def own_policies(settings: Settings) -> tuple[NotePolicy, ...]:
    """Return the vault's own fits; none without the file.

    Raises:
        ConfigError: The file is damaged; the message names it.
    """
    return tuple(_read(own_path(settings), OWN_FILE))


@functools.cache
def shipped_policies(path: Path = SHIPPED) -> tuple[NotePolicy, ...]:
    """Return the fits that memskill ships, one an encoder.

    Raises:
        ModelError: The file is damaged.
    """
    try:
        return tuple(_read(path, "shipped"))
    except ConfigError as error:
        raise ModelError(error.message, hint="Reinstall memskill.") from error


def write_policy(path: Path, policy: NotePolicy) -> None:
    """Keep a fit in `path`, in place of the one of the same encoder; same fit, same bytes."""
    try:
        kept = list(_read(path, ""))
    except ConfigError:
        kept = []
    others = [p for p in kept if p.encoder_fingerprint != policy.encoder_fingerprint]
    ordered = sorted([*others, policy], key=lambda one: one.encoder_fingerprint)
    text = json.dumps([one.as_mapping() for one in ordered], indent=1, ensure_ascii=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, f"{text}\n".encode())
    shipped_policies.cache_clear()


def _read(path: Path, origin: str) -> list[NotePolicy]:
    try:
        said: object = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}", hint="Remove it, or fit again.") from error
    if not isinstance(said, list):
        raise ConfigError(f"{path}: must hold a list", hint="Remove it, or fit again.")
    return [
        _policy(cast("Mapping[str, object]", one), path, origin)
        for one in cast("list[object]", said)
    ]


def _policy(said: Mapping[str, object], path: Path, origin: str) -> NotePolicy:
    try:
        weights = cast("Mapping[str, float]", said["weights"])
        lexical = cast("Mapping[str, float]", said["lexical"])
        policy = NotePolicy(
            encoder_fingerprint=str(said["encoder_fingerprint"]),
            weights={name: float(weights[name]) for name in FEATURES},
            k1=float(lexical["k1"]),
            b=float(lexical["b"]),
            mean_length=float(lexical["mean_length"]),
            calibration=Calibration.from_mapping(cast("Mapping[str, object]", said["calibration"])),
            floor=float(cast("float", said["floor"])),
            origin=origin,
            data_fingerprint=str(said.get("data_fingerprint", "")),
            seed=int(cast("int", said.get("seed", 0))),
            report=cast("Mapping[str, object]", said.get("report", {})),
        )
    except (KeyError, TypeError, ValueError, AttributeError, MemskillError) as error:
        fault = f"{path}: no usable fit: {error!r:.120}"
        raise ConfigError(fault, hint="Remove it, or fit again.") from error
    if not 0 <= policy.floor <= 1:
        raise ConfigError(f"{path}: the floor must lie between 0 and 1")
    return policy
