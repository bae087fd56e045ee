"""The spool of what was asked and said: day files that are only ever appended to.

The server never holds the database, so records wait here, one JSON object a line, until
`mem ingest` folds them in. A line that a crash cut short spoils no other one: each record
starts on a line of its own.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from pathlib import Path
from typing import cast, get_args

from memskill.config import Settings
from memskill.errors import SourceError, StoreError
from memskill.records import Skipped
from memskill.sources.safety import read_bounded
from memskill.store import Asked, Feedback, Verdict

FOLDER = "log"
_NAME = re.compile(r"(\d{4}-\d\d-\d\d)\.jsonl")
_ID = re.compile(r"[0-9a-f]{32}")
# A day of a busy server; a larger file is reported and stays.
_MAX_BYTES = 256_000_000
Record = Asked | Feedback


@dataclass(frozen=True, slots=True, kw_only=True)
class DayFile:
    """One file of the spool and the day that it is for."""

    path: Path
    day: date


def append(settings: Settings, records: Sequence[Record], *, sync: bool = False) -> None:
    """Append records to the file of this day (UTC), in one write.

    Args:
        settings: Names the vault.
        records: What was asked or said.
        sync: Also wait until it is on the disk.

    Raises:
        StoreError: It cannot be written.
    """
    folder = settings.state_dir / FOLDER
    path = folder / f"{datetime.now(UTC):%Y-%m-%d}.jsonl"
    # A new line first: what a crash left half-written then ends where it is.
    data = "".join(f"\n{_line(record)}\n" for record in records).encode()
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(os.open(path, flags, 0o600), "ab", buffering=0) as file:  # noqa: PTH123
            file.write(data)
            if sync:
                os.fsync(file.fileno())
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be written: {error.strerror}",
            hint="The vault must be a folder that you may write; or set feedback_log = false.",
        ) from error


def day_files(settings: Settings) -> list[DayFile]:
    """Return the files of the spool, oldest first; other files and links are passed over."""
    folder = settings.state_dir / FOLDER
    if not folder.is_dir():
        return []
    found: list[DayFile] = []
    for path in sorted(folder.iterdir()):
        name = _NAME.fullmatch(path.name)
        if name and path.is_file() and not path.is_symlink():
            try:
                found.append(DayFile(path=path, day=date.fromisoformat(name[1])))
            except ValueError:  # such as 2026-13-01
                continue
    return found


def read_day(file: DayFile) -> Iterator[Record | Skipped]:
    """Yield the records of one file in its order; what is none is told by line."""
    try:
        data = read_bounded(file.path, _MAX_BYTES)
    except SourceError as error:
        yield Skipped(path=str(file.path), reason=error.message)
        return
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        try:
            yield _record(line)
        except (ValueError, RecursionError, KeyError, TypeError, OverflowError):
            yield Skipped(path=str(file.path), reason="is no record of the log", line=number)


def is_match_id(text: str) -> bool:
    """Tell whether `text` could be the id of a match."""
    return _ID.fullmatch(text) is not None


def _line(record: Record) -> str:
    said: dict[str, object] = {"id": record.id, "at": record.at.isoformat(), "task": record.task}
    if isinstance(record, Asked):
        said |= {
            "project": record.project, "floor": record.floor, "snapshot": record.snapshot,
            "answer": json.loads(record.answer),
        }  # fmt: skip
    else:
        said |= {
            "verdict": record.verdict, "skill": record.skill, "match_id": record.match_id,
            "note": record.note,
        }  # fmt: skip
    return json.dumps(said, ensure_ascii=True, separators=(",", ":"))


def _record(line: bytes) -> Record:
    """Return the record of a line; anything unexpected raises one of the errors above."""
    said = cast("Mapping[str, object]", json.loads(line))
    key, at, task = (_text(said[name]) for name in ("id", "at", "task"))
    moment = datetime.fromisoformat(at)
    if not is_match_id(key) or moment.tzinfo:
        raise ValueError(line)
    if "verdict" not in said:
        project = said["project"]
        return Asked(
            id=key,
            at=moment,
            task=task,
            project=None if project is None else _text(project),
            floor=float(cast("float", said["floor"])),
            snapshot=_text(said["snapshot"]),
            answer=json.dumps(_answer(said["answer"]), ensure_ascii=False),
        )
    verdict = _text(said["verdict"])
    if verdict not in get_args(Verdict):
        raise ValueError(verdict)
    skill, match_id, note = (_text(said[name]) for name in ("skill", "match_id", "note"))
    return Feedback(
        id=key,
        at=moment,
        verdict=cast(Verdict, verdict),
        skill=skill,
        task=task,
        match_id=match_id,
        note=note,
    )


def _answer(value: object) -> list[list[object]]:
    pairs = cast("list[tuple[object, object]]", value)
    return [[_text(name), float(cast("float", score))] for name, score in pairs]


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    # No column holds half a character.
    value.encode()
    return value
