"""`mem query`."""

from __future__ import annotations

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.output import print_json, say, table
from memskill.config import Settings
from memskill.sources.safety import printable

LEVELS = ("0", "1", "2", "L0", "L1", "L2", "lesson")


@click.command("query")
@click.argument("question")
@click.option("--project", help="Only notes and lessons of this project.")
@click.option("--level", type=click.Choice(LEVELS), help="Only notes of this level, or lessons.")
@click.option("--limit", type=int, default=5, show_default=True, help="At most this many, 1..50.")
@click.option("--explain", "explained", is_flag=True, help="Show every candidate and why.")
@json_option
@with_settings
def query_command(
    settings: Settings,
    question: str,
    project: str | None,
    level: str | None,
    limit: int,
    explained: bool,
    as_json: bool,
) -> None:
    """Find memory notes and lessons that answer QUESTION, best first, or none.

    QUESTION may be some words or a pasted error message. Nothing that scores below the floor of
    notes search is returned; the same code answers as behind `mem serve`.
    """
    from memskill.pipeline.querying import Querying, explain_query, narrowed

    number, kind = narrowed(level) if level else (None, None)
    result = Querying(settings).query(
        question, project=project, level=number, kind=kind, limit=limit, explain=explained
    )
    if result.unread:
        say(f"warning: {result.unread} notes have no vectors of this encoder; run `mem ingest`")
    if as_json:
        print_json(explain_query(result, question, project) if explained else result.hits)
        return
    floor = f"{result.policy.floor} ({result.policy.origin})"
    if explained:
        rows = [
            (f"{c.hit.score:.4f}", c.hit.level or c.hit.kind, c.hit.id, f"{c.cosine:.3f}",
             f"{c.lexical:.3f}", f"{c.signature:.3f}", c.reason)
            for c in result.candidates
        ]  # fmt: skip
        table(rows, ("score", "level", "id", "cosine", "lexical", "signature", "why"))
        say(f"floor {floor}")
        return
    if not result.hits:
        say(f"no note or lesson reaches the floor {floor}")
    for hit in result.hits:
        click.echo(
            printable(f"{hit.score:.4f}  {hit.level or hit.kind}  {hit.id}  {hit.title}", 300)
        )
        where = hit.path + (f":{hit.lines[0]}" if hit.lines else "")
        for line in (hit.excerpt, where):
            click.echo(f"        {printable(line, 320)}")
