"""`mem skill draft` and `mem skill prompt`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.output import print_json, say
from memskill.config import Settings
from memskill.records import Level

if TYPE_CHECKING:
    from memskill.draft.bodies import Profile
    from memskill.pipeline.draft import DraftReport

_FROM = click.option(
    "--from", "address", required=True, metavar="PROJECT/QUERY-ID", help="The note to draft from."
)
_LEVEL = click.option(
    "--level", type=click.Choice(["L0", "L1", "L2"]), help="Only a note of this level."
)


@click.command("draft")
@_FROM
@_LEVEL
@click.option("--model", help="extractive, scripted:FILE, openai:MODEL@URL or a model of llm.")
@click.option("--out", metavar="PATH", help="Another draft's folder below _drafts.")
@click.option("--dry-run", is_flag=True, help="Print the file to stdout and write nothing.")
@click.option("--force", is_flag=True, help="Replace a draft that a person edited; keep a backup.")
@click.option(
    "--profile",
    type=click.Choice(["flat", "spec"]),
    default="flat",
    show_default=True,
    help="flat: vault and Claude Code; spec: the agentskills format.",
)
@json_option
@with_settings
def draft_command(
    settings: Settings,
    address: str,
    level: Level | None,
    model: str | None,
    out: str | None,
    dry_run: bool,
    force: bool,
    profile: Profile,
    as_json: bool,
) -> None:
    """Turn a note into a draft skill for a person to review."""
    from memskill.pipeline.draft import DraftRequest, draft_skill

    request = DraftRequest(
        level=level, model=model, out=out, dry_run=dry_run, force=force, profile=profile
    )
    report = draft_skill(settings, address, request)
    if as_json:
        print_json(report)
        return
    click.echo(report.text if dry_run else report.path, nl=not dry_run)
    _tell(report)


def _tell(report: DraftReport) -> None:
    """Print the report for people to stderr."""
    say(f"{report.action}: {report.name} from {report.address} ({report.chosen})")
    used = report.usage
    tokens = f", {used.input_tokens} + {used.output_tokens} tokens" if used.input_tokens else ""
    cost = f", cost {used.cost:g}" if used.cost is not None else ""
    more = (
        f", {report.repairs} repair(s), {report.cached} cached"
        if report.model != "extractive"
        else ""
    )
    say(f"model: {report.model}{more}{tokens}{cost}; profile {report.profile}")
    for notice in report.notices:
        say(f"note: {notice}")
    for finding in report.findings:
        say(f"{finding.severity}: {finding.rule}: {finding.message}")
    for twin in report.duplicates:
        say(f"warning: near-duplicate: {twin.state} {twin.name!r} ({twin.similarity:.2f})")
    for match in report.covered_by:
        say(f"warning: already-covered: promoted {match.name!r} answers this ({match.score:.2f})")
    if report.action == "proposed":
        say("A person edited the draft: the new text lies beside it, nothing was overwritten.")
        click.echo(report.diff, err=True, nl=False)
        say(f"See it again: mem skill diff {report.name}   Take it: the same command with --force")
    elif report.backup:
        say(f"The edited text was kept as {report.backup}.")
    if report.action in ("written", "unchanged", "replaced"):
        say(f"Review it, then promote it yourself: {report.promote}")


@click.command("prompt")
@_FROM
@_LEVEL
@json_option
@with_settings
def prompt_command(settings: Settings, address: str, level: Level | None, as_json: bool) -> None:
    """Print the exact prompt that a chat model would get.

    Paste it into any model, save its reply, and draft with --model scripted:FILE.
    """
    from memskill.pipeline.draft import draft_prompt

    prompt = draft_prompt(settings, address, level)
    if as_json:
        print_json(prompt)
        return
    click.echo(f"{prompt.system}\n\n{prompt.text}", nl=False)
    for notice in prompt.notices:
        say(f"note: {notice}")
