"""One SKILL.md as the page shows it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from memskill.config import Settings
from memskill.draft.duplicates import Duplicate
from memskill.draft.lint import lint_text
from memskill.draft.rubric import Score, rubric
from memskill.draft.rules.base import Document
from memskill.errors import SourceError
from memskill.pipeline.matching import Matching
from memskill.records import Clause, Finding, Skill
from memskill.sources.clauses import split_clauses
from memskill.sources.encoding import decode
from memskill.sources.fields import as_line
from memskill.sources.frontmatter import split_frontmatter
from memskill.sources.identity import file_sha
from memskill.sources.safety import read_bounded, within
from memskill.sources.skills import list_skill_files, parse_skill
from memskill.sources.yamltext import Value
from memskill.web.pages.likeness import twins
from memskill.web.pages.markdown import render_markdown
from memskill.web.pages.provenance import Provenance, provenance
from memskill.web.pages.state import page_state

# Of a file's source, this much is shown; the whole of it is one link away.
MAX_SOURCE_CHARS = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillView:
    """All that is shown of one file; a draft and a promoted skill alike."""

    name: str
    # Relative to the vault.
    path: str
    # None: the file is no skill as it lies; the findings say why.
    skill: Skill | None
    # Why it is none.
    fault: str
    clauses: Sequence[Clause]
    # Frontmatter key -> value on one line, but for the two fields that are shown apart.
    fields: Mapping[str, str]
    body: Markup
    source: str
    cut: bool
    provenance: Provenance | None
    twins: Sequence[Duplicate]
    findings: Sequence[Finding]
    rubric: Sequence[Score]

    @property
    def errors(self) -> int:
        """How many findings would keep `mem skill draft` from writing it."""
        return sum(finding.severity == "error" for finding in self.findings)


def skill_view(settings: Settings, matching: Matching, path: str, data: bytes) -> SkillView:
    """Return the view of a file's bytes.

    Args:
        settings: Names the vault.
        matching: Its encoder and catalogue tell what is nearly the same.
        path: Where it lies, relative to the vault.
        data: The file's bytes.

    Raises:
        SourceError: It is no text.
    """
    text, _ = decode(data)
    name = path.rsplit("/", 2)[-2]
    skill, fault = _parsed(path, data)
    parts = split_frontmatter(text)
    chain = provenance(settings, skill.generated_from) if skill else None
    file = settings.vault / path
    findings = lint_text(
        text,
        is_draft=file.is_relative_to(settings.drafts_dir),
        path=file,
        folder=name,
        note=chain.note if chain else None,
    )
    return SkillView(
        name=name,
        path=path,
        skill=skill,
        fault=fault,
        clauses=split_clauses(skill.description, skill.when_to_use) if skill else (),
        fields=_fields(parts.data),
        body=page_state().bodies.get_or_make(file_sha(data), lambda: render_markdown(parts.body)),
        source=text[:MAX_SOURCE_CHARS],
        cut=len(text) > MAX_SOURCE_CHARS,
        provenance=chain,
        twins=twins(matching, skill, draft_skills(settings)) if skill else (),
        findings=findings,
        rubric=rubric(Document(text=text)),
    )


def draft_skills(settings: Settings) -> list[Skill]:
    """Return the drafts that parse, by path."""
    found: list[Skill] = []
    for path in draft_paths(settings):
        try:
            found.append(parse_skill(path, read_file(settings, settings.vault / path)).skill)
        except SourceError:
            continue  # `/drafts` says what is wrong with it
    return found


def draft_paths(settings: Settings) -> list[str]:
    """Return where drafts lie, relative to the vault, in order."""
    files = list_skill_files(settings.vault).files
    return [file.path for file in files if file.state == "draft"]


def read_file(settings: Settings, file: Path) -> bytes:
    """Return a file of the vault.

    Raises:
        SourceError, PathRefused: It cannot be read, is too large, or is a link out of the vault.
    """
    return read_bounded(within(settings.vault, file), settings.max_file_bytes)


def _parsed(path: str, data: bytes) -> tuple[Skill | None, str]:
    try:
        return parse_skill(path, data).skill, ""
    except SourceError as error:
        return None, error.message


def _fields(data: Mapping[str, Value]) -> dict[str, str]:
    shown: dict[str, str] = {}
    for key, value in data.items():
        if isinstance(value, dict):  # metadata: one line a key
            shown |= {f"{key}.{inner}": as_line(one) for inner, one in value.items()}
        elif key not in ("name", "description", "when_to_use"):
            shown[key] = as_line(value)
    return shown
