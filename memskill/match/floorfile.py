"""The floor in force: `<vault>/.memskill/floor.toml`, else the shipped one of the same models."""

from __future__ import annotations

import functools
import json
import logging
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

from memskill.config import Settings
from memskill.errors import ConfigError, FloorMissing, ModelError
from memskill.models.calibration import Calibration
from memskill.records import Floor
from memskill.sources.atomic import write_atomic

if TYPE_CHECKING:
    from memskill.match.floortune import FloorFit, Part

log = logging.getLogger(__name__)

FLOOR_FILE = "floor.toml"
SHIPPED = Path(__file__).resolve().parent.parent / "models" / "weights" / "floor.json"
FIT_COMMAND = 'mem floor tune --tasks FILE --target "false_fire<=0.05"'
_TEXTS = ("encoder_fingerprint", "reranker_fingerprint", "data_fingerprint", "fitted_at")


def floor_in_force(
    settings: Settings, encoder_fingerprint: str, reranker_fingerprint: str
) -> Floor:
    """Return the floor for these models: the vault's own, else the shipped one.

    A floor is a number on the scale of the models that it was fitted for, so one that is bound
    to others never counts.

    Raises:
        FloorMissing: Neither is bound to these models; the hint is the command that fits one.
        ConfigError: floor.toml is damaged.
    """
    models = (encoder_fingerprint, reranker_fingerprint)
    own = read_floor(settings)
    if own and _models(own) == models:
        return own
    shipped = next((floor for floor in shipped_floors() if _models(floor) == models), None)
    if shipped:
        if own:
            log.warning("%s is for other models and does not count", floor_path(settings))
        return shipped
    raise FloorMissing(
        f"no floor was fitted for encoder {encoder_fingerprint[:12]} with reranker "
        f"{reranker_fingerprint[:12]}" + ("; floor.toml is bound to other models" if own else ""),
        hint=f"Fit one: {FIT_COMMAND}",
    )


def floor_path(settings: Settings) -> Path:
    """Return `<vault>/.memskill/floor.toml`."""
    return settings.state_dir / FLOOR_FILE


def read_floor(settings: Settings) -> Floor | None:
    """Return the floor of floor.toml, whatever models it is bound to; None without the file.

    Raises:
        ConfigError: The file is damaged; the message names the field.
    """
    path = floor_path(settings)
    try:
        said = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:  # TOML's and Unicode's errors are ValueErrors
        raise ConfigError(f"{path}: {error}", hint="`mem floor rollback` or remove it.") from error
    return _floor(said, path, "floor.toml" if said.get("data_fingerprint") else "set by hand")


def write_floor(settings: Settings, floor: Floor, remarks: Sequence[str] = ()) -> None:
    """Write floor.toml in one step; `remarks` become comments on its top."""
    lines = [f"# {' '.join(remark.split())}" for remark in remarks]
    lines.append(f"value = {floor.value!r}")
    lines += [f"{key} = {_quoted(getattr(floor, key))}" for key in _TEXTS]
    lines.append(f"seed = {floor.seed}")
    if floor.calibration:
        lines += ["", "[calibration]"]
        # Its kind first, whatever order the mapping came in: same floor, same bytes.
        lines += [
            f"{key} = {_quoted(value) if isinstance(value, str) else repr(float(value))}"
            for key, value in sorted(
                floor.calibration.items(), key=lambda kv: (kv[0] != "kind", kv)
            )
        ]
    settings.state_dir.mkdir(parents=True, exist_ok=True)
    write_atomic(floor_path(settings), ("\n".join(lines) + "\n").encode())


def remove_floor(settings: Settings) -> None:
    """Remove floor.toml, so that the shipped floor counts again."""
    floor_path(settings).unlink(missing_ok=True)


def shipped_floors(path: Path | None = None) -> tuple[Floor, ...]:
    """Return the floors that memskill ships, one a pair of models.

    Raises:
        ModelError: The file is damaged.
    """
    return _shipped(path or SHIPPED)


def shipped_report(floor: Floor) -> Mapping[str, object]:
    """Return the report of a shipped floor; {} for any other one."""
    for entry in _entries(SHIPPED) if floor.origin == "shipped" else []:
        if _models(_floor(entry, SHIPPED, "shipped")) == _models(floor):
            return cast("dict[str, object]", entry.get("report", {}))
    return {}


