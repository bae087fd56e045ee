"""`mem eval`."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.output import print_json, progress_bar, say, table
from memskill.config import Settings
from memskill.sources.safety import printable

if TYPE_CHECKING:
    from memskill.match.measures import Estimate
    from memskill.match.wrong import WrongCase
    from memskill.pipeline.evaluate import Evaluation
    from memskill.records import Split

SPLITS = ("train", "valid", "final")


@click.command("eval")
@click.option(
    "--tasks",
    "paths",
    multiple=True,
    type=click.Path(path_type=Path),
    help="A file of labelled tasks; may be given again (see `mem help tasks`).",
)
@click.option("--split", "splits", multiple=True, type=click.Choice(SPLITS), help="Only this part.")
@click.option("--skill", default="", help="The skill of a [{query, should_trigger}] set.")
@click.option("--encoder", help="Another encoder than the setting's.")
@click.option("--reranker", help="Another reranker than the setting's, or none.")
@click.option("--floor", type=float, help="Another floor than the one in force.")
@click.option("--against", default="", metavar="SETTING", help="Compare, such as reranker=none.")
@click.option("--limit", type=int, default=3, show_default=True, help="At most this many skills.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the intervals.")
@click.option("--html", type=click.Path(path_type=Path), help="Also write a page to this file.")
@click.option(
    "--from-log",
    "review",
    metavar="FILE",
    type=click.Path(path_type=Path),
    help="Write tasks of the log to a new FILE for review instead (see `mem help feedback`).",
)
@click.option("--sample", type=int, default=50, show_default=True, help="How many unjudged ones.")
@json_option
@with_settings
def eval_command(
    settings: Settings,
    paths: tuple[Path, ...],
    splits: tuple[str, ...],
    skill: str,
    encoder: str | None,
    reranker: str | None,
    floor: float | None,
    against: str,
    limit: int,
    seed: int,
    html: Path | None,
    review: Path | None,
    sample: int,
    as_json: bool,
) -> None:
    """Measure the matcher on labelled tasks: order, whole decision, false fires, time.

    Every wrong case is listed with how its candidates were scored.
    """
    from memskill.pipeline.evaluate import evaluate_tasks

    if review:
        _write_for_review(settings, review, sample, seed, as_json=as_json)
        return
    if not paths:
        raise click.UsageError("Missing option '--tasks' (or '--from-log').")
    if encoder:
        settings = dataclasses.replace(settings, encoder=encoder)
    if reranker:
        settings = dataclasses.replace(settings, reranker=reranker)
    with progress_bar("matching") as progress:
        evaluation = evaluate_tasks(
            settings,
            paths,
            splits=cast("tuple[Split, ...]", splits),
            skill=skill,
            floor=floor,
            against=against,
            limit=limit,
            seed=seed,
            progress=progress,
        )
    if html:
        from memskill.pipeline.evalpage import write_page

        write_page(evaluation, html)
    for remark in evaluation.remarks:
        say(f"note: {remark}")
    if as_json:
        print_json(evaluation)
    else:
        _show(evaluation)


def _write_for_review(
    settings: Settings, path: Path, sample: int, seed: int, *, as_json: bool
) -> None:
    from memskill.pipeline.fromlog import tasks_from_log

    report = tasks_from_log(settings, path, sample=sample, seed=seed)
    if as_json:
        print_json({**dataclasses.asdict(report), "path": str(path)})
    else:
        click.echo(f"{path}: {report.told}")
    say("note: labels that nobody reviewed are the matcher's own answers and favour it")


def _show(evaluation: Evaluation) -> None:
    report = evaluation.report
    kinds = ", ".join(f"{count} {kind}" for kind, count in report.kinds.items())
    click.echo(f"{report.tasks} tasks in {report.groups} groups: {kinds}")
    if report.floor is not None:
        click.echo(f"floor {report.floor:.4f} ({report.floor_origin})")
    measures = report.measures.items()
    table([(name, *cells(one), one.count) for name, one in measures],
          ("measure", "value", "95 % interval", "cases"))  # fmt: skip
    if other := evaluation.comparison:
        click.echo(f"\n{other.first} minus {other.second}:")
        table([(name, *cells(one)) for name, one in other.differences.items()],
              ("measure", "difference", "95 % interval"))  # fmt: skip
        only = f"{len(other.only_first)} and {len(other.only_second)}"
        click.echo(f"tasks that only the first, only the second decides rightly: {only}")
    click.echo("")
    table([(s, f"{t.p50_ms:.1f}", f"{t.p95_ms:.1f}") for s, t in report.latency.items()],
          ("stage", "median ms", "95 % ms"))  # fmt: skip
    for case in report.wrong:
        _show_wrong(case)


def _show_wrong(case: WrongCase) -> None:
    expected, returned = (", ".join(names) or "nothing" for names in (case.expected, case.returned))
    click.echo("")
    click.echo(printable(f"{case.cause} ({case.kind}): {case.task}", 400))
    click.echo(printable(f"expected {expected}; returned {returned}", 400))
    rows = [
        (c.place, c.name, c.label, f"{c.score:.4f}", _or_dash(c.rerank_score), f"{c.cosine:.3f}",
         f"{c.clause:.3f}", f"{c.lexical:.3f}", f"{c.negative:.3f}", c.matched_on)
        for c in case.candidates
    ]  # fmt: skip
    table(rows, ("", "name", "label", "score", "rerank", "cosine", "clause", "words", "negative",
                 "matched on"))  # fmt: skip


def cells(one: Estimate) -> tuple[str, str]:
    """Return an estimate's value and interval as text to 3 places."""
    value = _or_dash(one.value)
    return value, f"{_or_dash(one.low)} to {_or_dash(one.high)}"


def _or_dash(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
