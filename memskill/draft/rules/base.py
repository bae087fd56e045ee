"""What a rule sees and what it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Literal, NamedTuple

from memskill.draft.bodies import Profile
from memskill.draft.facts import normal
from memskill.records import Node
from memskill.sources.frontmatter import Frontmatter, split_frontmatter
from memskill.sources.yamltext import Value

Severity = Literal["error", "warning", "info"]
MATCHED = ("name", "description", "when_to_use")


RowKind = Literal["prose", "code", "fence"]
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")


class Row(NamedTuple):
    """One line of the body; `fence` is the mark that opens or closes a code block."""

    number: int
    text: str
    kind: RowKind


class Fault(NamedTuple):
    """One place where a rule is broken."""

    message: str
    # 1-based line of the file.
    line: int | None = None


@dataclass(frozen=True, kw_only=True)
class Document:
    """A SKILL.md as the rules see it. Not slotted: parts are computed once, when asked for."""

    text: str
    profile: Profile = "flat"
    # A draft is held to what the drafter promises; a hand-written skill only to what loads.
    is_draft: bool = False
    # Where the file lies; None for text that lies nowhere yet.
    path: Path | None = None
    # The name that its folder has or will have; None where the folder says nothing.
    folder: str | None = None
    # The note that it was made from, where `generated_from` resolves.
    note: Node | None = None

    @cached_property
    def parts(self) -> Frontmatter:
        """The file in two, read tolerantly; what was odd stands in its problems."""
        return split_frontmatter(self.text)

    @cached_property
    def values(self) -> Mapping[str, Value]:
        """Frontmatter values; every scalar is the text that was written."""
        return self.parts.data

    @cached_property
    def lines(self) -> list[str]:
        """All lines of the file, without line ends."""
        return re.split(r"\r\n|\r|\n", self.text)

    @cached_property
    def block(self) -> list[tuple[int, str]]:
        """The frontmatter's lines with their numbers, fences apart."""
        return list(enumerate(self.lines[: max(self.parts.body_line - 1, 0)], 1))[1:-1]

    @cached_property
    def body_lines(self) -> list[tuple[int, str]]:
        """The body's lines with their numbers in the file."""
        return list(enumerate(self.parts.body.split("\n"), self.parts.body_line))

    @cached_property
    def rows(self) -> list[Row]:
        """The body's lines, each told apart as prose, code or the mark of a code block."""
        found: list[Row] = []
        fence = ""
        for number, line in self.body_lines:
            mark = _FENCE.match(line)
            kind: RowKind = "code" if fence else "prose"
            # A line such as ```code``` opens nothing.
            if mark and not fence and "`" not in line.strip().lstrip("`"):
                fence, kind = mark[1], "fence"
            elif fence and mark and mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence, kind = "", "fence"
            found.append(Row(number, line, kind))
        return found

    @cached_property
    def prose_lines(self) -> list[tuple[int, str]]:
        """The body's lines outside of code blocks, with their numbers in the file."""
        return [(row.number, row.text) for row in self.rows if row.kind == "prose"]

    @cached_property
    def note_text(self) -> str | None:
        """The note's query and body in the form that facts are looked up in, if there is one."""
        return normal(f"{self.note.query}\n{self.note.body}") if self.note else None

    @cached_property
    def generated_from(self) -> str:
        """Bare sha of the note that it says it was made from; empty where it says none."""
        metadata = self.values.get("metadata", {})
        nested = metadata.get("generated_from", "") if isinstance(metadata, dict) else ""
        value = self.values.get("generated_from") or nested
        found = re.fullmatch(r"sha256:([0-9a-f]{64})", value if isinstance(value, str) else "")
        return found[1] if found else ""

    def field(self, key: str) -> str:
        """Return a frontmatter value as text; empty where it is absent or no text."""
        value = self.values.get(key, "")
        return value if isinstance(value, str) else ""

    def line_of(self, key: str) -> int | None:
        """Return the line of a top-level key."""
        return self.parts.key_lines.get(key)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A check with the severity of what it finds."""

    # Kebab-case; what --json, the docs and tests call it.
    id: str
    hint: str
    check: Callable[[Document], Iterable[Fault]]
    # For a hand-written skill in profile flat.
    severity: Severity
    # For a draft, and for profile spec; the same as `severity` where None.
    draft: Severity | None = None
    spec: Severity | None = None

    def severity_in(self, document: Document) -> Severity:
        """Return the strictest severity that applies to the document."""
        order: tuple[Severity, ...] = ("error", "warning", "info")
        found = {self.severity}
        if document.is_draft and self.draft:
            found.add(self.draft)
        if document.profile == "spec" and self.spec:
            found.add(self.spec)
        return next(severity for severity in order if severity in found)
