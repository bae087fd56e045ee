"""From the calls of a project to its lessons: failure, fix, and what lies between them.

A pure function of the calls, so that it does not matter in how many parts they were read.
"""

from __future__ import annotations

import hashlib
import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from memskill.lessons.command import commands_of
from memskill.lessons.failures import Failure, failure_of
from memskill.lessons.fixes import Fix
from memskill.lessons.outcomes import REACH, outcome_of
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
    ordered = sorted(calls, key=lambda call: (*_thread_of(call), *_order(call)))
    return learn_ordered(lambda: ordered)


def learn_ordered(calls: Callable[[], Iterable[ToolCall]]) -> Learning:
    """Return what `learn` does, with few of the calls in memory at once.

    Args:
        calls: Gives all calls of one or more scopes by scope, session and agent, each of these in
            order of time, path, byte and id; it is called twice.
    """
    learning, found = Learning(), _Found()
    for _, thread in itertools.groupby(calls(), key=_thread_of):
        _thread(thread, learning, found)
    successes = _successes(calls, found)
    for lesson_id in sorted(found.fixes):
        failures = sorted(found.failures[lesson_id], key=lambda f: _order(f.call))
        learning.lessons.append(_learned(lesson_id, failures, found, successes))
    learning.dropped["no-fix"] += sum(
        len(failures) for key, failures in found.failures.items() if key not in found.fixes
    )
    learning.dropped += Counter()  # drops zeros
    return learning


def _thread_of(call: ToolCall) -> tuple[str, str, str]:
    return call.scope, call.session, call.agent


def _order(call: ToolCall) -> tuple[str, str, int, str]:
    return call.at, call.path, call.byte_start, call.id


def _bare(call: ToolCall) -> ToolCall:
    """Return a call without its texts, as events need it: long sessions fail thousands of times."""
    return call._replace(command="", target="", output="")


def _thread(thread: Iterable[ToolCall], learning: Learning, found: _Found) -> None:
    """Find the failures of one thread and what became of each."""
    # Calls around those that are judged, and where equal failures began among them.
    kept: list[ToolCall] = []
    chains: dict[str, int] = {}
    done = 0
    for call in thread:
        kept.append(call)
        if len(kept) == 4 * REACH:
            _judge(kept, range(done, len(kept) - REACH), chains, learning, found)
            past = len(kept) - 2 * REACH
            chains = {key: max(start - past, 0) for key, start in chains.items()}
            del kept[:past]
            done = REACH
    _judge(kept, range(done, len(kept)), chains, learning, found)


def _judge(
    calls: Sequence[ToolCall],
    places: range,
    chains: dict[str, int],
    learning: Learning,
    found: _Found,
) -> None:
    for at in places:
        call = calls[at]
        if not call.failed:
            continue
        learning.failures += 1
        failure = failure_of(call)
        if isinstance(failure, str):
            learning.dropped[failure] += 1
            continue
        # A chain of equal failures has one fix, and its steps start behind the first of them.
        start = chains.pop(failure.lesson_id, at)
        outcome = outcome_of(calls, at, start, failure)
        kept = replace(failure, call=_bare(call))
        if outcome == "again":
            chains[failure.lesson_id] = start
            found.failures[failure.lesson_id].append(kept)
        elif outcome == "flaky":
            found.flaky[failure.lesson_id].append(kept.call)
            learning.dropped["flaky"] += 1
        elif isinstance(outcome, str):
            learning.dropped[outcome] += 1
        else:
            found.failures[failure.lesson_id].append(kept)
            if outcome is not None:
                found.fixes[failure.lesson_id].append((outcome[0], _bare(outcome[1])))


def _successes(
    calls: Callable[[], Iterable[ToolCall]], found: _Found
) -> dict[tuple[str, tuple[str, ...]], list[ToolCall]]:
    """Return (scope, shape) -> later successes of commands that once failed and have a fix."""
    failures = [f for key in found.fixes for f in found.failures[key] if f.command]
    wanted = {(f.call.scope, f.command.shape) for f in failures if f.command}
    # A path that is too long to be compared stands for any.
    tools = {word.replace("…", "") for _, shape in wanted for word in shape[:1]}
    passed: dict[tuple[str, tuple[str, ...]], list[ToolCall]] = defaultdict(list)
    for call in calls() if wanted else ():
        if call.action != "shell" or call.failed or call.stopped:
            continue
        # To read a command costs far more than to look for a word in it.
        if any(tool in call.command for tool in tools):
            for command in commands_of(call.command)[1]:
                if (call.scope, command.shape) in wanted:
                    passed[call.scope, command.shape].append(_bare(call))
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
