"""`mem materialize`."""

from __future__ import annotations

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.output import print_json, report_skipped, table
from memskill.config import Settings


@click.command("materialize")
@click.option("--candidates", is_flag=True, help="Also lessons that only one session showed.")
@click.option("--dry-run", is_flag=True, help="Say what would be written; write nothing.")
@json_option
@with_settings
def materialize_command(settings: Settings, candidates: bool, dry_run: bool, as_json: bool) -> None:
    """Write lessons as draft skills, one a tool, and as the digest in MEMORY.md.

    A person reviews a draft and promotes it; what is printed last links promoted skills into
    agents, one by one.
    """
    from memskill.pipeline.materialize import materialize

    report = materialize(settings, candidates=candidates, dry_run=dry_run)
    if as_json:
        print_json(report)
        return
    report_skipped(report.skipped, "skipped")
    rows = [(one.tool, one.lessons, one.action, one.path) for one in report.tools]
    rows.append(("-", sum(one.lessons for one in report.tools), report.digest, report.digest_path))
    table(rows, ("tool", "lessons", "action", "path"))
    if not report.tools and not candidates:
        click.echo("\nNo lesson is confirmed yet: --candidates takes those of one session too.")
    if not report.links:
        click.echo("\nNo skill is promoted yet; once one is, this prints how agents get it.")
    else:
        click.echo("\nTo link promoted skills into agents, one by one:")
        for command in report.links:
            click.echo(f"  {command}")
