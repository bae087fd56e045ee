"""`mem model list`, `info`, `use` and `rollback`: which models there are and which decide."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from memskill.config import CONFIG_NAME, ENV_PREFIX, Settings
from memskill.errors import FloorMissing, MemskillError, NotFound, PathRefused, UsageError
from memskill.models.folders import (
    KINDS,
    ModelFolder,
    ModelKind,
    card_facts,
    find_model,
    models_dir,
    shipped_models,
    trained_models,
)
from memskill.models.onnx_folder import file_sha, read_config
from memskill.models.registry import WEIGHTS, load_encoder, load_reranker
from memskill.models.spec import parse_spec
from memskill.pipeline.deciding import models_in_use
from memskill.pipeline.floor import floor_known, restore_floor
from memskill.records import Floor
from memskill.sources.atomic import write_atomic
from memskill.sources.tomlline import with_setting

_CHOICES = "choices.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedModel:
    """A model of this machine, and what is known of it for the models in use."""

    kind: ModelKind
    name: str
    setting: str
    in_use: bool
    exported: bool
    # "" where it cannot load.
    fingerprint: str
    # The floor for it beside the other model in use; None: `mem floor tune` must fit one.
    floor: float | None
    fault: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """All that a model's folder says of itself."""

    model: ModelFolder
    fingerprint: str
    fault: str
    config: Mapping[str, object]
    # File -> sha256 of its bytes.
    files: Mapping[str, str]
    # Heading of the card -> name -> value.
    card: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """A setting that was changed, with the floor that counts now."""

    kind: ModelKind
    before: str
    after: str
    floor: Floor | None
    remarks: tuple[str, ...]


def list_models(settings: Settings) -> list[ListedModel]:
    """Return the shipped models and those trained in the vault, encoders first."""
    found = sorted([*shipped_models(), *trained_models(settings)], key=lambda m: m.kind)
    return [_listed(settings, model) for model in found]


def model_info(settings: Settings, name: str, kind: ModelKind | None = None) -> ModelInfo:
    """Return what a model's folder says; `name` "default" needs its kind.

    Raises:
        NotFound, ModelError, UsageError: There is no such model, or `kind` is missing.
    """
    if name == "default":
        folder = next(m for m in shipped_models() if m.kind == _require_kind(name, kind))
    else:
        folder = find_model(settings, name)
    fingerprint, fault = _fingerprint(settings, folder)
    files = sorted(path for path in folder.folder.iterdir() if path.is_file())
    return ModelInfo(
        model=folder,
        fingerprint=fingerprint,
        fault=fault,
        config=read_config(folder.folder / "config.json"),
        files={path.name: file_sha(path) for path in files},
        card=card_facts(folder.folder),
    )


def use_model(settings: Settings, name: str, kind: ModelKind | None = None) -> Choice:
    """Make the setting name a model, put its floor in force and return the choice.

    The setting is the line of memskill.toml. A model that no floor fits is refused before
    anything is written: it could not answer.

    Args:
        settings: Names the vault.
        name: A model of the vault, a folder, or a value of the setting (default, none, hf:...).
        kind: Which setting; a folder knows its own.

    Raises:
        FloorMissing: No floor was fitted for it; the hint is the command that fits one.
        NotFound, ModelError, ExtraMissing: There is no such model, or it cannot load.
        UsageError: `kind` is missing or another one, or it was not exported.
        ConfigError: memskill.toml cannot be changed.
    """
    which, value = _value(settings, name, kind)
    wanted = _with(settings, which, value)
    models_in_use(wanted)
    if floor_known(wanted) is None:
        target = '"false_fire<=0.05"'
        raise FloorMissing(
            f"no floor was fitted for {which} {value}",
            hint=f"Fit one: mem floor tune --{which} {value} --tasks FILE --target {target}",
        )
    before = getattr(settings, which)
    choices = [*_choices(settings), {"kind": which, "before": _in_file(settings, which),
                                     "after": value}]  # fmt: skip
    _write(settings, which, value)
    _write_choices(settings, choices)
    floor = restore_floor(wanted)
    return Choice(kind=which, before=before, after=value, floor=floor,
                  remarks=_remarks(settings, which))  # fmt: skip


def rollback_model(settings: Settings, kind: ModelKind | None = None) -> Choice:
    """Take the last `mem model use` back (of one kind) and return what holds now.

    Raises:
        NotFound: Nothing was chosen; the settings stay as they are.
        ConfigError: memskill.toml cannot be changed.
    """
    choices = _choices(settings)
    place = next((i for i in reversed(range(len(choices))) if kind in (None, choices[i]["kind"])),
                 None)  # fmt: skip
    if place is None:
        raise NotFound("no model was chosen with `mem model use`", hint="`mem model list`")
    last = choices.pop(place)
    which = cast("ModelKind", last["kind"])
    _write(settings, which, last["before"])
    _write_choices(settings, choices)
    after = last["before"] or getattr(Settings(vault=settings.vault), which)
    remarks, floor = list(_remarks(settings, which)), None
    try:
        floor = restore_floor(_with(settings, which, after))
    except MemskillError as error:
        remarks.append(f"{error.message}. {error.hint}")
    return Choice(kind=which, before=getattr(settings, which), after=after, floor=floor,
                  remarks=tuple(remarks))  # fmt: skip


