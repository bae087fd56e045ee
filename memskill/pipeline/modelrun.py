"""What every training run needs: its options by name, its base checked, its steps told."""

from __future__ import annotations

import contextlib
import dataclasses
import difflib
import json
import logging
from collections.abc import Generator, Mapping
from pathlib import Path
from typing import Any

from memskill.errors import UsageError
from memskill.match.cases import Progress
from memskill.models.folders import ModelKind
from memskill.models.protocols import DIMENSION

# Not for a person to set here: paths, what the shortlist gives, what has an option of its own.
_FIXED = frozenset({"base", "target", "prior", "bias", "seed", "threads", "ranks"})
_TRAINERS = ("memskill.train.encoder", "memskill.train.reranker")


def options_from(values: Mapping[str, str], *starts: Any) -> tuple[Any, ...]:  # noqa: ANN401
    """Return the option records with some fields set from text.

    Args:
        values: Name -> value, each a field of one of the records.
        starts: Records (frozen dataclasses) of which the fields are looked up in turn.

    Raises:
        UsageError: No record has such a field (with the nearest one), or the value is of
            another type.
    """
    known = {
        field.name: place
        for place, start in reversed(list(enumerate(starts)))
        for field in dataclasses.fields(start)
        if field.name not in _FIXED
    }
    out = list(starts)
    for name, text in values.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, n=1)
            hint = f"Did you mean {near[0]!r}?" if near else f"Known: {', '.join(sorted(known))}."
            raise UsageError(f"no training option {name[:60]!r}", hint=hint)
        start = out[known[name]]
        out[known[name]] = dataclasses.replace(
            start, **{name: _parsed(name, text, getattr(start, name))}
        )
    return tuple(out)


def base_fault(base: Path, kind: ModelKind) -> str:
    """Return why a folder cannot be trained on, or ""."""
    try:
        config: Any = json.loads((base / "config.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        return f"no torch folder with a config.json: {error}"
    if not isinstance(config, dict) or "hidden_size" not in config:
        return "its config.json is not that of a transformer"
    if not (base / "tokenizer.json").is_file():
        return "it has no tokenizer.json"
    width = config["hidden_size"]  # pyright: ignore[reportUnknownVariableType]
    if kind == "encoder" and width != DIMENSION:
        return f"its vectors have {width} numbers; the store keeps {DIMENSION}"
    if kind == "reranker" and config.get("type_vocab_size", 0) < 2:  # pyright: ignore[reportUnknownMemberType]
        return "a reranker needs a base that tells two texts apart (BERT, not RoBERTa)"
    return ""


@contextlib.contextmanager
def training_run(progress: Progress | None) -> Generator[None]:
    """Keep the libraries silent while the block runs, and tell the steps to `progress`."""
    from memskill.train.kinds import need

    hidden = need("transformers.utils.logging")
    level = hidden.get_verbosity()
    hidden.set_verbosity_error()
    bars = hidden.is_progress_bar_enabled()
    hidden.disable_progress_bar()
    steps = _Steps(progress)
    loggers = [logging.getLogger(name) for name in _TRAINERS] if progress else []
    levels = [log.level for log in loggers]
    for log in loggers:
        log.addFilter(steps)
        log.setLevel(logging.INFO)
    try:
        yield
    finally:
        for log, old in zip(loggers, levels, strict=True):
            log.removeFilter(steps)
            log.setLevel(old)
        hidden.set_verbosity(level)
        if bars:
            hidden.enable_progress_bar()


class _Steps(logging.Filter):
    """Turns the trainers' own "step 20/100 ..." records into progress; none is printed twice."""

    def __init__(self, progress: Progress | None) -> None:
        super().__init__()
        self._progress = progress

    def filter(self, record: logging.LogRecord) -> bool:
        said = record.args
        if self._progress and record.msg.startswith("step %d/%d") and isinstance(said, tuple):
            done, total = int(str(said[0])), int(str(said[1]))
            self._progress(done + 1, total)
            return False
        return record.levelno >= logging.WARNING


def _parsed(name: str, text: str, old: object) -> object:
    try:
        if isinstance(old, bool):
            return {"true": True, "false": False}[text.lower()]
        return type(old)(text)  # type: ignore[call-arg]
    except (KeyError, TypeError, ValueError):
        noun = {"bool": "true or false", "int": "a whole number"}.get(
            type(old).__name__, "a number"
        )
        raise UsageError(f"training option {name!r} must be {noun}, not {text[:60]!r}") from None
