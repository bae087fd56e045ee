"""`mem model eval`."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.model_train import sources_options
from memskill.cli.output import plain, print_json, progress_bar
from memskill.config import Settings

if TYPE_CHECKING:
    from memskill.records import Split


@click.command("eval")
@sources_options
@click.option(
    "--set",
    "folders",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="A folder with skills.jsonl and tasks.jsonl, named in the tables; may be given again.",
)
@click.option("--encoder", help="Another encoder than the setting's.")
@click.option("--reranker", help="Another reranker than the setting's, or none.")
@click.option("--base", default="", metavar="ENCODER", help="Compare with this one's one vector.")
@click.option("--seed", type=int, default=0, show_default=True, help="Of the intervals.")
@click.option("--card", default="", metavar="MODEL", help="Put the tables into this model's card.")
@click.option("--markdown", type=click.Path(path_type=Path), help="Also write them to this file.")
@json_option
@with_settings
def eval_command(
    settings: Settings,
    queries: tuple[Path, ...],
    skills: tuple[Path, ...],
    splits: tuple[str, ...],
    folders: tuple[Path, ...],
    encoder: str | None,
    reranker: str | None,
    base: str,
    seed: int,
    card: str,
    markdown: Path | None,
    as_json: bool,
) -> None:
    """Make the table of the model card on labelled tasks.

    Order, decision, graded answers and paired differences of BM25, one-vector cosine, the hybrid
    shortlist and the reranker, with 95 % intervals. Without files: the vault's skills and labels.
    """
    from memskill.pipeline.modeldata import Sources
    from memskill.pipeline.modeleval import evaluate_models

    wanted = dataclasses.replace(
        settings, encoder=encoder or settings.encoder, reranker=reranker or settings.reranker
    )
    sources = Sources(queries=queries, skills=skills, splits=cast("tuple[Split, ...]", splits))
    with progress_bar("measuring") as progress:
        found = evaluate_models(
            wanted, sources, folders=folders, base=base, seed=seed, card=card, markdown=markdown,
            progress=progress,
        )  # fmt: skip
    if as_json:
        said = cast("dict[str, object]", plain(found))
        del said["markdown"]
        print_json(said)
    else:
        click.echo(found.markdown, nl=False)