def _listed(settings: Settings, model: ModelFolder) -> ListedModel:
    fingerprint, fault = _fingerprint(settings, model)
    floor: float | None = None
    with contextlib.suppress(MemskillError):
        known = floor_known(_with(settings, model.kind, model.setting)) if fingerprint else None
        floor = known.value if known else None
    return ListedModel(
        kind=model.kind,
        name=model.name,
        setting=model.setting,
        in_use=_same_setting(getattr(settings, model.kind), model),
        exported=model.exported,
        fingerprint=fingerprint,
        floor=floor,
        fault=fault,
    )


def _fingerprint(settings: Settings, model: ModelFolder) -> tuple[str, str]:
    """Return the fingerprint of a model, or "" and why it has none."""
    if not model.exported:
        return "", "not exported: `mem model export`"
    loader = load_encoder if model.kind == "encoder" else load_reranker
    try:
        loaded = loader(_with(settings, model.kind, model.setting))
    except MemskillError as error:
        return "", error.message
    return (loaded.fingerprint if loaded else ""), ""


def _same_setting(value: str, model: ModelFolder) -> bool:
    if not value.startswith("onnx:"):
        return value == model.setting
    folder = Path(value.removeprefix("onnx:")).expanduser()
    return folder.exists() and folder.resolve() == model.folder.resolve()


def _value(settings: Settings, name: str, kind: ModelKind | None) -> tuple[ModelKind, str]:
    """Return which setting a name is for, and its value."""
    if name in ("default", "none") or name.startswith(("hf:", "http:", "https:")):
        which = _require_kind(name, kind)
        parse_spec(which, name)
        return which, name
    model = find_model(settings, name)
    if kind not in (None, model.kind):
        raise UsageError(f"{name[:80]!r} is an {model.kind}, no {kind}".replace("an r", "a r"))
    if not model.exported:
        raise UsageError(f"{name[:80]!r} was not exported", hint=f"mem model export {model.folder}")
    shipped = model.folder.resolve() == (WEIGHTS / model.kind).resolve()
    return model.kind, "default" if shipped else model.setting


def _require_kind(name: str, kind: ModelKind | None) -> ModelKind:
    if kind is None:
        raise UsageError(f"{name!r} can be either", hint=f"Say --kind {' or --kind '.join(KINDS)}.")
    return kind


def _with(settings: Settings, kind: ModelKind, value: str) -> Settings:
    if kind == "encoder":
        return dataclasses.replace(settings, encoder=value)
    return dataclasses.replace(settings, reranker=value)


def _remarks(settings: Settings, kind: ModelKind) -> tuple[str, ...]:
    """Return what still stands against a choice, or must follow it."""
    told = ["restart `mem serve` where it runs: it keeps the models that it started with"]
    if kind == "encoder":
        told.append("run `mem ingest`: vectors belong to an encoder")
    origin = settings.origins.get(kind, "")
    if origin.startswith(ENV_PREFIX):
        told.insert(0, f"{origin} is set and wins over memskill.toml")
    return tuple(told)


def _in_file(settings: Settings, kind: ModelKind) -> str:
    """Return what memskill.toml says now, "" where it says nothing."""
    import tomllib

    said = tomllib.loads(_config_text(settings)).get(kind, "")
    return said if isinstance(said, str) else ""


def _config_text(settings: Settings) -> str:
    path = settings.vault / CONFIG_NAME
    return path.read_text(encoding="utf-8-sig") if path.is_file() else ""


def _write(settings: Settings, kind: ModelKind, value: str) -> None:
    text = with_setting(_config_text(settings), kind, value or None)
    path = settings.vault / CONFIG_NAME
    try:
        write_atomic(path, text.encode())
    except OSError as error:
        raise PathRefused(f"{path} cannot be written: {error.strerror}") from error


def _choices(settings: Settings) -> list[dict[str, str]]:
    """Return the choices made so far, oldest first; none where the file is damaged."""
    try:
        said: object = json.loads((models_dir(settings) / _CHOICES).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    rows = cast("list[object]", said) if isinstance(said, list) else []
    return [
        cast("dict[str, str]", row)
        for row in rows
        if isinstance(row, dict) and cast("dict[str, object]", row).get("kind") in KINDS
        and isinstance(cast("dict[str, object]", row).get("before"), str)
    ]  # fmt: skip


def _write_choices(settings: Settings, choices: Sequence[Mapping[str, str]]) -> None:
    place = models_dir(settings)
    place.mkdir(parents=True, exist_ok=True)
    write_atomic(place / _CHOICES, (json.dumps(list(choices), indent=1) + "\n").encode())
