"""`mem ingest`."""

from __future__ import annotations

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.output import print_json, progress_bar, report_skipped, say
from memskill.config import Settings


@click.command("ingest")
@click.option("--dry-run", is_flag=True, help="Say what would change; write nothing.")
@json_option
@with_settings
def ingest_command(settings: Settings, dry_run: bool, as_json: bool) -> None:
    """Read the vault into the database; a second run changes nothing and says so.

    One bad file never stops the rest: it is reported on stderr with file, line and reason.
    """
    from memskill.pipeline.ingest import ingest
    from memskill.pipeline.summary import summary_line

    with progress_bar("encoding") as progress:
        report = ingest(settings, dry_run=dry_run, progress=progress)
    if as_json:
        print_json(report)
        return
    report_skipped(report.skipped, "skipped")
    report_skipped(report.warnings, "warning")
    for kind, count in report.redactions.items():
        say(f"redacted: {count} x {kind}")
    click.echo(summary_line(report))
