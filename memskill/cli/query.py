"""`mem query`."""

from __future__ import annotations

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.output import print_json, table
from memskill.config import Settings
from memskill.records import Level


@click.command("query")
@click.argument("question")
@click.option("--project", help="Only notes of this project.")
@click.option("--level", type=click.Choice(["L0", "L1", "L2"]), help="Only notes of this level.")
@click.option("--limit", type=int, default=5, show_default=True, help="At most this many, 1..50.")
@json_option
@with_settings
def query_command(
    settings: Settings,
    question: str,
    project: str | None,
    level: Level | None,
    limit: int,
    as_json: bool,
) -> None:
    """Find memory notes near a QUESTION, best first, with their cosine."""
    from memskill.pipeline.notes import query_notes

    hits = query_notes(settings, question, project=project, level=level, limit=limit)
    if as_json:
        print_json(hits)
        return
    rows = [(f"{hit.cosine:.4f}", hit.level, hit.address, hit.query) for hit in hits]
    table(rows, ("cosine", "level", "address", "query"))
