"""`mem skill lint`, `show`, `diff` and `doctor`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from memskill.config import Settings
from memskill.draft.bodies import Profile
from memskill.draft.doctor import budget_findings, duplicate_findings, reachable_drafts
from memskill.draft.judge import judge
from memskill.draft.lint import lint_text
from memskill.draft.publish import FILE, PROPOSAL, unified_diff
from memskill.draft.rubric import Score, rubric
from memskill.draft.rules.base import Document
from memskill.errors import NotFound, SourceError
from memskill.models.chat import chat_model
from memskill.pipeline.drafting import encoder_similarity, vault_skills
from memskill.records import Finding, Node, Skill
from memskill.sources.encoding import decode
from memskill.sources.safety import read_bounded
from memskill.store import open_store

# Of the rules, those that say that a promoted skill needs looking after.
_DOCTOR_RULES = frozenset(
    ("yaml-invalid", "name-folder", "greedy-description", "listing-long", "description-missing")
)


@dataclass(frozen=True, slots=True, kw_only=True)
class LintReport:
    """What lint says about one file."""

    path: str
    findings: tuple[Finding, ...]
    rubric: tuple[Score, ...]
    # A chat model's scores; empty where none was asked.
    judged: tuple[Score, ...] = ()


def lint_paths(
    settings: Settings,
    paths: Sequence[str] = (),
    *,
    profile: Profile = "flat",
    judge_model: str | None = None,
) -> list[LintReport]:
    """Return a report a file: of the given files and folders, else of the vault's skills.

    A file that cannot be read gives a report with that one finding. Grounding is checked where
    the note of `generated_from` is in the database.

    Raises:
        NotFound: A path does not exist, or there is nothing to lint.
    """
    files = [file for path in paths for file in _files(Path(path))]
    if not paths:
        files = [settings.vault / skill.path for skill in vault_skills(settings)]
    if not files:
        raise NotFound("there is no SKILL.md to lint", hint="Name a file or a folder.")
    model = (
        chat_model(judge_model, timeout_seconds=settings.chat_timeout_seconds)
        if judge_model
        else None
    )
    find = _note_finder(settings)
    reports: list[LintReport] = []
    for file in dict.fromkeys(files):
        try:
            text, _ = decode(read_bounded(file, settings.max_file_bytes))
        except SourceError as error:
            reports.append(_unreadable(file, error))
            continue
        report = _lint_file(settings, file, text, profile, find)
        judged = tuple(judge(text, model)) if model else ()
        reports.append(
            LintReport(
                path=report.path, findings=report.findings, rubric=report.rubric, judged=judged
            )
        )
    return reports


def _lint_file(
    settings: Settings, file: Path, text: str, profile: Profile, find: Callable[[str], Node | None]
) -> LintReport:
    note = find(Document(text=text).generated_from)
    named = file.name == FILE
    is_draft = settings.drafts_dir in file.absolute().parents
    folder = file.absolute().parent.name if named else None
    path = file if named else None
    findings = lint_text(
        text, profile=profile, is_draft=is_draft, path=path, folder=folder, note=note
    )
    return LintReport(
        path=str(file),
        findings=tuple(findings),
        rubric=tuple(rubric(Document(text=text, profile=profile))),
    )


def _unreadable(file: Path, error: SourceError) -> LintReport:
    finding = Finding(
        rule="unreadable", severity="error", message=error.message, hint=error.hint or "Mend it."
    )
    return LintReport(path=str(file), findings=(finding,), rubric=())


def _files(path: Path) -> Iterator[Path]:
    if path.is_dir():
        yield from sorted(path.rglob(FILE))
    elif path.exists():
        yield path
    else:
        raise NotFound(f"{path} does not exist")


def _note_finder(settings: Settings) -> Callable[[str], Node | None]:
    """Return a function from a sha to its node; it finds none where there is no database."""
    if not settings.database.is_file():
        return lambda sha: None
    known: dict[str, Node | None] = {}

    def find(sha: str) -> Node | None:
        if sha and sha not in known:
            with open_store(settings) as store:
                known[sha] = store.node(sha)
        return known.get(sha)

    return find


def show_skill(settings: Settings, name: str) -> tuple[Skill, str]:
    """Return a skill or draft by its folder's name, with its text; a promoted one goes first.

    Raises:
        NotFound: No such skill, with the nearest names.
    """
    import difflib

    skills = vault_skills(settings)
    found = sorted((s for s in skills if s.name == name), key=lambda s: s.state != "promoted")
    if not found:
        near = difflib.get_close_matches(name, [skill.name for skill in skills], n=3, cutoff=0.4)
        raise NotFound(
            f"no skill or draft is called {name!r}",
            hint=f"Nearest: {', '.join(near)}." if near else "`mem skill list` shows them.",
        )
    return found[0], _text(settings, settings.vault / found[0].path)


def diff_skill(settings: Settings, name: str) -> str:
    """Return what would change: draft to proposal, else promoted skill to draft; may be empty.

    Raises:
        NotFound: There is no draft of that name, or nothing to compare it with.
    """
    draft = settings.drafts_dir / name / FILE
    promoted = settings.skills_dir / name / FILE
    show_skill(settings, name)
    if (proposal := draft.with_name(PROPOSAL)).is_file() and draft.is_file():
        return unified_diff(_text(settings, draft), _text(settings, proposal), FILE, PROPOSAL)
    if draft.is_file() and promoted.is_file():
        return unified_diff(
            _text(settings, promoted),
            _text(settings, draft),
            f"{name}/{FILE}",
            f"_drafts/{name}/{FILE}",
        )
    raise NotFound(
        f"{name!r} has neither a proposal beside its draft nor both a draft and a promoted file",
        hint="`mem skill show` prints what there is.",
    )


def _text(settings: Settings, path: Path) -> str:
    return decode(read_bounded(path, settings.max_file_bytes))[0]


def doctor(
    settings: Settings, *, home: Path | None = None, cwd: Path | None = None
) -> list[Finding]:
    """Return what is wrong with the vault's skills as a whole, errors first.

    Args:
        settings: Names the vault.
        home: The home folder whose agents are looked at; the user's own by default.
        cwd: The working folder; the process's own by default.
    """
    skills = vault_skills(settings)
    promoted = [skill for skill in skills if skill.state == "promoted"]
    similarity, notice = encoder_similarity(settings)
    findings = reachable_drafts(
        settings.drafts_dir, settings.vault, home or Path.home(), cwd or Path.cwd()
    )
    findings += _sources(settings, promoted)
    findings += duplicate_findings(skills, similarity)
    findings += budget_findings(promoted)
    for skill in promoted:
        found = lint_text(_text(settings, settings.vault / skill.path), folder=skill.name)
        findings += [_at(skill, one) for one in found if one.rule in _DOCTOR_RULES]
    if notice:
        findings.append(
            Finding(rule="encoder", severity="info", message=notice, hint="See `mem help models`.")
        )
    return sorted(findings, key=lambda f: ("error", "warning", "info").index(f.severity))


def _at(skill: Skill, finding: Finding) -> Finding:
    return Finding(
        rule=finding.rule,
        severity=finding.severity,
        message=f"{skill.path}: {finding.message}",
        hint=finding.hint,
        line=finding.line,
    )


def _sources(settings: Settings, promoted: Sequence[Skill]) -> list[Finding]:
    """Return the promoted skills whose note is gone or has a newer version."""
    made = [skill for skill in promoted if skill.generated_from]
    if not made or not settings.database.is_file():
        return []
    findings: list[Finding] = []
    with open_store(settings) as store:
        for skill in made:
            node = store.node(skill.generated_from)
            heir = store.superseded_by(skill.generated_from)
            if node is None:
                rule, what = "source-gone", "its note is not in the database"
            elif heir is None:
                continue
            elif heir:
                rule, what = "source-superseded", f"its note {node.address} has a newer version"
            else:
                rule, what = "source-gone", f"its note {node.address} was removed"
            findings.append(
                Finding(
                    rule=rule,
                    severity="warning",
                    message=f"{skill.path}: {what}",
                    hint="Draft it again and compare with `mem skill diff`.",
                )
            )
    return findings
