"""`mem db`: look after the database."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.output import print_json, progress_bar, report_skipped, table
from memskill.config import Settings


@click.group("db")
def db_command() -> None:
    """Look after the database."""


@db_command.command("path")
@with_settings
def path_command(settings: Settings) -> None:
    """Print where the database lies, whether it exists or not."""
    click.echo(settings.database)


@db_command.command("migrate")
@with_settings
def migrate_command(settings: Settings) -> None:
    """Bring the schema up to date, making the file where there is none."""
    from memskill.pipeline.database import migrate_database

    migrate_database(settings)
    click.echo(f"{settings.database}: schema is up to date")


@db_command.command("check")
@with_settings
def check_command(settings: Settings) -> None:
    """Check that every row is what it must be; exit 65 and name the rows where not."""
    from memskill.pipeline.database import check_database

    nodes = check_database(settings)
    click.echo(f"{settings.database}: healthy, {nodes} nodes checked")


@db_command.command("stats")
@json_option
@with_settings
def stats_command(settings: Settings, as_json: bool) -> None:
    """Show the file's size, the rows of each table and the valid nodes."""
    from memskill.pipeline.database import database_stats

    stats = database_stats(settings)
    if as_json:
        print_json(stats)
        return
    click.echo(f"{stats['path']}: {stats['bytes']:,} bytes")
    for key in ("valid_nodes", "tables"):
        table(list(cast("dict[str, Any]", stats[key]).items()), (key.replace("_", " "), "rows"))


@db_command.command("backup")
@click.argument("target", required=False, type=click.Path(path_type=Path))
@with_settings
def backup_command(settings: Settings, target: Path | None) -> None:
    """Copy the database to TARGET (default: a dated file in .memskill/backup/)."""
    from memskill.pipeline.database import backup_database

    click.echo(backup_database(settings, target))


@db_command.command("rebuild")
@json_option
@with_settings
def rebuild_command(settings: Settings, as_json: bool) -> None:
    """Make the database again from vault, node files and known transcripts, to the same shas.

    Verdicts on lessons are carried over, and so is what was read of transcripts that are gone.
    The old file is kept in .memskill/backup/; floors, logs and draft records stay in it.
    """
    from memskill.pipeline.database import rebuild_database
    from memskill.pipeline.summary import summary_line

    with progress_bar("encoding") as progress:
        report, kept, unreadable = rebuild_database(settings, progress=progress)
    report_skipped(unreadable, "skipped")
    if as_json:
        print_json({"report": report, "old_database": str(kept) if kept else None})
        return
    click.echo(summary_line(report))
    if kept:
        click.echo(f"the old database is kept at {kept}")
