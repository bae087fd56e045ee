"""The files of sql/ with their headers."""

from __future__ import annotations

import functools
import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Literal

from memskill.shipped import shipped

_HEADER_LINE = re.compile(r"-- (?P<key>[a-z]+):(?P<value>.*)")
Folder = Literal["migrations", "views", "macros", "queries", "checks"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SqlFile:
    """One file of sql/: its stem, its text and the `-- key: value` lines on its top."""

    name: str
    text: str
    header: Mapping[str, str]

    @property
    def sha(self) -> str:
        """Hex sha256 of the text, the same whatever the platform's line ends."""
        return hashlib.sha256(self.text.replace("\r\n", "\n").encode()).hexdigest()

    @property
    def params(self) -> tuple[str, ...]:
        """The declared parameters, in the header's order."""
        return tuple(p.strip() for p in self.header.get("params", "").split(",") if p.strip())


@functools.cache
def sql_files(folder: Folder) -> Mapping[str, SqlFile]:
    """Return the files of one folder by stem, ordered by name."""
    entries = sorted((shipped("sql") / folder).iterdir(), key=lambda entry: entry.name)
    found = {
        entry.name.removesuffix(".sql"): _read(entry)
        for entry in entries
        if entry.name.endswith(".sql")
    }
    return MappingProxyType(found)


def _read(entry: Traversable) -> SqlFile:
    text = entry.read_text(encoding="utf-8")
    return SqlFile(name=entry.name.removesuffix(".sql"), text=text, header=_header(text))


def _header(text: str) -> dict[str, str]:
    """Return the `-- key: value` lines on top of a file; a value may go on in indented lines."""
    header: dict[str, str] = {}
    key = ""
    for line in text.splitlines():
        if key and line.startswith("--   "):
            header[key] = f"{header[key]} {line.removeprefix('--').strip()}"
            continue
        found = _HEADER_LINE.fullmatch(line)
        if not found:
            break
        key = found["key"]
        header[key] = found["value"].strip()
    return header
