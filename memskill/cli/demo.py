"""`mem demo`."""

from __future__ import annotations

from pathlib import Path

import click

from memskill.cli.boundary import with_settings
from memskill.config import Settings


@click.command("demo")
@click.argument("folder", metavar="[DIR]", required=False, type=click.Path(path_type=Path))
@with_settings
def demo_command(settings: Settings, folder: Path | None) -> None:
    """Try it all on an invented team's vault, in DIR or a new temporary folder.

    Ingests 14 notes and 10 skills, drafts a skill from a note, refuses one that holds no
    procedure, and matches a few tasks. Needs no network.
    """
    from memskill.pipeline.demo import DemoReport, run_demo
    from memskill.pipeline.summary import summary_line

    report: DemoReport = run_demo(settings, folder)
    echo = click.echo
    echo("1. ingest: the vault's notes and skills go into one DuckDB file")
    echo(f"   {summary_line(report.ingested)}")
    echo(f"   again: {summary_line(report.again)}")
    echo(f"\n2. query: {report.question}")
    for hit in report.hits:
        echo(f"   {hit.cosine:.2f}  {hit.level} {hit.address}: {hit.query}")
    echo("\n3. draft: a note becomes a draft skill, which only a person promotes")
    for draft in report.drafts:
        echo(f"   {draft.level} {draft.address} -> {draft.path} ({draft.action})")
        echo(f"   {draft.text.count(chr(10))} lines, {len(draft.findings)} lint remarks")
    for address, why in report.refused.items():
        echo(f"   {address}: refused: {why.removeprefix(address + ': ')}")
    echo("\n4. match: the few promoted skills that fit a task, or none")
    for task, result in report.answers:
        fits = ", ".join(f"{m.name} ({m.score:.2f})" for m in result.matches) or "none"
        echo(f"   {task}\n      -> {fits}")
    echo("\nTry next:")
    for command in (
        'mem skill match "the nightly build downloads every dependency again"',
        "mem skill draft --from payments/q41",
        "mem db stats",
        "mem help",
    ):
        echo(f"   {command}" + ("" if command == "mem help" else f" --vault {report.vault}"))
