"""The short road through frontmatter that is as plain as most of it is.

It reads `key: value` and block lists of one-line scalars, a tenth of the work of a whole YAML
parser, and gives up on anything else; where it answers, `load_text` answers the same.
"""

from __future__ import annotations

import re

from memskill.sources.yamltext import Value

# A plain scalar starts with a letter or digit, so with no sign that means something to YAML.
_SCALAR = r"(?:(?P<plain>[A-Za-z0-9].*)|\"(?P<double>(?:[^\"\\]|\\[\"\\])*+)\"|'(?P<single>[^']*)')"
_KEY = re.compile(rf"(?P<key>[A-Za-z_][A-Za-z0-9_-]{{0,60}}):(?: {{1,4}}{_SCALAR})?")
_ITEM = re.compile(rf"(?P<indent> {{0,4}})- {{1,4}}{_SCALAR}")


def read_plain_map(block: list[str]) -> dict[str, Value] | None:
    """Return the map that the lines of `block` are, or None where they are not that plain."""
    data: dict[str, Value] = {}
    items: list[Value] = []
    indent = ""
    # Whether a list may start or go on here: below a key without a value.
    in_list = False
    for line in block:
        line = line.rstrip(" ")
        if not line.isprintable():  # tabs, controls, odd line ends and spaces
            return None
        if found := _KEY.fullmatch(line):
            in_list = found.end("key") + 1 == len(line)
            items, key = [], found["key"]
            if key in data or (value := "" if in_list else _scalar(found)) is None:
                return None
            data[key] = value
        elif in_list and (found := _ITEM.fullmatch(line)) and (value := _scalar(found)) is not None:
            if items and found["indent"] != indent:
                return None
            indent = found["indent"]
            items.append(value)
            data[next(reversed(data))] = items
        else:
            return None
    return data


def _scalar(found: re.Match[str]) -> str | None:
    """Return the scalar of a match; None for a plain one with a colon or comment in it."""
    plain = found["plain"]
    if plain is None:
        double = found["double"]
        return found["single"] if double is None else re.sub(r"\\(.)", r"\1", double)
    if ": " in plain or " #" in plain or plain.endswith(":"):
        return None
    return plain
