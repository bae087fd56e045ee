"""`mem model train`, `calibrate` and `export`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.output import plain, print_json, progress_bar, say, table
from memskill.config import Settings
from memskill.sources.safety import printable

if TYPE_CHECKING:
    from memskill.models.folders import ModelFolder, ModelKind
    from memskill.pipeline.modelfit import Precision
    from memskill.records import Split

R = TypeVar("R")
SPLITS = ("train", "valid", "final")


def sources_options(command: Callable[..., R]) -> Callable[..., R]:
    """Give a command `--queries`, `--skills` and `--split`."""
    path = click.Path(path_type=Path)
    options = (
        click.option("--queries", multiple=True, type=path,
                     help="A file of labelled tasks (`mem help tasks`); default: the vault's."),
        click.option("--skills", multiple=True, type=path,
                     help="A file of skills (`mem help training`); default: the vault's."),
        click.option("--split", "splits", multiple=True, type=click.Choice(SPLITS),
                     help="Only tasks of this part; may be given again."),
    )  # fmt: skip
    return functools.reduce(lambda found, option: option(found), reversed(options), command)


@click.command("train")
@click.option("--kind", required=True, type=click.Choice(("encoder", "reranker")), help="Which.")
@sources_options
@click.option("--base", type=click.Path(path_type=Path), help="Torch folder to go on from.")
@click.option("--fold-base", type=click.Path(path_type=Path), help="The same for fold encoders.")
@click.option("--out", type=click.Path(path_type=Path), help="A new folder; default: in the vault.")
@click.option("--seed", type=int, default=7, show_default=True, help="Of weights and order.")
@click.option(
    "--folds",
    type=int,
    default=1,
    show_default=True,
    help="From 2 on: a reranker's evidence comes from encoders that have not seen the task.",
)
@click.option("--set", "values", multiple=True, metavar="NAME=VALUE", help="A training option.")
@json_option
@with_settings
def train_command(
    settings: Settings,
    kind: str,
    queries: tuple[Path, ...],
    skills: tuple[Path, ...],
    splits: tuple[str, ...],
    base: Path | None,
    fold_base: Path | None,
    out: Path | None,
    seed: int,
    folds: int,
    values: tuple[str, ...],
    as_json: bool,
) -> None:
    """Train an encoder or a reranker on labelled tasks, and export it.

    It goes on from the shipped encoder and takes the split train, unless told otherwise.
    `mem help training` lists the options of --set. Nothing is put in use.
    """
    from memskill.pipeline.modeldata import Sources
    from memskill.pipeline.modeltrain import TrainRequest, train_model

    request = TrainRequest(
        kind=cast("ModelKind", kind),
        sources=Sources(
            queries=queries, skills=skills, splits=cast("tuple[Split, ...]", splits or ("train",))
        ),
        base=base,
        fold_base=fold_base,
        out=out,
        seed=seed,
        folds=folds,
        options=_options(values),
    )
    with progress_bar("training") as progress:
        trained = train_model(settings, request, progress)
    if as_json:
        said = cast("dict[str, object]", plain(trained))
        print_json(said | {"model": _model(trained.model)})
        return
    click.echo(f"{printable(str(trained.model.folder), 500)}: {kind}, trained and exported")
    facts = (("examples", trained.examples), ("steps", trained.steps),
             ("seconds", trained.seconds), ("loss", f"{trained.loss:.4f}"))  # fmt: skip
    table(facts, ("", ""))
    _next(trained.model)


@click.command("calibrate")
@click.argument("model")
@sources_options
@click.option("--seed", type=int, default=7, show_default=True, help="Of the folds.")
@json_option
@with_settings
def calibrate_command(
    settings: Settings,
    model: str,
    queries: tuple[Path, ...],
    skills: tuple[Path, ...],
    splits: tuple[str, ...],
    seed: int,
    as_json: bool,
) -> None:
    """Fit the probabilities of MODEL, a reranker, on tasks that it was not trained on.

    Takes the split valid unless told otherwise. The map rises strictly: no order changes, and no
    floor that was fitted before.
    """
    from memskill.pipeline.modeldata import Sources
    from memskill.pipeline.modelfit import calibrate_model

    chosen = cast("tuple[Split, ...]", splits or ("valid",))
    sources = Sources(queries=queries, skills=skills, splits=chosen)
    with progress_bar("reranking") as progress:
        found = calibrate_model(settings, model, sources, seed=seed, progress=progress)
    if as_json:
        said = cast("dict[str, object]", plain(found))
        print_json(said | {"model": _model(found.model)})
        return
    told = ", ".join(
        f"{key} {value:.4f}" if isinstance(value, float) else f"{key} {value}"
        for key, value in found.calibration.items()
    )
    click.echo(f"{told}; held-out calibration error {found.held_out_error:.4f}, "
               f"log loss {found.held_out_log_loss:.4f} over {found.examples} answers")  # fmt: skip


@click.command("export")
@click.argument("model")
@click.option("--out", type=click.Path(path_type=Path), help="A new folder; default: its own.")
@click.option(
    "--precision",
    type=click.Choice(("weights", "dynamic")),
    help="int8 weights, or int8 throughout; default: weights for an encoder, else dynamic.",
)
@json_option
@with_settings
def export_command(
    settings: Settings, model: str, out: Path | None, precision: str | None, as_json: bool
) -> None:
    """Export the trained network of MODEL again, in another precision or to another folder.

    Another precision is another model: it needs a floor of its own.
    """
    from memskill.pipeline.modelfit import export_model

    found = export_model(settings, model, out=out, precision=cast("Precision | None", precision))
    if as_json:
        print_json(_model(found))
        return
    click.echo(f"{printable(str(found.folder), 500)}: {found.kind}, exported")


def _options(values: tuple[str, ...]) -> Mapping[str, str]:
    out: dict[str, str] = {}
    for value in values:
        name, equals, said = value.partition("=")
        if not equals or not name.strip():
            raise click.UsageError(f"--set takes NAME=VALUE, not {value[:60]!r}")
        out[name.strip()] = said.strip()
    return out


def _model(model: ModelFolder) -> dict[str, object]:
    return {"kind": model.kind, "name": model.name, "folder": str(model.folder),
            "setting": model.setting, "exported": model.exported}  # fmt: skip


def _next(model: ModelFolder) -> None:
    say(f"next: mem model eval --{model.kind} {model.setting}")
    say(f"then: mem floor tune --{model.kind} {model.setting} --tasks FILE"
        f' --target "false_fire<=0.05", and mem model use {model.name}')  # fmt: skip
