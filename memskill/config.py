"""One frozen `Settings`, loaded once per process: defaults < memskill.toml < MEMSKILL_* < flags.

The environment is read here and nowhere else. The vault is `--vault`, else `MEMSKILL_VAULT`,
else the folder of the nearest `memskill.toml` upward, else `./vault`; its `memskill.toml` (where
there is one) holds the keys below, flat.
"""

from __future__ import annotations

import difflib
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType

from memskill.errors import ConfigError

CONFIG_NAME = "memskill.toml"
ENV_PREFIX = "MEMSKILL_"


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Every setting, with its default. Counts say of what, durations end in `_seconds`."""

    # The folder that people edit: notes/, skills/, memskill.toml.
    vault: Path
    # "default" (shipped), "hf:NAME_OR_PATH" or "http:URL".
    encoder: str = "default"
    # The same three, or "none": the shortlist's own score then decides, with its own floor.
    reranker: str = "default"
    # "extractive", "scripted:FILE", "openai:MODEL@BASE_URL" or a model name of `llm`.
    chat_model: str = "extractive"
    # How long one chat request may take, retries apart.
    chat_timeout_seconds: float = 120.0
    # Threads for model sessions in this process; 0 = one per core.
    threads: int = 0
    # Candidates that the SQL shortlist hands to the reranker.
    shortlist_size: int = 20
    # Characters of a task that are accepted; longer is refused, never cut.
    max_task_chars: int = 20_000
    # Largest request body that the server reads.
    max_body_bytes: int = 8_000_000
    # Where `mem serve` listens.
    host: str = "127.0.0.1"
    port: int = 8765
    # Further Host headers that the server answers to, comma-separated.
    allowed_hosts: str = ""
    # Worker threads of the server.
    server_threads: int = 8
    # How often the server looks for edited skill files (new ones are seen by every request).
    rescan_seconds: float = 0.5
    # How long a writer waits for another one before it gives up.
    lock_wait_seconds: float = 10.0
    # Largest note or skill file that is read; a larger one is reported and skipped.
    max_file_bytes: int = 4_000_000
    # Whether what is asked and answered is kept, for `mem feedback`; tasks may be private.
    feedback_log: bool = False
    # How many days such a record is kept.
    feedback_days: int = 90
    # Where each value came from: "default", the file, the variable or "flag".
    origins: Mapping[str, str] = field(
        default_factory=lambda: MappingProxyType({}), compare=False, repr=False
    )

    @property
    def state_dir(self) -> Path:
        """`<vault>/.memskill`: all that memskill itself keeps."""
        return self.vault / ".memskill"

    @property
    def database(self) -> Path:
        """`<vault>/.memskill/memory.duckdb`."""
        return self.state_dir / "memory.duckdb"

    @property
    def nodes_dir(self) -> Path:
        """`<vault>/.memskill/nodes`: one append-only JSON file per L1/L2 node."""
        return self.state_dir / "nodes"

    @property
    def skills_dir(self) -> Path:
        """`<vault>/skills`: promoted skills, with `_drafts/` beside them."""
        return self.vault / "skills"

    @property
    def drafts_dir(self) -> Path:
        """`<vault>/skills/_drafts`: the only folder a SKILL.md is ever written to."""
        return self.skills_dir / "_drafts"


SETTING_NAMES = tuple(f.name for f in fields(Settings) if f.name not in ("vault", "origins"))
# Bounds, both included; a setting that is absent here takes any value of its type.
_AT_LEAST: Mapping[str, float] = {
    "threads": 0,
    "shortlist_size": 1,
    "max_task_chars": 1,
    "max_body_bytes": 1024,
    "port": 0,
    "server_threads": 1,
    "rescan_seconds": 0.05,
    "lock_wait_seconds": 0,
    "max_file_bytes": 1024,
    "chat_timeout_seconds": 0.1,
    "feedback_days": 1,
}
# What no setting can mean; the C code below could not even hold it.
_BEYOND = 1e12
_AT_MOST: Mapping[str, float] = {"port": 65_535, "threads": 1024, "server_threads": 1024}


def load_settings(
    flags: Mapping[str, object] | None = None,
    *,
    environ: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Settings:
    """Return the settings in force, each with its origin.

    Args:
        flags: Values given on the command line; None values count as not given.
        environ: The environment; the process's own by default.
        cwd: Where the search for the vault starts; the working folder by default.

    Raises:
        ConfigError: An unknown key (with the nearest known one), a value of the wrong type or
            out of range, or a memskill.toml that is not TOML.
    """
    environ = os.environ if environ is None else environ
    given = {k: v for k, v in (flags or {}).items() if v is not None}
    vault, vault_origin = _find_vault(given.pop("vault", None), environ, cwd or Path.cwd())
    values: dict[str, object] = {}
    origins = dict.fromkeys(SETTING_NAMES, "default")
    origins["vault"] = vault_origin
    file = vault / CONFIG_NAME
    layers = (
        (str(file), _read_file(file)),
        ("", _read_environment(environ)),
        ("flag", given),
    )
    for origin, layer in layers:
        for key, raw in layer.items():
            source = origin or ENV_PREFIX + key.upper()
            values[key] = _coerce(key, raw, source)
            origins[key] = source
    return Settings(vault=vault, origins=MappingProxyType(origins), **values)  # type: ignore[arg-type]


def _find_vault(flag: object, environ: Mapping[str, str], cwd: Path) -> tuple[Path, str]:
    """Return the vault's absolute path and where it was named."""
    if flag:
        return Path(os.path.abspath(cwd / str(flag))), "flag"  # noqa: PTH100 (keeps symlinks)
    if named := environ.get(ENV_PREFIX + "VAULT"):
        return Path(os.path.abspath(cwd / named)), ENV_PREFIX + "VAULT"  # noqa: PTH100
    for folder in (cwd, *cwd.parents):
        if (folder / CONFIG_NAME).is_file():
            return folder, str(folder / CONFIG_NAME)
    return cwd / "vault", "default"


