"""Finds the transcripts below the paths that a person named, in order, each with its parser."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from memskill.errors import SourceError
from memskill.records import Skipped
from memskill.sources.safety import printable
from memskill.sources.transcripts.formats import sniff_document, sniff_lines
from memskill.sources.transcripts.protocol import Parser
from memskill.sources.transcripts.rows import open_regular, read_document

_SUFFIXES = (".jsonl", ".json", ".traj")
_PACKED = (".jsonl.zst", ".jsonl.gz")
# First lines are as long as a first message, or as a harness's instructions.
_HEAD = 1_000_000
_EVENT = "event-"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTranscript:
    """A transcript: a file, or the folder of one."""

    path: Path
    parser: Parser
    # sha256 of the first row, which stays when the file grows; of a document, of all of it.
    head_sha: str


def find_transcripts(paths: Iterable[Path]) -> tuple[list[FoundTranscript], list[Skipped]]:
    """Return the transcripts at and below `paths`, by path, and what was passed over.

    Folders are searched for .jsonl, .json and .traj files; symbolic links in them are not
    followed. A file that a person names may be called anything.
    """
    found: dict[str, FoundTranscript] = {}
    skipped: list[Skipped] = []
    for named in paths:
        path = Path(os.path.abspath(named))  # noqa: PTH100 (keeps links as the person wrote them)
        if not path.exists():
            skipped.append(Skipped(path=printable(str(named), 500), reason="does not exist"))
            continue
        for candidate in _candidates(path):
            try:
                one = _recognise(candidate)
            except SourceError as error:
                skipped.append(Skipped(path=printable(str(candidate), 500), reason=error.message))
                continue
            if one:
                found[str(candidate)] = one
            elif candidate == path or candidate.suffix in (".jsonl", ".traj"):
                reason = "is in no transcript format that is known"
                skipped.append(Skipped(path=printable(str(candidate), 500), reason=reason))
    return [found[key] for key in sorted(found)], skipped


def _candidates(path: Path) -> Iterator[Path]:
    if path.is_file():
        yield path
        return
    for folder, folders, files in os.walk(path):
        here = Path(folder)
        if "events" in folders and event_files(here):
            yield here
            # Its files are rows, not transcripts.
            folders.remove("events")
            files = [name for name in files if name != "base_state.json"]
        folders.sort()
        for name in sorted(files):
            if name.endswith(_SUFFIXES + _PACKED) and not (here / name).is_symlink():
                yield here / name


def event_files(folder: Path) -> list[Path]:
    """Return the rows of an OpenHands conversation in order."""
    try:
        entries = sorted(os.scandir(folder / "events"), key=lambda entry: entry.name)
    except OSError:
        return []
    return [
        Path(entry.path)
        for entry in entries
        if entry.name.startswith(_EVENT) and entry.name.endswith(".json") and entry.is_file()
    ]


def _recognise(path: Path) -> FoundTranscript | None:
    """Return the transcript at `path`, or None.

    Raises:
        SourceError: It cannot be read, or its first row is not whole yet.
    """
    if path.name.endswith(_PACKED):
        raise SourceError("is compressed: unpack it first")
    first = event_files(path)[0] if path.is_dir() else path
    with open_regular(first) as file:
        head = file.read(_HEAD)
    if path.is_dir():
        row = b"".join(head.split(b"\n"))
        parser = sniff_lines(row)
        return _found(path, parser, row) if parser else None
    if parser := sniff_lines(head):
        return _found(path, parser, head.split(b"\n", 1)[0])
    if not head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return None
    if path.suffix == ".jsonl":
        # One row, and it is not whole yet: the next run finds it.
        return None
    document = read_document(path, ("messages", "trajectory", "history"))
    parser = sniff_document(document.keys)
    return _found(path, parser, path.read_bytes()) if parser else None


def _found(path: Path, parser: Parser, head: bytes) -> FoundTranscript:
    sha = hashlib.sha256(head.rstrip(b"\r\n")).hexdigest()
    return FoundTranscript(path=path, parser=parser, head_sha=sha)
