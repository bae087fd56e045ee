"""Labelled tasks: JSONL, JSON, CSV or Parquet in one schema, checked by line and field.

The schema (`mem help tasks`): task, expected, project, group, kind, split, forbidden,
matched_on. Files of other known shapes are turned into it by `taskforms` first, so that one
validator sees them all.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import cast, get_args

from memskill.errors import SourceError, TasksInvalid
from memskill.records import Field, Skipped, Split, Task, TaskKind
from memskill.sources.identity import canonical_json, file_sha, text_sha
from memskill.sources.safety import id_fault, no_surrogates, printable, read_bounded
from memskill.sources.taskforms import FormFault, convert, folder_name, form_of
from memskill.sources.taskrows import Row, read_rows

MAX_TASK_FILE_BYTES = 64_000_000
_KNOWN = ("task", "expected", "project", "group", "kind", "split", "forbidden", "matched_on")
# Remarks for people: allowed, not read.
_REMARKS = frozenset({"id", "nearest", "note", "why"})
# Kinds whose tasks no skill is right for, and kinds that need one.
_NOTHING_FITS = frozenset({"none", "borderline", "body_trap", "declined"})
_SOMETHING_FITS = frozenset({"match", "indirect"})


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFile:
    """The tasks of one file, in its order."""

    path: str
    # The shape that was found: "tasks" (the schema), "trigger", "judged", ...
    form: str
    tasks: tuple[Task, ...]
    file_sha: str
    # Rows of another shape whose labels say nothing about what must come back.
    left_out: tuple[Skipped, ...] = ()


def read_tasks(
    path: Path,
    *,
    skill: str = "",
    name_of: Callable[[str], str] = folder_name,
    known: Collection[str] = (),
    max_chars: int = 20_000,
    max_bytes: int = MAX_TASK_FILE_BYTES,
) -> TaskFile:
    """Return the labelled tasks of a file; its ending and keys tell its shape.

    Args:
        path: A .jsonl, .json, .csv or .parquet file.
        skill: The skill that a `[{query, should_trigger}]` set was written for.
        name_of: Turns the skill ids of other shapes into names; their last part by default.
        known: Ids of a catalogue that is no vault: names that a vault's skill could not have.
        max_chars: The longest task that is accepted, in characters.
        max_bytes: The largest file that is read.

    Raises:
        TasksInvalid: The file cannot be read, holds no task, or breaks the schema; `reasons`
            lists every fault with its line and field.
    """
    shown = printable(str(path), 200)
    try:
        data = read_bounded(path, max_bytes)
        rows = list(read_rows(path, data))
    except SourceError as error:
        raise TasksInvalid(f"{shown}: {error.message}", hint=error.hint) from error
    faults: list[str] = [what for _, what in rows if isinstance(what, str)]
    found = [(where, row) for where, row in rows if not isinstance(row, str)]
    form = form_of(found[0][1]) if found else "tasks"
    tasks: list[Task] = []
    left_out: list[Skipped] = []
    for where, row in found:
        try:
            plain, reason = ([row], "") if form == "tasks" else convert(form, row, skill, name_of)
        except FormFault as fault:
            faults.append(f"{where}, field {fault.field!r}: {fault}")
            continue
        if reason:
            left_out.append(Skipped(path=shown, reason=reason, line=_number(where)))
        for one in plain:
            task, wrong = _task(one, max_chars, known)
            faults += [f"{where}, {fault}" for fault in wrong]
            if task:
                tasks.append(task)
    if faults:
        raise TasksInvalid(
            f"{shown}: {len(faults)} faults",
            hint="`mem help tasks` tells the schema.",
            reasons=sorted(faults, key=lambda text: (_number(text), text)),
        )
    if not tasks:
        raise TasksInvalid(f"{shown}: holds no task", hint="`mem help tasks` tells the schema.")
    return TaskFile(
        path=shown,
        form=form,
        tasks=tuple(tasks),
        file_sha=file_sha(data),
        left_out=tuple(left_out),
    )


def tasks_jsonl(tasks: Iterable[Task]) -> str:
    """Return tasks as JSONL in the schema, one a line, keys always in the same order."""
    return "".join(
        json.dumps(_as_row(task), ensure_ascii=False, separators=(", ", ": ")) + "\n"
        for task in tasks
    )


def tasks_fingerprint(tasks: Iterable[Task]) -> str:
    """Return the sha256 of what the tasks say, whatever their order or file format."""
    return text_sha("\n".join(sorted(canonical_json(_as_row(task)) for task in tasks)))


def _as_row(task: Task) -> dict[str, object]:
    row: dict[str, object] = {
        "task": task.text,
        "expected": list(task.expected),
        "project": task.project,
        "group": task.group,
        "kind": task.kind,
        "split": task.split,
    }
    if task.forbidden:
        row["forbidden"] = list(task.forbidden)
    if task.matched_on:
        row["matched_on"] = task.matched_on
    return row


def _task(row: Row, max_chars: int, ids: Collection[str]) -> tuple[Task | None, list[str]]:
    """Return the task of a row of the schema, or None and all that is wrong with it."""
    unknown = [key for key in row if key not in _KNOWN and key not in _REMARKS]
    faults = [f"field {printable(str(key), 60)!r}: is not in the schema" for key in unknown]
    text = _text(row, "task", faults)
    if len(text) > max_chars:
        faults.append(f"field 'task': has {len(text)} characters, at most {max_chars} are allowed")
    expected, forbidden = (_names(row, key, faults, ids) for key in ("expected", "forbidden"))
    fallback = "match" if expected else "none"
    kind = _choice(row, "kind", get_args(TaskKind), faults) or fallback
    split = _choice(row, "split", get_args(Split), faults)
    matched_on = _choice(row, "matched_on", get_args(Field), faults)
    project = _text(row, "project", faults, needed=False) or None
    group = _text(row, "group", faults, needed=False)
    faults += _contradictions(kind, expected, forbidden)
    if faults:
        return None, faults
    return (
        Task(
            text=text,
            expected=expected,
            project=project,
            group=group,
            kind=cast(TaskKind, kind),
            split=cast("Split | None", split),
            forbidden=forbidden,
            matched_on=cast("Field | None", matched_on),
        ),
        [],
    )


def _contradictions(kind: str, expected: Sequence[str], forbidden: Sequence[str]) -> list[str]:
    faults: list[str] = []
    if kind in _NOTHING_FITS and expected:
        faults.append(f"field 'expected': must be empty for a task of kind {kind!r}")
    if kind in _SOMETHING_FITS and not expected:
        faults.append(f"field 'expected': must name a skill for a task of kind {kind!r}")
    if kind == "near_miss" and expected and not forbidden:
        faults.append("field 'forbidden': must name what is wrong where 'expected' names a skill")
    if both := sorted(set(expected) & set(forbidden)):
        faults.append(f"field 'forbidden': {both[0]!r} is expected too")
    return faults


def _text(row: Row, key: str, faults: list[str], *, needed: bool = True) -> str:
    value = row.get(key)
    if value is None and not needed:
        return ""
    if not isinstance(value, str):
        faults.append(f"field {key!r}: " + ("must be a text" if key in row else "is missing"))
        return ""
    if needed and not value.strip():
        faults.append(f"field {key!r}: is blank")
    # A lone surrogate is legal in JSON, and in no column or tokenizer.
    return no_surrogates(value)


def _names(row: Row, key: str, faults: list[str], ids: Collection[str]) -> tuple[str, ...]:
    value = row.get(key)
    if value is None:
        return ()
    if not isinstance(value, list):
        faults.append(f"field {key!r}: must be a list of skill names")
        return ()
    names: list[str] = []
    for name in cast("list[object]", value):
        text = name if isinstance(name, str) else None
        known = text is not None and text in ids
        fault = None if known else "is no text" if text is None else _name_fault(text)
        if fault:
            faults.append(f"field {key!r}: name {printable(str(name), 60)!r} {fault}")
        elif name in names:
            faults.append(f"field {key!r}: names {name!r} twice")
        names.append(str(name))
    return tuple(names)


def _name_fault(name: str) -> str | None:
    """Return why a text names no skill, no lesson and no note (`<project>/<query-id>`)."""
    parts = name.split("/") if name.count("/") == 1 else [name]
    return next((fault for part in parts if (fault := id_fault(part))), None)


def _choice(row: Row, key: str, known: Sequence[str], faults: list[str]) -> str | None:
    value = row.get(key)
    if value is None or value in known:
        return cast("str | None", value)
    said = printable(str(value), 60)
    faults.append(f"field {key!r}: {said!r} is none of {', '.join(known)}")
    return None


def _number(where: str) -> int:
    """Return the number in "line 12, …", for sorting and for `Skipped.line`."""
    digits = where.split(" ", 2)[1].rstrip(":,") if " " in where else ""
    return int(digits) if digits.isdigit() else 0
