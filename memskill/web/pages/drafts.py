"""Drafts as a reviewer sees them."""

from __future__ import annotations

import difflib
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from memskill.config import Settings
from memskill.draft.lint import lint_text
from memskill.draft.publish import FILE, PROPOSAL, unified_diff
from memskill.errors import MemskillError, NotFound, SourceError
from memskill.records import Node, Skill
from memskill.sources.encoding import decode
from memskill.sources.safety import printable
from memskill.sources.skills import parse_skill
from memskill.web.pages.provenance import notes_of
from memskill.web.pages.skill import draft_paths, read_file

# A line by line comparison of two texts of megabytes would take minutes.
MAX_DIFF_CHARS = 200_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftRow:
    """One line of the list."""

    name: str
    skill: Skill | None
    fault: str
    errors: int
    warnings: int
    # Whether a promoted skill has this name already.
    has_twin: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """One line of a unified diff."""

    kind: Literal["added", "removed", "place", "same"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """What would change, and from what to what."""

    title: str
    lines: Sequence[DiffLine]
    # Why there are no lines; empty where there are some.
    remark: str = ""


def draft_rows(settings: Settings) -> list[DraftRow]:
    """Return every draft of the vault by path, those that cannot be read too."""
    read = [_read(settings, path) for path in draft_paths(settings)]
    notes = notes_of(settings, (one.skill.generated_from for one in read if one.skill))
    return [_row(settings, one, notes) for one in read]


def draft_path(settings: Settings, name: str) -> str:
    """Return where the draft of that name lies; the name is looked up, never made into a path.

    Raises:
        NotFound: There is none; the hint is the nearest name.
    """
    names = {path.rsplit("/", 2)[-2]: path for path in draft_paths(settings)}
    if name not in names:
        near = difflib.get_close_matches(name[:200], names, n=1)
        raise NotFound(
            f"no draft {printable(name, 80)!r}",
            hint=f"Did you mean {near[0]!r}?" if near else "`mem skill draft` makes them.",
        )
    return names[name]


def draft_diffs(settings: Settings, name: str) -> list[Diff]:
    """Return promoted skill -> draft and draft -> proposal, where these exist."""
    promoted = settings.skills_dir / name / FILE
    draft = settings.drafts_dir / name / FILE
    pairs = (
        (promoted, draft, f"From the promoted skill {name} to this draft"),
        (draft, draft.with_name(PROPOSAL), "From this draft to the newer proposal beside it"),
    )
    found: list[Diff] = []
    for old, new, title in pairs:
        if not (old.is_file() and new.is_file()):
            continue
        try:
            texts = [decode(read_file(settings, file))[0] for file in (old, new)]
        except MemskillError as error:
            found.append(Diff(title=title, lines=(), remark=error.message))
            continue
        found.append(_diff(title, *texts))
    return found


def promote_lines(settings: Settings, name: str, *, has_twin: bool) -> list[str]:
    """Return what a reviewer would run to promote a draft; memskill never does.

    Where a promoted skill has the name, the draft's file takes the place of its file: moving
    the folder would put it inside the other one.
    """
    vault = shlex.quote(str(settings.vault))
    draft, promoted = (shlex.quote(f"skills/{at}{name}") for at in ("_drafts/", ""))
    add = f"git -C {vault} add {draft}"
    if has_twin:
        draft, promoted = (shlex.quote(f"skills/{at}{name}/{FILE}") for at in ("_drafts/", ""))
        return [add, f"git -C {vault} mv -f {draft} {promoted}"]
    return [add, f"git -C {vault} mv {draft} {promoted}"]


def has_twin(settings: Settings, name: str) -> bool:
    """Return whether a promoted skill has this name."""
    return (settings.skills_dir / name / FILE).is_file()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A draft's file: what it says, or why it cannot be read."""

    path: str
    # None: it is no text.
    text: str | None = None
    skill: Skill | None = None
    fault: str = ""


def _read(settings: Settings, path: str) -> _Read:
    try:
        data = read_file(settings, settings.vault / path)
        text, _ = decode(data)
    except MemskillError as error:  # a link out of the vault, too
        return _Read(path=path, fault=error.message)
    try:
        return _Read(path=path, text=text, skill=parse_skill(path, data).skill)
    except SourceError as error:
        return _Read(path=path, text=text, fault=error.message)


def _row(settings: Settings, read: _Read, notes: Mapping[str, Node]) -> DraftRow:
    name = read.path.rsplit("/", 2)[-2]
    findings = lint_text(
        read.text or "",
        is_draft=True,
        path=settings.vault / read.path,
        folder=name,
        note=notes.get(read.skill.generated_from) if read.skill else None,
    )
    counts = Counter(finding.severity for finding in findings)
    return DraftRow(
        name=name,
        skill=read.skill,
        fault=read.fault,
        errors=counts["error"],
        warnings=counts["warning"],
        has_twin=has_twin(settings, name),
    )


def _diff(title: str, old: str, new: str) -> Diff:
    if len(old) + len(new) > MAX_DIFF_CHARS:
        return Diff(title=title, lines=(), remark="too large to compare here; use `mem skill diff`")
    told = unified_diff(old, new, "old", "new").split("\n")[2:]
    if not told:
        return Diff(title=title, lines=(), remark="no difference")
    return Diff(title=title, lines=[_line(line) for line in told if line])


def _line(line: str) -> DiffLine:
    kinds = {"+": "added", "-": "removed", "@": "place"}
    return DiffLine(kind=kinds.get(line[0], "same"), text=line)  # type: ignore[arg-type]
