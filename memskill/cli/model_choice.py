"""`mem model list`, `info`, `use` and `rollback`."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.output import plain, print_json, say, table
from memskill.config import Settings
from memskill.sources.safety import printable

if TYPE_CHECKING:
    from memskill.models.folders import ModelKind
    from memskill.pipeline.modelchoice import Choice

KINDS = ("encoder", "reranker")


@click.command("list")
@json_option
@with_settings
def list_command(settings: Settings, as_json: bool) -> None:
    """List the shipped models and those trained in this vault.

    A star marks the one in use; the floor is the one for it beside the other model in use.
    """
    from memskill.pipeline.modelchoice import list_models

    found = list_models(settings)
    if as_json:
        print_json(found)
        return
    rows = [
        ("*" if m.in_use else "", m.kind, m.name, m.setting, m.fingerprint[:12] or m.fault,
         "-" if m.floor is None else f"{m.floor:.4f}")
        for m in found
    ]  # fmt: skip
    table(rows, ("", "kind", "name", "setting", "fingerprint", "floor"))


@click.command("info")
@click.argument("model")
@click.option("--kind", type=click.Choice(KINDS), help="Which one, where MODEL is default.")
@json_option
@with_settings
def info_command(settings: Settings, model: str, kind: str | None, as_json: bool) -> None:
    """Show what a MODEL says of itself: card, settings, fingerprints.

    MODEL is a name of the list or a folder.
    """
    from memskill.pipeline.modelchoice import model_info

    found = model_info(settings, model, cast("ModelKind | None", kind))
    if as_json:
        said = cast("dict[str, object]", plain(found))
        print_json(said | {"model": {**cast("dict[str, object]", said["model"]),
                                     "folder": str(found.model.folder)}})  # fmt: skip
        return
    rows: list[tuple[str, object]] = [
        ("kind", found.model.kind),
        ("setting", found.model.setting),
        ("fingerprint", found.fingerprint or found.fault),
        *[(f"config {key}", value) for key, value in found.config.items()],
        *[(f"sha256 {name}", sha) for name, sha in found.files.items()],
    ]
    table(rows, ("", ""))
    for heading, facts in found.card.items():
        click.echo(f"\n{printable(heading, 200)}")
        table(list(facts.items()), ("", ""))


@click.command("use")
@click.argument("model")
@click.option("--kind", type=click.Choice(KINDS), help="Which setting; a folder knows its own.")
@json_option
@with_settings
def use_command(settings: Settings, model: str, kind: str | None, as_json: bool) -> None:
    """Make MODEL the one that decides, with the floor that was fitted for it.

    MODEL is a name of the list, a folder, or a value of the setting: default, none, hf:NAME,
    http:URL. It is written into memskill.toml. Without a floor for it nothing changes.
    """
    from memskill.pipeline.modelchoice import use_model

    _show_choice(use_model(settings, model, cast("ModelKind | None", kind)), as_json=as_json)


@click.command("rollback")
@click.option("--kind", type=click.Choice(KINDS), help="Only the last choice of this kind.")
@json_option
@with_settings
def rollback_command(settings: Settings, kind: str | None, as_json: bool) -> None:
    """Take the last `mem model use` back."""
    from memskill.pipeline.modelchoice import rollback_model

    _show_choice(rollback_model(settings, cast("ModelKind | None", kind)), as_json=as_json)


def _show_choice(choice: Choice, *, as_json: bool) -> None:
    for remark in choice.remarks:
        say(f"note: {remark}")
    if as_json:
        print_json(choice)
        return
    floor = (
        f"floor {choice.floor.value:.4f} ({choice.floor.origin})" if choice.floor else "no floor"
    )
    told = f"{choice.kind} = {choice.after} (was {choice.before}); {floor}"
    click.echo(printable(told, 1000))
