"""Reads the vault's notes: Markdown with frontmatter becomes redacted nodes."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from memskill.errors import NoteInvalid, SourceError
from memskill.records import Level, Node, Skipped
from memskill.sources.encoding import decode
from memskill.sources.fields import as_line
from memskill.sources.frontmatter import Frontmatter, split_frontmatter
from memskill.sources.identity import file_sha, node_sha
from memskill.sources.notefields import (
    FieldInvalid,
    default_query,
    read_created,
    read_level,
    read_parents,
    read_tags,
    read_trust,
    shown,
)
from memskill.sources.redact import redact
from memskill.sources.safety import id_fault, is_hostile, no_surrogates, printable, read_bounded
from memskill.sources.walk import walk_markdown
from memskill.sources.yamltext import Value

NOTES_FOLDER = "notes"
MAX_QUERY_CHARS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundNote:
    """A note file and the node that it holds."""

    # Relative to the vault, with forward slashes.
    path: str
    # Redacted before it was hashed.
    node: Node
    # Of the bytes on disk.
    file_sha: str
    # Bytes.
    size: int
    # 1-based lines of the body's first and last line that is not blank.
    first_line: int
    last_line: int
    redactions: Mapping[str, int] = field(default_factory=dict[str, int])
    # Read all the same, with what was repaired or guessed.
    warnings: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class NotesScan:
    """All notes of a vault, ordered by path, and what was passed over or repaired."""

    notes: tuple[FoundNote, ...]
    skipped: tuple[Skipped, ...]
    warnings: tuple[Skipped, ...]


def scan_notes(vault: Path, *, max_bytes: int) -> NotesScan:
    """Return the notes of a vault; a file that cannot be one is reported and passed over.

    A note is every `*.md` below `notes/`, and elsewhere one whose frontmatter has `level` or
    `query_id`. `skills/` is never read, nor is any dot-folder. Two files of the same content
    give one note, the first by path, and a warning; two of one address and level but different
    content are both kept, with a warning.

    Args:
        vault: The folder that people edit.
        max_bytes: Largest file that is read.
    """
    walk = walk_markdown(vault, leave_out=("skills",))
    skipped, found = list(walk.skipped), list[FoundNote]()
    for path in walk.files:
        try:
            data = read_bounded(vault / path, max_bytes)
            if is_note(path, data):
                found.append(parse_note(path, data, max_bytes=max_bytes))
        except SourceError as error:
            line = error.line if isinstance(error, FieldInvalid) else None
            skipped.append(_skipped(path, error.message, line))
    notes, doubles = _without_doubles(found)
    warnings = [warning for note in notes for warning in note.warnings] + doubles
    return NotesScan(
        notes=tuple(notes),
        skipped=tuple(sorted(skipped, key=_place)),
        warnings=tuple(sorted(warnings, key=_place)),
    )


def is_note(path: str, data: bytes) -> bool:
    """Tell whether a Markdown file of the vault is meant as a note, by its place or its keys."""
    if PurePosixPath(path).parts[0] == NOTES_FOLDER:
        return True
    try:
        text, _ = decode(data)
    except SourceError:
        return False
    keys = split_frontmatter(text).data
    return "level" in keys or "query_id" in keys


def parse_note(path: str, data: bytes, *, max_bytes: int) -> FoundNote:
    """Return the note that a file holds.

    Args:
        path: Relative to the vault, with forward slashes; gives the defaults of project
            (its folder) and query id (its stem).
        data: The file's bytes.
        max_bytes: Largest file that is taken.

    Raises:
        NoteInvalid: Too large, binary, a path of odd characters, an empty body, an unknown
            level, or a project or query id that cannot be one; the message names the field.
    """
    if len(data) > max_bytes:
        raise NoteInvalid(f"is larger than {max_bytes} bytes")
    if is_hostile(path):
        raise NoteInvalid("the path contains a control, bidi or invisible character")
    try:
        text, oddity = decode(data)
    except SourceError as error:
        raise NoteInvalid(error.message, hint=error.hint) from error
    parts = split_frontmatter(text)
    warnings = [_skipped(path, problem.reason, problem.line) for problem in parts.problems]
    if oddity:
        warnings.append(_skipped(path, oddity))
    body, first, last = _trimmed(parts)
    counts: Counter[str] = Counter()
    try:
        node, faults = _node(path, parts.data, body, counts)
    except FieldInvalid as error:
        error.line = parts.key_lines.get(error.field)
        raise
    warnings += [_skipped(path, reason, parts.key_lines.get(name)) for name, reason in faults]
    return FoundNote(
        path=path,
        node=node,
        file_sha=file_sha(data),
        size=len(data),
        first_line=first,
        last_line=last,
        redactions=dict(sorted(counts.items())),
        warnings=tuple(warnings),
    )


def _trimmed(parts: Frontmatter) -> tuple[str, int, int]:
    """Return the body without blank lines around it, and its first and last line."""
    lines = parts.body.split("\n")
    kept = [i for i, line in enumerate(lines) if line.strip()]
    if not kept:
        raise NoteInvalid("the body is empty", hint="Write the note below its frontmatter.")
    body = "\n".join(lines[kept[0] : kept[-1] + 1]).rstrip()
    return body, parts.body_line + kept[0], parts.body_line + kept[-1]


def _node(
    path: str, data: Mapping[str, Value], body: str, counts: Counter[str]
) -> tuple[Node, list[tuple[str, str]]]:
    """Return the redacted node of a note, and (field, reason) of what was odd."""
    faults: list[tuple[str, str]] = []
    level = read_level(data)
    place = PurePosixPath(path)
    project = _identifier(data, "project", place.parent.name or NOTES_FOLDER)
    query_id = _identifier(data, "query_id", place.stem)

    def clean(value: str) -> str:
        done = redact(value)
        counts.update(done.counts)
        return unicodedata.normalize("NFC", done.text)

    # Redaction comes before every cut: half a secret has no shape to be known by.
    body = clean(body)
    query = clean(as_line(data.get("query"))) or default_query(body)
    if len(query) > MAX_QUERY_CHARS:
        query = query[:MAX_QUERY_CHARS].rstrip()
        faults.append(("query", f"query was cut to {MAX_QUERY_CHARS} characters"))
    node = Node(
        sha=node_sha(level, project, query_id, query, body),
        level=level,
        project=project,
        query_id=query_id,
        query=query,
        body=body,
        trust=read_trust(data, faults),
        author=clean(as_line(data.get("author"))),
        created_at=read_created(data, faults),
        parents=tuple(map(clean, read_parents(data, project, faults))),
        tags=tuple(map(clean, read_tags(data))),
    )
    return node, faults


def _identifier(data: Mapping[str, Value], name: str, default: str) -> str:
    """Return the project or query id of a note, from its frontmatter or its place.

    Raises:
        NoteInvalid: It cannot be one, or looks like a secret.
    """
    raw = data.get(name)
    if raw is not None and not isinstance(raw, str):
        raise FieldInvalid(name, f"{name} must be one text, not a list or a map")
    # Only the edges are trimmed: a hostile character inside must be seen, not mended.
    value = unicodedata.normalize("NFC", (raw or "").strip(" \t\n") or default)
    where = f"{name} {shown(value)}" + ("" if raw else " (from the file's place)")
    if fault := id_fault(value):
        hint = f"Give the note a `{name}` of 1 to 200 plain characters."
        raise FieldInvalid(name, f"{where} {fault}", hint=hint)
    kinds = [kind for kind in redact(value).counts if kind != "high-entropy"]
    if kinds:
        raise FieldInvalid(name, f"{name} looks like a secret ({kinds[0]})", hint="Rename it.")
    return value


def _without_doubles(found: list[FoundNote]) -> tuple[list[FoundNote], list[Skipped]]:
    notes: list[FoundNote] = []
    warnings: list[Skipped] = []
    by_sha: dict[str, str] = {}
    by_address: dict[tuple[Level, str], str] = {}
    for note in found:
        node = note.node
        if first := by_sha.get(node.sha):
            warnings.append(_skipped(note.path, f"same content as {printable(first, 200)}"))
            continue
        by_sha[node.sha] = note.path
        notes.append(note)
        if node.level == "L0":  # evidence shares an address freely
            continue
        first = by_address.setdefault((node.level, node.address), note.path)
        if first != note.path:
            reason = f"same address {node.address} as {printable(first, 200)}; both are kept"
            warnings.append(_skipped(note.path, reason))
    return notes, warnings


def _skipped(path: str, reason: str, line: int | None = None) -> Skipped:
    return Skipped(path=printable(path, 500), reason=no_surrogates(reason), line=line)


def _place(skip: Skipped) -> tuple[str, int, str]:
    return skip.path, skip.line or 0, skip.reason
