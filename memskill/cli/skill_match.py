"""`mem skill match`."""

from __future__ import annotations

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.output import print_json, report_skipped, say, table
from memskill.config import Settings


@click.command("match")
@click.argument("task")
@click.option("--project", help="The project that the task belongs to.")
@click.option("--limit", type=int, default=3, show_default=True, help="At most this many, 1..50.")
@click.option("--explain", "explained", is_flag=True, help="Show every candidate and why.")
@json_option
@with_settings
def match_command(
    settings: Settings,
    task: str,
    project: str | None,
    limit: int,
    explained: bool,
    as_json: bool,
) -> None:
    """Find the few promoted skills that fit TASK, best first, or none.

    The same code answers as behind `mem serve`; no database is needed. Nothing that scores
    below the floor is returned.
    """
    from memskill.pipeline.explain import explain
    from memskill.pipeline.matching import Matching

    matching = Matching(settings)
    result = matching.match(task, project=project, limit=limit, explain=explained)
    report_skipped(matching.faults(), "skipped")
    if result.id:
        say(f"match {result.id}")
    if as_json:
        print_json(explain(matching, result, task, project) if explained else result.matches)
        return
    if explained:
        rows = [
            (c.name, f"{c.score:.4f}", f"{c.cosine:.3f}", f"{c.clause:.3f}", f"{c.lexical:.3f}",
             f"{c.negative:.3f}", c.reason)
            for c in result.answer.candidates
        ]  # fmt: skip
        table(rows, ("name", "score", "cosine", "clause", "lexical", "negative", "why"))
        say(f"floor {result.floor.value} ({result.floor.origin})")
        return
    if not result.matches:
        say(f"no skill reaches the floor ({result.floor.value})")
    table([(f"{m.score:.4f}", m.name, m.matched_on) for m in result.matches],
          ("score", "name", "matched on"))  # fmt: skip
