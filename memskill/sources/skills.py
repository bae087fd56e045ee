"""Reads the vault's SKILL.md files, promoted and drafts, by what matching looks at."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from stat import S_ISLNK

from memskill.errors import PathRefused, SkillInvalid, SourceError
from memskill.records import Skill, Skipped, State
from memskill.sources.encoding import decode
from memskill.sources.fields import as_line, as_list, nested
from memskill.sources.frontmatter import split_frontmatter
from memskill.sources.identity import file_sha
from memskill.sources.safety import id_fault, no_surrogates, printable, read_bounded, within
from memskill.sources.yamltext import Value

SKILLS_FOLDER, DRAFTS_FOLDER, SKILL_FILE = "skills", "_drafts", "SKILL.md"
# Hosts stop reading at 1,024 or 1,536 characters; beyond this a field is no description.
MAX_FIELD_CHARS = 4_096
_SHA = re.compile(r"(?:sha256:)?([0-9a-f]{64})")


@dataclass(frozen=True, slots=True, order=True, kw_only=True)
class FileKey:
    """What changes on disk when a file does; equal keys mean that it need not be read again."""

    inode: int
    size: int
    mtime_ns: int
    ctime_ns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFile:
    """A SKILL.md that is there, not yet read."""

    # Relative to the vault, with forward slashes.
    path: str
    state: State
    key: FileKey


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundSkill:
    """A skill and its file."""

    skill: Skill
    # Never matched; for drafts, lint and `GET /memory/skills/<name>`.
    body: str
    # None where it was parsed from bytes alone.
    key: FileKey | None = None
    # Read all the same, with what was repaired or cut.
    warnings: tuple[Skipped, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillFiles:
    """The SKILL.md files of a vault, ordered by path, and the folders that were refused."""

    files: tuple[SkillFile, ...]
    skipped: tuple[Skipped, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillsScan:
    """All skills of a vault, ordered by path, and what was passed over or repaired."""

    skills: tuple[FoundSkill, ...]
    skipped: tuple[Skipped, ...]
    warnings: tuple[Skipped, ...]


def scan_skills(vault: Path, *, max_bytes: int) -> SkillsScan:
    """Return the skills of a vault; a file that cannot be one is reported and hides no other.

    Promoted is `skills/<name>/SKILL.md`, a draft is `skills/_drafts/<name>/SKILL.md`, one level
    deep each. Other names that start with `_` or `.` (`_Drafts` too) are neither.
    """
    listing = list_skill_files(vault)
    skipped = list(listing.skipped)
    skills: list[FoundSkill] = []
    for file in listing.files:
        try:
            skills.append(read_skill(vault, file, max_bytes=max_bytes))
        except SourceError as error:
            because = f" ({error.reasons[0]})" if error.reasons else ""
            skipped.append(_skipped(file.path, error.message + because))
    warnings = [warning for skill in skills for warning in skill.warnings]
    return SkillsScan(
        skills=tuple(skills),
        skipped=tuple(sorted(skipped, key=lambda s: (s.path, s.line or 0, s.reason))),
        warnings=tuple(warnings),
    )


def list_skill_files(vault: Path) -> SkillFiles:
    """Return the SKILL.md files of a vault with their keys; opens none of them."""
    places: tuple[tuple[str, State], ...] = (
        (SKILLS_FOLDER, "promoted"),
        (f"{SKILLS_FOLDER}/{DRAFTS_FOLDER}", "draft"),
    )
    found = [item for folder, state in places for item in _in_folder(vault, folder, state)]
    found.sort(key=lambda item: item.path)
    return SkillFiles(
        files=tuple(item for item in found if isinstance(item, SkillFile)),
        skipped=tuple(item for item in found if isinstance(item, Skipped)),
    )


def _in_folder(vault: Path, folder: str, state: State) -> Iterator[SkillFile | Skipped]:
    try:
        if (vault / folder).is_symlink():
            within(vault, vault / folder)
        entries = list(os.scandir(vault / folder))
    except FileNotFoundError:
        return
    except (OSError, PathRefused) as error:
        yield _skipped(folder, f"folder cannot be read: {printable(str(error), 200)}")
        return
    for entry in entries:
        if not entry.name.startswith((".", "_")):
            path = f"{folder}/{entry.name}/{SKILL_FILE}"
            try:
                key = _key(vault, path, is_link=entry.is_symlink())
            except PathRefused:
                yield _skipped(path, "symbolic link that leads out of the vault")
            except OSError as error:
                yield _skipped(path, f"cannot be read: {error.strerror}")
            else:
                if key:
                    yield SkillFile(path=path, state=state, key=key)


def _key(vault: Path, path: str, *, is_link: bool) -> FileKey | None:
    """Return a file's key; None where there is no such file, as in a folder of something else."""
    file = vault / path
    try:
        stat = file.lstat()
        # Only links cost the look at where they lead.
        if is_link or S_ISLNK(stat.st_mode):
            stat = within(vault, file).stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return FileKey(
        inode=stat.st_ino,
        size=stat.st_size,
        mtime_ns=stat.st_mtime_ns,
        ctime_ns=stat.st_ctime_ns,
    )


