"""`mem model`: train, measure, list and choose the models that decide."""

from __future__ import annotations

import click

from memskill.cli.boundary import LazyGroup

# Command -> (module below memskill.cli, its help line); see memskill.cli.COMMANDS.
COMMANDS = {
    "calibrate": ("model_train", "Fit the probabilities of a reranker."),
    "eval": ("model_eval", "Make the table of the model card on labelled tasks."),
    "export": ("model_train", "Export a trained network again, in another precision or folder."),
    "info": ("model_choice", "Show what a model says of itself: card, settings, fingerprints."),
    "list": ("model_choice", "List the shipped models and those trained in this vault."),
    "rollback": ("model_choice", "Take the last `mem model use` back."),
    "train": ("model_train", "Train an encoder or a reranker on labelled tasks."),
    "use": ("model_choice", "Make a model the one that decides, with the floor fitted for it."),
}


@click.group("model", cls=LazyGroup, commands_table=COMMANDS, package="memskill.cli")
def model_command() -> None:
    """Train, measure, list and choose the models that decide."""
