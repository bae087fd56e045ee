"""The gate: every rule over one SKILL.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from memskill.draft.bodies import Profile
from memskill.draft.rules import RULES
from memskill.draft.rules.base import Document
from memskill.errors import DraftRejected
from memskill.records import Finding, Node

# One rule that fires on every line would bury the others.
_MAX_OF_ONE_RULE = 20


def lint_text(
    text: str,
    *,
    profile: Profile = "flat",
    is_draft: bool = False,
    path: Path | None = None,
    folder: str | None = None,
    note: Node | None = None,
) -> list[Finding]:
    """Return what the rules have to say, by line, then in the order of the rules.

    Args:
        text: The whole file.
        profile: Which readers it must please: `spec` is the agentskills format, strictly.
        is_draft: Hold it to what the drafter promises, not only to what loads.
        path: Where the file lies, for its links; None skips them.
        folder: The name that its folder has or will have; None skips that rule.
        note: The note of its `generated_from`, where it resolves; None skips grounding.
    """
    document = Document(
        text=text, profile=profile, is_draft=is_draft, path=path, folder=folder, note=note
    )
    findings: list[Finding] = []
    for rule in RULES:
        faults = list(rule.check(document))
        findings += [
            Finding(
                rule=rule.id,
                severity=rule.severity_in(document),
                message=fault.message,
                hint=rule.hint,
                line=fault.line,
            )
            for fault in faults[:_MAX_OF_ONE_RULE]
        ]
        if len(faults) > _MAX_OF_ONE_RULE:
            more = f"{findings[-1].message} (and {len(faults) - _MAX_OF_ONE_RULE} more)"
            findings[-1] = replace(findings[-1], message=more)
    # Stable: findings of one line stay in the order of the rules.
    return sorted(findings, key=lambda finding: finding.line or 0)


def require_clean(name: str, findings: Sequence[Finding]) -> None:
    """Pass if there is no error among the findings.

    Raises:
        DraftRejected: Some; `reasons` lists every one, with rule, line and message.
    """
    errors = [finding for finding in findings if finding.severity == "error"]
    if errors:
        raise DraftRejected(
            f"{name}: the draft breaks {len(errors)} rule(s); nothing was written",
            hint="`mem help lint` explains each rule.",
            reasons=[told(finding) for finding in errors],
        )


def told(finding: Finding) -> str:
    """Return a finding as one line: `line 4: angle-brackets: description contains '<'`."""
    where = f"line {finding.line}: " if finding.line else ""
    return f"{where}{finding.rule}: {finding.message}"