def _read_file(path: Path) -> Mapping[str, object]:
    if not path.is_file():
        return {}
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise ConfigError(f"{path}: {error}", hint="Mend the file, or remove it.") from error


def _read_environment(environ: Mapping[str, str]) -> Mapping[str, object]:
    found: dict[str, object] = {}
    for variable in sorted(environ):
        key = variable.removeprefix(ENV_PREFIX).lower()
        if variable.startswith(ENV_PREFIX) and key != "vault":
            found[key] = environ[variable]
    return found


def _coerce(key: str, raw: object, source: str) -> object:
    """Return `raw` as the type of the setting `key`.

    Raises:
        ConfigError: An unknown key, the wrong type, or a value below its bound.
    """
    if key not in SETTING_NAMES:
        near = difflib.get_close_matches(key, SETTING_NAMES, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else "`mem help settings` lists them all."
        raise ConfigError(f"{source}: unknown setting {key!r}", hint=hint)
    default: str | int | float = getattr(_DEFAULTS, key)
    kind = type(default)
    try:
        value = _switch(raw) if kind is bool else _plain(raw, kind)
    except (TypeError, ValueError) as error:
        raise ConfigError(
            f"{source}: setting {key!r} must be {_NOUNS[kind]}, not {raw!r}"
        ) from error
    _require_in_range(key, value, source)
    return value


def _plain(raw: object, kind: type[str | int | float]) -> str | int | float:
    if isinstance(raw, bool) or not isinstance(raw, str | int | float):
        raise ValueError(raw)
    if (kind is str and not isinstance(raw, str)) or (kind is int and isinstance(raw, float)):
        raise ValueError(raw)
    return kind(raw)  # int("x") and float("x") raise ValueError


def _switch(raw: object) -> bool:
    """Return a switch: TOML's true and false, or these words where only text can be said."""
    said = raw.strip().lower() if isinstance(raw, str) else raw
    if isinstance(said, str) and said in ("true", "false"):
        return said == "true"
    if not isinstance(said, bool):
        raise ValueError(raw)
    return said


def _require_in_range(key: str, value: str | int | float, source: str) -> None:
    if isinstance(value, str):
        return
    least, most = _AT_LEAST.get(key, -_BEYOND), _AT_MOST.get(key, _BEYOND)
    # Said this way round, it refuses NaN too.
    if not least <= value <= most:
        bounds = f"at least {least}" if value < least else f"at most {most:g}"
        raise ConfigError(f"{source}: setting {key!r} must be {bounds}, not {value!s:.40}")


_DEFAULTS = Settings(vault=Path())
_NOUNS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
