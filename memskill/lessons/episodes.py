"""From the calls of a project to its lessons: failure, fix, and what lies between them.

A pure function of the calls, so that it does not matter in how many parts they were read.
"""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from memskill.lessons.command import commands_of
from memskill.lessons.failures import Failure, failure_of
from memskill.lessons.fixes import Fix
from memskill.lessons.outcomes import outcome_of
from memskill.sources.transcripts.calls import ToolCall

EventKind = Literal["failure", "fix", "flaky", "contradiction"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LessonEvent:
    """One thing that happened to a lesson."""

    lesson_id: str
    kind: EventKind
    call: ToolCall

    @property
    def id(self) -> str:
        """One event a (lesson, call, kind)."""
        parts = (self.lesson_id, self.call.id, self.kind)
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Learned:
    """A lesson as the calls give it: its first failure, its best fix and all its events."""

    first: Failure
    fix: Fix
    events: tuple[LessonEvent, ...]

    @property
    def id(self) -> str:
        """See `Failure.lesson_id`."""
        return self.first.lesson_id


@dataclass(slots=True)
class Learning:
    """What the calls of some projects taught, and why the other failures taught nothing."""

    lessons: list[Learned] = field(default_factory=list[Learned])
    # Reason -> failed calls.
    dropped: Counter[str] = field(default_factory=Counter[str])
    failures: int = 0


@dataclass(slots=True)
class _Found:
    failures: dict[str, list[Failure]] = field(
        default_factory=lambda: defaultdict[str, list[Failure]](list)
    )
    fixes: dict[str, list[tuple[Fix, ToolCall]]] = field(
        default_factory=lambda: defaultdict[str, list[tuple[Fix, ToolCall]]](list)
    )
    flaky: dict[str, list[ToolCall]] = field(
        default_factory=lambda: defaultdict[str, list[ToolCall]](list)
    )


def learn(calls: Iterable[ToolCall]) -> Learning:
    """Return the lessons that calls teach, by id, with every reason why a failure taught none.

    Args:
        calls: All calls of one or more scopes, in any order.
    """
    threads: dict[tuple[str, str, str], list[ToolCall]] = defaultdict(list)
    for call in calls:
        threads[call.scope, call.session, call.agent].append(call)
    learning, found = Learning(), _Found()
    for key in sorted(threads):
        thread = sorted(threads[key], key=_order)
        _thread(thread, learning, found)
    successes = _successes(threads.values(), found)
    for lesson_id in sorted(found.fixes):
        failures = sorted(found.failures[lesson_id], key=lambda f: _order(f.call))
        learning.lessons.append(_learned(lesson_id, failures, found, successes))
    learning.dropped["no-fix"] += sum(
        len(failures) for key, failures in found.failures.items() if key not in found.fixes
    )
    learning.dropped += Counter()  # drops zeros
    return learning


def _order(call: ToolCall) -> tuple[str, str, int, str]:
    return call.at, call.path, call.byte_start, call.id


def _thread(thread: Sequence[ToolCall], learning: Learning, found: _Found) -> None:
    """Find the failures of one thread and what became of each."""
    open_chain: dict[str, int] = {}
    for at, call in enumerate(thread):
        if not call.failed:
            continue
        learning.failures += 1
        failure = failure_of(call)
        if isinstance(failure, str):
            learning.dropped[failure] += 1
            continue
        # A chain of equal failures has one fix, and its steps start behind the first of them.
        start = open_chain.pop(failure.lesson_id, at)
        outcome = outcome_of(thread, at, start, failure)
        if outcome == "again":
            open_chain[failure.lesson_id] = start
            found.failures[failure.lesson_id].append(failure)
        elif outcome == "flaky":
            found.flaky[failure.lesson_id].append(call)
            learning.dropped["flaky"] += 1
        elif isinstance(outcome, str):
            learning.dropped[outcome] += 1
        else:
            found.failures[failure.lesson_id].append(failure)
            if outcome is not None:
                found.fixes[failure.lesson_id].append(outcome)


def _successes(
    threads: Iterable[list[ToolCall]], found: _Found
) -> dict[tuple[str, tuple[str, ...]], list[ToolCall]]:
    """Return (scope, shape) -> later successes of commands that once failed and have a fix."""
    wanted = {
        (f.call.scope, f.command.shape)
        for key in found.fixes
        for f in found.failures[key]
        if f.command
    }
    passed: dict[tuple[str, tuple[str, ...]], list[ToolCall]] = defaultdict(list)
    for thread in threads:
        for call in thread:
            if call.action == "shell" and not call.failed and not call.stopped:
                for command in commands_of(call.command)[1]:
                    if (call.scope, command.shape) in wanted:
                        passed[call.scope, command.shape].append(call)
    return passed


def _learned(
    lesson_id: str,
    failures: list[Failure],
    found: _Found,
    successes: dict[tuple[str, tuple[str, ...]], list[ToolCall]],
) -> Learned:
    fixes = sorted(found.fixes[lesson_id], key=lambda pair: _order(pair[1]))
    # The fix that most sessions found, the newest of several such.
    votes = Counter(fix.text for fix, _ in fixes)
    best = max(range(len(fixes)), key=lambda i: (votes[fixes[i][0].text], i))
    calls = [f.call for f in failures]
    events = [LessonEvent(lesson_id=lesson_id, kind="failure", call=call) for call in calls]
    events += [LessonEvent(lesson_id=lesson_id, kind="fix", call=call) for _, call in fixes]
    flaky = sorted(found.flaky[lesson_id], key=_order)
    events += [LessonEvent(lesson_id=lesson_id, kind="flaky", call=call) for call in flaky]
    shapes = {f.command.shape for f in failures if f.command}
    sessions = {call.session for call in calls}
    # What failed passes now, in a session that never saw the failure, after its last time.
    passed = {
        call.id: call
        for shape in shapes
        for call in successes.get((failures[0].call.scope, shape), ())
        if call.session not in sessions and call.at > calls[-1].at
    }
    against = sorted(passed.values(), key=_order)
    events += [LessonEvent(lesson_id=lesson_id, kind="contradiction", call=c) for c in against]
    return Learned(first=failures[0], fix=fixes[best][0], events=tuple(events))
