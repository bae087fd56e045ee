"""The files of sql/ with their headers."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from types import MappingProxyType
from typing import Literal

from memskill.shipped import shipped

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
    header: dict[str, str] = {}
    for line in text.splitlines():
        key, colon, value = line.removeprefix("-- ").partition(": ")
        if not line.startswith("-- ") or not colon:
            break
        header[key] = value.strip()
    return SqlFile(name=entry.name.removesuffix(".sql"), text=text, header=header)
