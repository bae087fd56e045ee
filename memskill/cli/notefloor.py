"""`mem floor tune --for notes`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from memskill.cli.eval import cells
from memskill.cli.output import print_json, progress_bar, say, table
from memskill.config import Settings

if TYPE_CHECKING:
    from memskill.records import Split


def tune_for_notes(
    settings: Settings,
    paths: Sequence[Path],
    target: str,
    *,
    share: float,
    fit_on: Sequence[str],
    report_on: Sequence[str],
    limit: int,
    seed: int,
    encoder: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Fit notes search on the vault's notes, put the fit in force and print it."""
    from memskill.pipeline.notefloor import tune_notes

    if encoder:
        settings = dataclasses.replace(settings, encoder=encoder)
    with progress_bar("searching") as progress:
        tuned = tune_notes(
            settings,
            paths,
            target,
            seed=seed,
            share=share,
            fit_on=cast("tuple[Split, ...]", fit_on),
            report_on=cast("tuple[Split, ...]", report_on),
            limit=limit,
            dry_run=dry_run,
            progress=progress,
        )
    for remark in tuned.remarks:
        say(f"note: {remark}")
    for warning in tuned.fit.warnings:
        say(f"warning: {warning}")
    if as_json:
        print_json({**tuned.policy.as_mapping(), "written": tuned.written})
        return
    rows = [(name, *cells(one), one.count) for name, one in tuned.order.items()]
    rows += [(name, *cells(one), one.count) for name, one in tuned.fit.held_out.measures.items()]
    table(rows, ("measure", "held-out", "95 % interval", "cases"))
    table(list(tuned.policy.weights.items()), ("evidence", "weight"))
    state = "is in force" if tuned.written else "was not written (--dry-run)"
    click.echo(f"floor {tuned.policy.floor:.4f} of notes search for {tuned.fit.target} {state}")
