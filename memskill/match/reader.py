"""Reading promoted skills again and again, cheaply: only what changed is opened."""

from __future__ import annotations

import os
import time
from collections.abc import Set
from dataclasses import dataclass
from pathlib import Path

from memskill.errors import SourceError
from memskill.match.texts import skill_rows
from memskill.records import Skipped
from memskill.sources.skills import FileKey, SkillFile, list_skill_files, read_skill
from memskill.store import SkillRows

# A file that changed this shortly before it was read may change again without a new time stamp.
_SETTLED_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadSkill:
    """The last good version of one promoted skill."""

    rows: SkillRows
    # sha -> text of all that is encoded of it.
    texts: dict[str, str]


@dataclass(slots=True)
class _Known:
    key: FileKey
    settled: bool
    # None: the file never parsed.
    good: ReadSkill | None
    # Why the file as it lies now cannot be used; empty when it can.
    fault: str


class SkillReader:
    """Keeps what each SKILL.md says; not safe for several threads at once.

    A file that does not parse keeps its last good version until it does, and is reported.
    """

    def __init__(self, vault: Path, *, max_bytes: int) -> None:
        self._vault = vault
        self._max_bytes = max_bytes
        self._known: dict[str, _Known] = {}
        self.faults: list[Skipped] = []
        # SKILL.md paths that folders of `skills/` lack as yet.
        self.unfinished: list[Path] = []

    def read(self) -> dict[str, ReadSkill]:
        """Return path -> skill of the promoted skills as they are now, in order of path."""
        listing = list_skill_files(self._vault)
        files = [file for file in listing.files if file.state == "promoted"]
        self._known = {file.path: self._look(file) for file in files}
        self.unfinished = self._missing({file.path for file in files})
        unread = [Skipped(path=p, reason=k.fault) for p, k in self._known.items() if k.fault]
        self.faults = sorted([*listing.skipped, *unread], key=lambda s: s.path)
        return {p: known.good for p, known in sorted(self._known.items()) if known.good}

    def unchanged(self, path: str) -> bool:
        """Return whether the file is still the one that was read: one `stat`."""
        known = self._known.get(path)
        try:
            stat = (self._vault / path).stat()
        except OSError:
            return False
        now = FileKey(
            inode=stat.st_ino,
            size=stat.st_size,
            mtime_ns=stat.st_mtime_ns,
            ctime_ns=stat.st_ctime_ns,
        )
        return known is not None and now == known.key

    def _missing(self, there: Set[str]) -> list[Path]:
        """Return the SKILL.md that a folder of `skills/` may be about to get."""
        folder = self._vault / "skills"
        try:
            names = sorted(entry.name for entry in os.scandir(folder))
        except OSError:
            return []
        plain = (name for name in names if not name.startswith((".", "_")))
        return [folder / n / "SKILL.md" for n in plain if f"skills/{n}/SKILL.md" not in there]

    def _look(self, file: SkillFile) -> _Known:
        known = self._known.get(file.path)
        if known and known.settled and known.key == file.key:
            return known
        # Both stamps: `cp -p` and archives set the time of the last change at will.
        changed = max(file.key.mtime_ns, file.key.ctime_ns)
        settled = time.time() - changed / 1e9 > _SETTLED_SECONDS
        good = known.good if known else None
        try:
            found = read_skill(self._vault, file, max_bytes=self._max_bytes)
        except SourceError as error:
            return _Known(file.key, settled, good, error.message)
        if good and good.rows.skill == found.skill:
            return _Known(file.key, settled, good, "")
        rows, texts = skill_rows(found.skill)
        return _Known(file.key, settled, ReadSkill(rows=rows, texts=texts), "")
