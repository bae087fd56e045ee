"""`mem eval --from-log`: labelled tasks made from what was asked and said, for a person to review.

What people said makes labels. Of the rest a sample gets the matcher's own answer as its label,
which only a review can turn into a judgement: until then it favours the matcher.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from memskill.config import Settings
from memskill.errors import NotFound, PathRefused, UsageError
from memskill.pipeline.feedback import fold
from memskill.records import Task
from memskill.sources.atomic import write_atomic
from memskill.store import Asked, Feedback, open_store


@dataclass(frozen=True, slots=True, kw_only=True)
class FromLog:
    """What was written, and how it was chosen."""

    path: Path
    # Distinct tasks in the log.
    logged: int
    # Tasks that somebody gave feedback on: all of them are taken.
    said: int
    # Of the others: with an answer and without one; how many of each were drawn.
    answered: int
    answered_drawn: int
    silent: int
    silent_drawn: int
    seed: int

    @property
    def told(self) -> str:
        """How the tasks were chosen, in one sentence."""
        return (
            f"{self.logged} distinct tasks in the log: all {self.said} with feedback, and of the "
            f"others {self.answered_drawn} of {self.answered} that got an answer and "
            f"{self.silent_drawn} of {self.silent} that got none (seed {self.seed})"
        )


def said_tasks(settings: Settings) -> list[Task]:
    """Return the tasks that people gave feedback on, as they labelled them, by text.

    What somebody only called missing, without saying which skill, labels nothing and is left out.
    """
    if not settings.database.is_file():
        return []
    fold(settings)
    with open_store(settings) as store:
        said = store.feedback()
    by_task: dict[_Key, list[Feedback]] = defaultdict(list)
    for one in said:
        if one.task:
            by_task[one.task, one.project].append(one)
    rows = (_judged(key, by_task[key]) for key in sorted(by_task, key=_order))
    return [
        Task(text=row.task, project=row.project, kind="match" if row.kind == "match" else
             "near_miss", expected=row.expected, forbidden=row.forbidden)
        for row in rows
        if row.expected or row.forbidden
    ]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class _Row:
    """One task as it will stand in the file."""

    task: str
    project: str | None
    kind: str
    expected: tuple[str, ...]
    forbidden: tuple[str, ...]
    note: str


_Key = tuple[str, str | None]


def tasks_from_log(settings: Settings, path: Path, *, sample: int = 50, seed: int = 0) -> FromLog:
    """Write labelled tasks for review to `path` (JSONL, `mem help tasks`) and say how chosen.

    Every task with feedback is taken. Of the others, half of `sample` is drawn from those that
    got an answer and half from those that got none; where one half has too few, the other one
    fills up. Equal log, sample and seed give equal bytes.

    Args:
        settings: Names the vault; its log is folded in first.
        path: A new file.
        sample: How many tasks without feedback, 0 or more.
        seed: Of the draw.

    Raises:
        UsageError: `sample` is below 0, or the file cannot be written there.
        PathRefused: `path` exists.
        NotFound: Nothing was ever logged.
    """
    if sample < 0:
        raise UsageError(f"the sample has 0 tasks or more, not {sample}")
    if path.exists() or path.is_symlink():
        raise PathRefused(f"{path} exists", hint="Name a new file: reviewed labels are work.")
    fold(settings)
    with open_store(settings) as store:
        asked, said = store.asked(), store.feedback()
    answers = {(one.task, one.project): _names(one) for one in asked}
    by_task: dict[_Key, list[Feedback]] = defaultdict(list)
    for one in said:
        if one.task:
            by_task[one.task, one.project].append(one)
    if not answers and not by_task:
        raise NotFound(
            "nothing was logged yet", hint="Set feedback_log = true in memskill.toml, and ask."
        )
    rest = [key for key in answers if key not in by_task]
    answered, silent = ([k for k in rest if bool(answers[k]) is found] for found in (True, False))
    drawn = _draw(answered, silent, sample, seed)
    rows = [_judged(key, by_task[key]) for key in sorted(by_task, key=_order)]
    rows += [_proposed(key, answers[key]) for half in drawn for key in sorted(half, key=_order)]
    _write(path, rows)
    return FromLog(
        path=path,
        logged=len(answers.keys() | by_task.keys()),
        said=len(by_task),
        answered=len(answered),
        answered_drawn=len(drawn[0]),
        silent=len(silent),
        silent_drawn=len(drawn[1]),
        seed=seed,
    )


def _names(one: Asked) -> tuple[str, ...]:
    return tuple(str(name) for name, _ in cast("list[tuple[str, float]]", json.loads(one.answer)))


def _draw(
    answered: Sequence[_Key], silent: Sequence[_Key], sample: int, seed: int
) -> tuple[list[_Key], list[_Key]]:
    half = sample // 2
    first = min(len(answered), max(sample - half, sample - len(silent)))
    second = min(len(silent), sample - first)
    return _first(answered, first, seed), _first(silent, second, seed)


def _first(keys: Iterable[_Key], number: int, seed: int) -> list[_Key]:
    """Return `number` of the keys, drawn by a hash: the same whatever else is in the log."""

    def place(key: _Key) -> str:
        return hashlib.sha256(json.dumps([seed, *key]).encode()).hexdigest()

    return sorted(keys, key=place)[:number]


def _judged(key: _Key, said: Sequence[Feedback]) -> _Row:
    """Return a task as people labelled it; of a skill, what was said last counts."""
    last = {one.skill: one.verdict for one in said if one.skill}
    expected = tuple(sorted(name for name, verdict in last.items() if verdict != "wrong"))
    forbidden = tuple(sorted(name for name, verdict in last.items() if verdict == "wrong"))
    unnamed = any(one.verdict == "missing" and not one.skill for one in said)
    words = [f"{one.verdict} {one.skill}".strip() for one in said]
    notes = [one.note for one in said if one.note]
    # A skill is missing and nobody said which: `match` without a name is refused by every
    # reader of the file until somebody fills it in.
    kind = "match" if expected or unnamed else "near_miss"
    return _Row(
        task=key[0],
        project=key[1],
        kind=kind,
        expected=expected,
        forbidden=forbidden,
        note="feedback: " + "; ".join([*words, *notes]),
    )


def _proposed(key: _Key, names: tuple[str, ...]) -> _Row:
    return _Row(
        task=key[0],
        project=key[1],
        kind="match" if names else "none",
        expected=names,
        forbidden=(),
        note="not reviewed: the label is the matcher's own answer",
    )


def _write(path: Path, rows: Iterable[_Row]) -> None:
    lines: list[str] = []
    for row in rows:
        said: dict[str, object] = {
            "task": row.task,
            "expected": list(row.expected),
            "project": row.project,
            "kind": row.kind,
            "note": row.note,
        }
        if row.forbidden:
            said["forbidden"] = list(row.forbidden)
        lines.append(json.dumps(said, ensure_ascii=False) + "\n")
    try:
        write_atomic(path, "".join(lines).encode())
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}", hint="Name another file.") from error


def _order(key: _Key) -> tuple[str, str]:
    return key[0], key[1] or ""
