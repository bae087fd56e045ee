"""`mem ingest`."""

from __future__ import annotations

from pathlib import Path

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.output import print_json, progress_bar, report_skipped, say
from memskill.config import Settings


@click.command("ingest")
@click.argument("more", nargs=-1, metavar="", type=click.Path(path_type=Path))
@click.option(
    "--transcripts",
    metavar="PATH...",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Read agents' transcripts at and below these paths, not the vault.",
)
@click.option("--dry-run", is_flag=True, help="Say what would change; write nothing.")
@json_option
@with_settings
def ingest_command(
    settings: Settings,
    more: tuple[Path, ...],
    transcripts: tuple[Path, ...],
    dry_run: bool,
    as_json: bool,
) -> None:
    """Read the vault into the database; a second run changes nothing and says so.

    One bad file never stops the rest: it is reported on stderr with file, line and reason.
    """
    if more and not transcripts:
        raise click.UsageError("the vault is named by --vault, transcripts by --transcripts")
    if transcripts:
        _ingest_transcripts(settings, (*transcripts, *more), dry_run=dry_run, as_json=as_json)
        return
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


def _ingest_transcripts(
    settings: Settings, paths: tuple[Path, ...], *, dry_run: bool, as_json: bool
) -> None:
    """Read transcripts; one line a file, with what was dropped and why on stderr."""
    from memskill.pipeline.transcripts import ingest_transcripts, transcript_line

    report = ingest_transcripts(settings, paths, dry_run=dry_run)
    if as_json:
        print_json(report)
        return
    report_skipped(report.skipped, "skipped")
    for one in report.files:
        if one.bytes_read:
            head = f"{one.path}: {one.format}, {one.events} events, {one.commands} commands"
            say(f"{head}, {one.failures} failures, {one.lessons} lessons")
            for word, counts in (("dropped", one.dropped), ("redacted", one.redactions)):
                for reason, count in counts.items():
                    say(f"  {word}: {count} x {reason}")
    for reason, count in report.failures_dropped.items():
        say(f"no lesson: {count} x {reason}")
    click.echo(transcript_line(report))
