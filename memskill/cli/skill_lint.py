"""`mem skill lint`, `show`, `diff` and `doctor`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.output import print_json, say
from memskill.config import Settings
from memskill.sources.safety import printable

if TYPE_CHECKING:
    from memskill.draft.bodies import Profile
    from memskill.draft.rubric import Score
    from memskill.records import Finding

# sysexits(3) EX_DATAERR: the command ran, what it looked at has errors.
_FOUND_ERRORS = 65


@click.command("lint")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--profile",
    type=click.Choice(["flat", "spec"]),
    default="flat",
    show_default=True,
    help="flat: vault and Claude Code; spec: the agentskills format, strictly.",
)
@click.option("--judge", metavar="MODEL", help="Also ask a chat model for scores: advice only.")
@json_option
@with_settings
def lint_command(
    settings: Settings, paths: Sequence[str], profile: Profile, judge: str | None, as_json: bool
) -> None:
    """Check SKILL.md files against the rules.

    Without a PATH: all skills and drafts of the vault. Exit status 65 if there is an error.
    """
    from memskill.pipeline.lint import lint_paths

    reports = lint_paths(settings, paths, profile=profile, judge_model=judge)
    errors = sum(f.severity == "error" for report in reports for f in report.findings)
    if as_json:
        print_json(reports)
    else:
        for report in reports:
            for finding in report.findings:
                _show(finding, report.path)
            _show_scores("rubric", report.path, report.rubric)
            _show_scores("judged", report.path, report.judged)
        say(f"{len(reports)} file(s), {errors} error(s)")
    if errors:
        raise click.exceptions.Exit(_FOUND_ERRORS)


def _show(finding: Finding, path: str = "") -> None:
    where = ":".join(filter(None, (path, str(finding.line or ""))))
    place = f"{where}: " if where else ""
    line = f"{place}{finding.severity}: {finding.rule}: {finding.message}. {finding.hint}"
    click.echo(printable(line, 2_000))


def _show_scores(kind: str, path: str, scores: Sequence[Score]) -> None:
    if scores:
        points = ", ".join(f"{score.dimension} {score.points}" for score in scores)
        click.echo(printable(f"{path}: {kind} (each of 3): {points}", 2_000))


@click.command("show")
@click.argument("name")
@json_option
@with_settings
def show_command(settings: Settings, name: str, as_json: bool) -> None:
    """Print a skill or a draft.

    NAME is its folder's; a promoted skill goes before a draft of that name.
    """
    from memskill.pipeline.lint import show_skill

    skill, text = show_skill(settings, name)
    if as_json:
        print_json({"skill": skill, "text": text})
        return
    click.echo(text, nl=False)
    say(f"{skill.state}: {skill.path}")


@click.command("diff")
@click.argument("name")
@json_option
@with_settings
def diff_command(settings: Settings, name: str, as_json: bool) -> None:
    """Print what a proposal or a draft would change.

    A proposal in the draft beside it, else a draft in the promoted skill of its name.
    """
    from memskill.pipeline.lint import diff_skill

    diff = diff_skill(settings, name)
    if as_json:
        print_json({"name": name, "diff": diff})
    else:
        click.echo(diff, nl=False)


@click.command("doctor")
@json_option
@with_settings
def doctor_command(settings: Settings, as_json: bool) -> None:
    """Look for loadable drafts, and stale, twin or greedy skills.

    Exit status 65 if an agent would load a draft, or another error is found.
    """
    from memskill.pipeline.lint import doctor

    findings = doctor(settings)
    if as_json:
        print_json(findings)
    else:
        for finding in findings:
            _show(finding)
        say(f"{len(findings)} finding(s)")
    if any(finding.severity == "error" for finding in findings):
        raise click.exceptions.Exit(_FOUND_ERRORS)