def read_skill(vault: Path, file: SkillFile, *, max_bytes: int) -> FoundSkill:
    """Return the skill of a listed file.

    Raises:
        SourceError: It cannot be read, or is too large.
        SkillInvalid: It is no skill: binary, no description, a folder name that cannot be.
    """
    found = parse_skill(file.path, read_bounded(vault / file.path, max_bytes))
    return FoundSkill(skill=found.skill, body=found.body, key=file.key, warnings=found.warnings)


def parse_skill(path: str, data: bytes) -> FoundSkill:
    """Return the skill that a file holds.

    Args:
        path: Relative to the vault; its folder is the name, its place the state.
        data: The file's bytes.

    Raises:
        SkillInvalid: Binary, no description that can be read, or a folder name that cannot be
            a skill's.
    """
    folder = PurePosixPath(path).parent
    if fault := id_fault(folder.name):
        raise SkillInvalid(f"folder name {printable(folder.name, 60)!r} {fault}")
    try:
        text, oddity = decode(data)
    except SourceError as error:
        raise SkillInvalid(error.message, hint=error.hint) from error
    parts = split_frontmatter(text)
    warnings = [_skipped(path, problem.reason, problem.line) for problem in parts.problems]
    if oddity:
        warnings.append(_skipped(path, oddity))
    values: dict[str, str] = {}
    for name in ("description", "when_to_use"):
        values[name], faults = _matched_text(name, parts.data.get(name))
        warnings += [_skipped(path, fault, parts.key_lines.get(name)) for fault in faults]
    if not values["description"]:
        raise SkillInvalid(
            "has no description that can be read",
            hint="Write `description:` between the --- lines; quote it where it holds a colon.",
            reasons=[f"line {p.line}: {p.reason}" if p.line else p.reason for p in parts.problems],
        )
    skill = Skill(
        path=path,
        name=folder.name,
        description=values["description"],
        when_to_use=values["when_to_use"],
        projects=_projects(parts.data),
        state="draft" if folder.parent.name == DRAFTS_FOLDER else "promoted",
        content_sha=file_sha(data),
        generated_from=_generated_from(parts.data),
    )
    return FoundSkill(skill=skill, body=parts.body, warnings=tuple(warnings))


def _matched_text(name: str, value: Value | None) -> tuple[str, list[str]]:
    """Return a matched field as one line within its cap, and what was odd about it."""
    faults: list[str] = []
    if value is not None and not isinstance(value, str):
        kind = "list" if isinstance(value, list) else "map"
        faults.append(f"{name} is a {kind}, not a text; its entries were joined")
    line = as_line(value)
    if len(line) > MAX_FIELD_CHARS:
        faults.append(f"{name} has {len(line)} characters; cut to {MAX_FIELD_CHARS}")
        line = line[:MAX_FIELD_CHARS].rstrip()
    return line, faults


def _projects(data: Mapping[str, Value]) -> tuple[str, ...]:
    both = (nested(data, "projects"), nested(data, "project"))
    return tuple(sorted({name for value in both for name in as_list(value)}))


def _generated_from(data: Mapping[str, Value]) -> str:
    found = _SHA.fullmatch(as_line(nested(data, "generated_from")).lower())
    return found[1] if found else ""


def _skipped(path: str, reason: str, line: int | None = None) -> Skipped:
    return Skipped(path=printable(path, 500), reason=no_surrogates(reason), line=line)
