"""Model folders on disk: what is shipped, what was trained in a vault, and what each says."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memskill.config import Settings
from memskill.errors import ModelError, NotFound, UsageError
from memskill.models.onnx_folder import read_config
from memskill.models.registry import WEIGHTS

ModelKind = Literal["encoder", "reranker"]
KINDS: tuple[ModelKind, ...] = ("encoder", "reranker")
CARD = "model_card.md"
# Folder of the trained network, which `export` reads, inside a model's folder.
TORCH = "torch"
# A name of a model is a folder's; it ends up in a setting and in a path.
_NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9._-]{0,63}")
_FACT = re.compile(r"- ([^:]{1,80}): (.*)")


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFolder:
    """A model on this machine, trained or shipped."""

    kind: ModelKind
    name: str
    folder: Path
    # What the setting must say for it: "default" or "onnx:FOLDER".
    setting: str
    # Whether it can run: a trained one must have been exported.
    exported: bool


def models_dir(settings: Settings) -> Path:
    """Return `<vault>/.memskill/models`, where trained models lie."""
    return settings.state_dir / "models"


def shipped_models() -> list[ModelFolder]:
    """Return the two models that memskill ships."""
    return [
        ModelFolder(kind=k, name="default", folder=WEIGHTS / k, setting="default", exported=True)
        for k in KINDS
    ]


def trained_models(settings: Settings) -> list[ModelFolder]:
    """Return the models of the vault by name; folders that hold no model are passed over."""
    place = models_dir(settings)
    return [
        open_folder(folder)
        for folder in (sorted(place.iterdir()) if place.is_dir() else [])
        if _NAME.fullmatch(folder.name) and (folder / "config.json").is_file()
    ]


def open_folder(folder: Path) -> ModelFolder:
    """Return what lies in a folder.

    Raises:
        ModelError: It holds no model of memskill's form.
    """
    config = read_config(folder / "config.json")
    known: Mapping[str, ModelKind] = {"evidence": "reranker", "dimension": "encoder"}
    kind: ModelKind | None = next((k for key, k in known.items() if key in config), None)
    if kind is None:
        raise ModelError(
            f"{folder / 'config.json'}: neither an encoder nor a reranker",
            hint="A model folder is what `mem model train` or `mem model export` wrote.",
        )
    return ModelFolder(
        kind=kind,
        name=folder.name,
        folder=folder,
        setting=f"onnx:{folder.absolute()}",
        exported=(folder / "model.onnx").is_file(),
    )


def find_model(settings: Settings, name: str) -> ModelFolder:
    """Return the model that a person names: one of the vault, `onnx:FOLDER`, or a folder's path.

    Raises:
        NotFound: There is none of this name.
        ModelError: The folder holds no model.
    """
    plain = name.removeprefix("onnx:")
    if plain == name and _NAME.fullmatch(name) and (models_dir(settings) / name).is_dir():
        return open_folder(models_dir(settings) / name)
    folder = Path(plain).expanduser()
    if folder.is_dir():
        return open_folder(folder)
    raise NotFound(f"no model {name[:80]!r}", hint="`mem model list` lists them; or name a folder.")


def new_folder_path(settings: Settings, kind: ModelKind, out: Path | None) -> Path:
    """Return where a new model goes: `out`, else the next free `KIND-N` of the vault.

    Raises:
        UsageError: `out` exists.
    """
    if out is None:
        numbers = (
            n for n in range(1, 10_000) if not (models_dir(settings) / f"{kind}-{n}").exists()
        )
        return models_dir(settings) / f"{kind}-{next(numbers)}"
    return require_new(out)


def require_new(out: Path) -> Path:
    """Return a folder that a person names for something new.

    Raises:
        UsageError: It exists.
    """
    if out.exists() or out.is_symlink():
        raise UsageError(f"{out} exists", hint="Name a new folder with --out.")
    return out


def card_facts(folder: Path) -> dict[str, dict[str, str]]:
    """Return the `- name: value` lines of a model card by the heading that they stand under."""
    try:
        text = (folder / CARD).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return {}
    facts: dict[str, dict[str, str]] = {}
    heading = ""
    for line in text.splitlines():
        if line.startswith("## "):
            heading = line[3:].strip()
        elif heading.startswith(("Training", "Calibration")) and (found := _FACT.fullmatch(line)):
            facts.setdefault(heading, {})[found[1]] = found[2]
    return facts