def write_shipped(fit: FloorFit, path: Path | None = None) -> None:
    """Keep a fitted floor, with its report, as the shipped one of its models.

    Floors of other models stay in the file; the same fit gives the same bytes.
    """
    path = path or SHIPPED
    entries = [e for e in _entries(path) if _models(_floor(e, path, "")) != _models(fit.floor)]
    entry: dict[str, object] = {
        "value": fit.floor.value,
        "encoder_fingerprint": fit.floor.encoder_fingerprint,
        "reranker_fingerprint": fit.floor.reranker_fingerprint,
        "calibration": dict(fit.floor.calibration),
        "data_fingerprint": fit.floor.data_fingerprint,
        "seed": fit.floor.seed,
        "fitted_at": fit.floor.fitted_at,
        "report": fit_report(fit),
    }
    entries.append(entry)
    entries.sort(key=lambda e: (str(e["encoder_fingerprint"]), str(e["reranker_fingerprint"])))
    write_atomic(path, (json.dumps(entries, indent=2, ensure_ascii=False) + "\n").encode())
    _shipped.cache_clear()


def fit_report(fit: FloorFit) -> dict[str, object]:
    """Return the figures of a fit as plain JSON values, rounded to 4 places; no task's text."""
    return {
        "target": fit.target,
        "limit": fit.limit,
        "fitted": _part(fit.fitted),
        "held_out": _part(fit.held_out),
        "warnings": list(fit.warnings),
    }


def _part(part: Part) -> dict[str, object]:
    counts: dict[str, object] = {
        key: getattr(part, key) for key in ("tasks", "groups", "right", "wrong")
    }
    measures: dict[str, dict[str, float | int | None]] = {
        name: {
            key: None if value is None else round(value, 4)
            for key, value in (("value", one.value), ("low", one.low), ("high", one.high))
        }
        | {"count": one.count}
        for name, one in part.measures.items()
    }
    return {**counts, "measures": measures}


@functools.cache
def _shipped(path: Path) -> tuple[Floor, ...]:
    try:
        return tuple(_floor(entry, path, "shipped") for entry in _entries(path))
    except ConfigError as error:
        raise ModelError(error.message, hint="Reinstall memskill.") from error


def _entries(path: Path) -> list[dict[str, object]]:
    """Return the objects of floor.json; none without the file."""
    try:
        said: object = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return []
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path}: {error}") from error
    entries = cast("list[object]", said) if isinstance(said, list) else [said]
    if not all(isinstance(entry, dict) for entry in entries):
        raise ConfigError(f"{path}: must hold objects")
    return cast("list[dict[str, object]]", entries)


def _floor(said: Mapping[str, object], path: Path, origin: str) -> Floor:
    """Return the floor that a file states.

    Raises:
        ConfigError: A field is missing or not what it must be.
    """

    def wrong(field: str, need: str) -> ConfigError:
        return ConfigError(
            f"{path}: field {field!r} must be {need}",
            hint=f"Fit it again: {FIT_COMMAND}; or `mem floor rollback`.",
        )

    value, seed = said.get("value"), said.get("seed", 0)
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= 1:
        raise wrong("value", "a number from 0 to 1")
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise wrong("seed", "a whole number")
    texts = {key: said.get(key, "") for key in _TEXTS}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise wrong(key, "a text")
        if not text and key in ("encoder_fingerprint", "reranker_fingerprint"):
            raise wrong(key, "the fingerprint of a model")
    return Floor(
        value=float(value),
        origin=origin,
        calibration=_calibration(said.get("calibration", {}), path),
        seed=seed,
        **cast("dict[str, str]", texts),
    )


def _calibration(said: object, path: Path) -> dict[str, str | float]:
    """Return a calibration that `Calibration` accepts, or {} for the model's own."""
    if not isinstance(said, dict):
        raise ConfigError(
            f"{path}: field 'calibration' must be a table",
            hint="`mem floor rollback` or remove it.",
        )
    values = cast("dict[str, object]", said)
    try:
        return Calibration.from_mapping(values).as_mapping() if values else {}
    except (ModelError, TypeError) as error:
        raise ConfigError(f"{path}: {error}", hint="`mem floor rollback` or remove it.") from error


def _models(floor: Floor) -> tuple[str, str]:
    return floor.encoder_fingerprint, floor.reranker_fingerprint


def _quoted(text: str) -> str:
    """Return a TOML basic string: JSON's escapes are TOML's too, but for surrogates and DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
