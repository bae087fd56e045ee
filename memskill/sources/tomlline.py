"""One setting changed in a flat TOML file; every other line and comment stays as it is."""

from __future__ import annotations

import json
import re
import tomllib

from memskill.errors import ConfigError


def with_setting(text: str, key: str, value: str | None) -> str:
    """Return the file with `key = "value"`, or without the key where `value` is None.

    The line that sets it is replaced; else the new one follows the comment that shows it, or
    stands at the end.

    Args:
        text: The file; may be empty.
        key: A bare key, such as reranker.
        value: Its new value.

    Raises:
        ConfigError: The file is no TOML, or is written so that one line cannot be changed alone.
    """
    try:
        before = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"memskill.toml: {error}", hint="Mend the file first.") from error
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    new = [] if value is None else [f"{key} = {_quoted(value)}\n"]
    places = [i for i, line in enumerate(lines) if re.match(rf"\s*{re.escape(key)}\s*=", line)]
    hints = [i for i, line in enumerate(lines) if re.match(rf"#\s*{re.escape(key)}\s*=", line)]
    if places:
        lines[places[0] : places[0] + 1] = new
    elif hints:
        lines[hints[0] + 1 : hints[0] + 1] = new
    else:
        lines += new
    out = "".join(lines)
    wanted: dict[str, object] = {k: v for k, v in before.items() if k != key}
    if value is not None:
        wanted[key] = value
    if not _says(out, wanted):
        raise ConfigError(
            f"memskill.toml: the line of {key!r} cannot be changed alone",
            hint=f"Write it by hand: {''.join(new).strip() or 'remove ' + key}",
        )
    return out


def _says(text: str, wanted: dict[str, object]) -> bool:
    try:
        return tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        return False


def _quoted(text: str) -> str:
    """Return a TOML basic string: JSON's escapes are TOML's too, but for DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
