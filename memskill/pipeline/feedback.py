"""Feedback: what is kept of asking and answering, what people say of it, and how it is forgotten.

All of it is off until `feedback_log` is on: tasks may be private. Secrets are taken out before
anything is written.
"""

from __future__ import annotations

import contextlib
import difflib
import json
import logging
import uuid
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import get_args

from memskill.config import Settings
from memskill.errors import NotFound, StoreError, UsageError
from memskill.pipeline.spool import DayFile, Record, append, day_files, is_match_id, read_day
from memskill.records import Match, Skipped
from memskill.sources.redact import redact
from memskill.sources.safety import no_surrogates, printable
from memskill.store import Asked, Feedback, Store, Verdict, open_store
from memskill.store.base import utc_now

log = logging.getLogger(__name__)
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
MAX_NOTE_CHARS = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Folded:
    """What a fold of the spool did."""

    # Records that the database did not hold yet.
    new: int
    # Lines and files that are no record.
    skipped: tuple[Skipped, ...]


def log_asked(
    settings: Settings,
    tasks: Sequence[str],
    project: str | None,
    answers: Sequence[Sequence[Match]],
    *,
    floor: float,
    snapshot: str,
) -> list[str]:
    """Keep what was asked and returned where that is switched on; return an id a task, or "".

    A log that cannot be written never costs an answer: it is told once in this process's log.
    """
    if not settings.feedback_log:
        return [""] * len(tasks)
    at = utc_now()
    asked = [
        Asked(
            id=uuid.uuid4().hex,
            at=at,
            task=_clean(task),
            project=project,
            floor=floor,
            snapshot=snapshot,
            answer=json.dumps([[match.name, match.score] for match in matches]),
        )
        for task, matches in zip(tasks, answers, strict=True)
    ]
    try:
        append(settings, asked)
    except StoreError as error:
        log.warning("what was asked is not kept: %s", error)
        return [""] * len(tasks)
    return [one.id for one in asked]


def give_feedback(
    settings: Settings,
    verdict: str,
    *,
    names: Collection[str],
    skill: str = "",
    task: str = "",
    match_id: str = "",
    note: str = "",
) -> Feedback:
    """Keep what somebody says of an answer, on the disk when this returns; return the record.

    Args:
        settings: Names the vault.
        verdict: "useful" and "wrong" are of a skill that came back, "missing" of one that did
            not; then `skill` may be left out.
        names: The promoted skills.
        skill: The skill that is meant.
        task: The task that was asked ...
        match_id: ... or the id of its match.
        note: Why, at most 2,000 characters.

    Raises:
        UsageError: Feedback is switched off, or something is missing, doubled or too long.
        NotFound: `skill` is no promoted skill; the hint is the nearest one.
        StoreError: It cannot be written.
    """
    if not settings.feedback_log:
        raise UsageError(
            "feedback is switched off: nothing is kept of what is asked",
            hint="Set feedback_log = true in memskill.toml.",
        )
    if verdict not in VERDICTS:
        raise UsageError(f"verdict {printable(verdict, 40)!r} is none of {', '.join(VERDICTS)}")
    _require_meant(settings, task, match_id)
    if len(note) > MAX_NOTE_CHARS:
        raise UsageError(f"the note has {len(note)} characters, at most {MAX_NOTE_CHARS} are kept")
    if not skill and verdict != "missing":
        raise UsageError(f"{verdict} needs the name of a skill")
    if skill and skill not in names:
        near = difflib.get_close_matches(skill[:200], sorted(names), n=1)
        raise NotFound(
            f"no promoted skill {printable(skill, 80)!r}",
            hint=f"Did you mean {near[0]!r}?" if near else "`mem skill list` lists them.",
        )
    said = Feedback(
        id=uuid.uuid4().hex,
        at=utc_now(),
        verdict=verdict,
        skill=skill,
        task=_clean(task),
        match_id=match_id,
        note=_clean(note),
    )
    append(settings, [said], sync=True)
    return said


def _require_meant(settings: Settings, task: str, match_id: str) -> None:
    if bool(task.strip()) == bool(match_id):
        raise UsageError("feedback is of a task or of a match: name one of the two")
    if len(task) > settings.max_task_chars:
        raise UsageError(f"the task has more than {settings.max_task_chars} characters")
    if match_id and not is_match_id(match_id):
        raise UsageError(f"{printable(match_id, 60)!r} is no id of a match: it has 32 hex digits")


def fold(settings: Settings, *, dry_run: bool = False) -> Folded:
    """Bring the spool into the database, forget what is too old, and return what was new.

    A record is known by its id, so that folding again, or after a crash, adds nothing twice.
    A file is removed once its day and the next are over, when nobody appends to it any more.

    Raises:
        StoreError, StoreBusy: See `open_store`.
    """
    files = day_files(settings)
    oldest = _oldest(settings)
    records: dict[str, Record] = {}
    skipped: list[Skipped] = []
    for file in files:
        for one in read_day(file):
            if isinstance(one, Skipped):
                skipped.append(one)
            elif one.at >= oldest:
                records.setdefault(one.id, one)
    new, expired = _compare(settings, records, oldest)
    if not dry_run and (new or expired):
        with open_store(settings, write=True) as store, store.transaction():
            _keep(store, records, new)
            store.forget(oldest)
    if not dry_run:
        damaged = {one.path for one in skipped}
        _remove(file for file in files if str(file.path) not in damaged and _is_over(file))
    return Folded(new=len(new), skipped=tuple(skipped))


def _compare(
    settings: Settings, records: dict[str, Record], oldest: datetime
) -> tuple[set[str], int]:
    """Return the ids that are not kept yet, and how many kept records are too old."""
    try:
        with open_store(settings) as store:
            known = store.known_log_ids(records) if records else set[str]()
            return set(records) - known, store.expired(oldest)
    except NotFound:
        return set(records), 0


def _keep(store: Store, records: dict[str, Record], new: set[str]) -> None:
    wanted = [records[key] for key in sorted(new)]
    store.add_asked(one for one in wanted if isinstance(one, Asked))
    store.add_feedback(one for one in wanted if isinstance(one, Feedback))


def purge(settings: Settings, before: date | None = None) -> int:
    """Forget what was asked and said before a day (UTC), all of it for None; return how much.

    Counted are records of the database; files of the spool go whole.

    Raises:
        StoreError, StoreBusy: See `open_store`.
    """
    day = before or date.max
    moment = datetime(day.year, day.month, day.day)  # noqa: DTZ001 (the columns hold UTC without zone)
    _remove(file for file in day_files(settings) if before is None or file.day < before)
    if not settings.database.is_file():
        return 0
    with open_store(settings, write=True) as store, store.transaction():
        gone = store.expired(moment)
        store.forget(moment)
    return gone


def list_feedback(settings: Settings) -> list[Feedback]:
    """Return what people said, oldest first: what is folded in, then what waits in the spool."""
    kept: list[Feedback] = []
    with contextlib.suppress(NotFound), open_store(settings) as store:
        kept = store.feedback()
    known = {one.id for one in kept}
    waiting = [one for file in day_files(settings) for one in read_day(file)]
    return kept + [o for o in waiting if isinstance(o, Feedback) and o.id not in known]


def _oldest(settings: Settings) -> datetime:
    return utc_now() - timedelta(days=settings.feedback_days)


def _is_over(file: DayFile) -> bool:
    return file.day < datetime.now(UTC).date() - timedelta(days=1)


def _remove(files: Iterable[DayFile]) -> None:
    for file in files:
        file.path.unlink(missing_ok=True)


def _clean(text: str) -> str:
    return redact(no_surrogates(text)).text
