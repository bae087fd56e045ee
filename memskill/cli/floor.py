"""`mem floor`: the least score that is returned."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.eval import SPLITS, cells
from memskill.cli.output import print_json, progress_bar, say, table
from memskill.config import Settings

if TYPE_CHECKING:
    from memskill.pipeline.floor import Tuned
    from memskill.records import Floor, Split


@click.group("floor")
def floor_command() -> None:
    """Fit, show, set and take back the least score that is returned."""


@floor_command.command("tune")
@click.option(
    "--tasks",
    "paths",
    required=True,
    multiple=True,
    type=click.Path(path_type=Path),
    help="A file of labelled tasks; may be given again (see `mem help tasks`).",
)
@click.option("--target", required=True, help='"false_fire<=0.05", "precision>=0.9", "cost=5:1".')
@click.option(
    "--for",
    "purpose",
    type=click.Choice(("skills", "notes")),
    default="skills",
    show_default=True,
    help="What the floor is for: matching skills, or notes search.",
)
@click.option("--skill", default="", help="The skill of a [{query, should_trigger}] set.")
@click.option("--share", type=float, default=0.5, show_default=True, help="Share to fit on.")
@click.option("--fit-on", multiple=True, type=click.Choice(SPLITS), help="Fit on this split.")
@click.option("--report-on", multiple=True, type=click.Choice(SPLITS), help="Report on this one.")
@click.option("--limit", type=int, default=3, show_default=True, help="At most this many skills.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of split and intervals.")
@click.option("--encoder", help="Fit for this encoder; `mem model use` puts it in force.")
@click.option("--reranker", help="Fit for this reranker; `mem model use` puts it in force.")
@click.option("--dry-run", is_flag=True, help="Fit and report; write nothing.")
@json_option
@with_settings
def tune_command(
    settings: Settings,
    paths: tuple[Path, ...],
    target: str,
    purpose: str,
    skill: str,
    share: float,
    fit_on: tuple[str, ...],
    report_on: tuple[str, ...],
    limit: int,
    seed: int,
    encoder: str | None,
    reranker: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Fit a floor on one part of labelled tasks and report it on the other.

    Parts are whole groups. The floor is bound to the models in use and counts at once, in a
    running server too. With --encoder or --reranker it is bound to those and only kept for them.
    With --for notes the weights and the floor of notes search are fitted, on questions whose
    `expected` names notes (project/query-id) and ids of lessons.
    """
    if purpose == "notes":
        from memskill.cli.notefloor import tune_for_notes

        if skill or reranker:
            raise click.UsageError("--skill and --reranker are not for notes search")
        tune_for_notes(
            settings, paths, target, share=share, fit_on=fit_on, report_on=report_on, limit=limit,
            seed=seed, encoder=encoder, dry_run=dry_run, as_json=as_json,
        )  # fmt: skip
        return
    from memskill.pipeline.floor import tune_floor

    wanted = dataclasses.replace(
        settings, encoder=encoder or settings.encoder, reranker=reranker or settings.reranker
    )
    with progress_bar("matching") as progress:
        tuned = tune_floor(
            wanted,
            paths,
            target,
            skill=skill,
            seed=seed,
            share=share,
            fit_on=cast("tuple[Split, ...]", fit_on),
            report_on=cast("tuple[Split, ...]", report_on),
            limit=limit,
            dry_run=dry_run,
            in_force=wanted == settings,
            progress=progress,
        )
    for remark in tuned.remarks:
        say(f"note: {remark}")
    for warning in tuned.fit.warnings:
        say(f"warning: {warning}")
    if as_json:
        print_json(tuned)
    else:
        _show_fit(tuned)


@floor_command.command("show")
@json_option
@with_settings
def show_command(settings: Settings, as_json: bool) -> None:
    """Show the floor in force, where it came from and what it was measured to do."""
    from memskill.pipeline.floor import show_floor

    shown = show_floor(settings)
    if as_json:
        print_json(shown)
        return
    floor = shown.floor
    click.echo(f"floor {floor.value:.4f} ({floor.origin})")
    rows = [
        ("encoder", floor.encoder_fingerprint),
        ("reranker", floor.reranker_fingerprint),
        ("fitted at", floor.fitted_at or "-"),
        ("tasks", floor.data_fingerprint or "-"),
        ("calibration", _calibration(floor)),
    ]
    table(rows, ("", ""))
    if shown.report:
        _show_report(shown.report)


@floor_command.command("history")
@json_option
@with_settings
def history_command(settings: Settings, as_json: bool) -> None:
    """List every floor that was fitted or set in this vault, newest first."""
    from memskill.pipeline.floor import floor_history

    found = floor_history(settings)
    if as_json:
        print_json(found)
        return
    rows = [
        (
            "*" if one.in_force else "",
            one.floor.fitted_at,
            f"{one.floor.value:.4f}",
            one.report.get("target", "set by hand"),
            one.floor.encoder_fingerprint[:12],
            one.floor.reranker_fingerprint[:12],
        )
        for one in found
    ]
    table(rows, ("", "at", "floor", "target", "encoder", "reranker"))


@floor_command.command("set")
@click.argument("value", type=float)
@with_settings
def set_command(settings: Settings, value: float) -> None:
    """Put VALUE, between 0 and 1, in force for the models in use."""
    from memskill.pipeline.floor import set_floor

    _show_in_force(set_floor(settings, value))


@floor_command.command("rollback")
@with_settings
def rollback_command(settings: Settings) -> None:
    """Put the floor before the present one in force again."""
    from memskill.pipeline.floor import rollback_floor

    _show_in_force(rollback_floor(settings))


def _show_in_force(floor: Floor) -> None:
    click.echo(f"floor {floor.value:.4f} ({floor.origin}) is in force")


def _show_fit(tuned: Tuned) -> None:
    fit = tuned.fit
    for name, part in (("fitted", fit.fitted), ("held-out", fit.held_out)):
        click.echo(
            f"{name} part: {part.tasks} tasks in {part.groups} groups, {part.right} that a skill "
            f"fits, {part.wrong} that none fits"
        )
    rows = [
        (name, cells(one)[0] if (one := fit.fitted.measures.get(name)) else "-", *cells(held))
        for name, held in fit.held_out.measures.items()
    ]
    table(rows, ("measure", "fitted", "held-out", "95 % interval"))
    click.echo(f"{len(fit.wrong)} held-out tasks are decided wrongly; `mem eval` lists them")
    state = "is in force" if tuned.written else "was not written (--dry-run)"
    if tuned.kept and not tuned.written:
        state = "is kept for these models; `mem model use` puts it in force"
    click.echo(f"floor {fit.floor.value:.4f} for {fit.target} {state}")


def _show_report(report: Mapping[str, object]) -> None:
    held = cast("Mapping[str, Any]", report["held_out"])
    click.echo(f"\ntarget {report['target']}; on {held['tasks']} held-out tasks:")
    rows = [
        (name, one["value"], f"{one['low']} to {one['high']}")
        for name, one in held["measures"].items()
    ]
    table(rows, ("measure", "value", "95 % interval"))
    for warning in cast("list[str]", report["warnings"]):
        say(f"warning: {warning}")


def _calibration(floor: Floor) -> str:
    if not floor.calibration:
        return "the model's own"
    return ", ".join(f"{key} {value}" for key, value in floor.calibration.items())
