"""What a person should know before trusting a fitted floor."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from memskill.match.cases import Case, is_judged, returned, without_skill
from memskill.match.grouping import components
from memskill.match.measures import Estimate
from memskill.match.statistics import statistics
from memskill.match.target import Target
from memskill.sources.safety import printable

if TYPE_CHECKING:
    from memskill.match.measures import Statistic

# A skill is called greedy from this share, and this number, of the false fires on.
_GREEDY_SHARE, _GREEDY_COUNT = 0.5, 3


def warnings_of(
    target: Target,
    fitted: Mapping[str, Estimate],
    held: Mapping[str, Estimate],
    fit_cases: Sequence[Case],
    held_cases: Sequence[Case],
    floor: float,
    limit: int,
) -> list[str]:
    """Return the warnings on a floor, in a fixed order; the cases carry its calibration."""
    found = [
        f"{name} is {_show(fitted[name], interval=True)} on the fitted part, but "
        f"{_show(held[name], interval=True)} on the held-out part: beyond chance"
        for name in ("recall", "precision", "false_fire")
        if _disagree(fitted.get(name), held.get(name))
    ]
    if missed := _target_missed(target, held):
        found.append(missed)
    cases = [*fit_cases, *held_cases]
    if told := _greedy(cases, floor, limit):
        found.append(told)
    if shared := _shared_skills(fit_cases, held_cases):
        found.append(
            f"{len(shared)} skills are right in both parts, under several groups: "
            + ", ".join(shared[:5])
        )
    sizes = Counter(components([case.task for case in cases]))
    if max(sizes.values()) > len(cases) / 3:
        found.append(
            f"one group holds {max(sizes.values())} of {len(cases)} tasks: "
            "the intervals rest on few groups"
        )
    return found


def _disagree(fitted: Estimate | None, held: Estimate | None) -> bool:
    """Return whether the two differ by more than both intervals, taken together, explain."""
    if not fitted or not held or fitted.value is None or held.value is None:
        return False
    lower, upper = sorted((fitted, held), key=lambda one: one.value or 0.0)
    # Half-widths of independent intervals add up as squares; only the sides that face count.
    rise = (lower.high or 0.0) - (lower.value or 0.0)
    fall = (upper.value or 0.0) - (upper.low or 0.0)
    return abs(fitted.value - held.value) > math.hypot(rise, fall)


def _target_missed(target: Target, held: Mapping[str, Estimate]) -> str:
    """Return what to say where the held-out part does not reach the target; else ""."""
    reached = held.get(target.kind)
    if target.kind == "cost" or reached is None or reached.value is None:
        return ""
    over = reached.value > target.bound
    if over == (target.kind == "false_fire") and reached.value != target.bound:
        return f"the held-out part misses {target.text}: {_show(reached, interval=True)}"
    return ""


def _greedy(cases: Sequence[Case], floor: float, limit: int) -> str:
    """Return what to say where one skill alone makes most of the false fires; else ""."""
    names = [name for case in cases if (name := _false_answer(case, floor, limit))]
    if not names:
        return ""
    name, count = min(Counter(names).items(), key=lambda pair: (-pair[1], pair[0]))
    if count < _GREEDY_COUNT or count / len(names) <= _GREEDY_SHARE:
        return ""
    share, _ = statistics(cases, floor=floor, limit=limit)["false_fire"]
    rest, _ = statistics(without_skill(cases, name), floor=floor, limit=limit)["false_fire"]
    with_it, without_it = (_whole(one, len(cases)) for one in (share, rest))
    return (
        f"skill {printable(name, 60)!r} alone makes {count} of {len(names)} false fires: its "
        f"description is greedy. Without it the share falls from {with_it:.3f} to {without_it:.3f}"
    )


def _false_answer(case: Case, floor: float, limit: int) -> str:
    """Return the first returned skill that the labels call wrong where nothing fits, or ""."""
    if case.task.expected and case.task.kind != "near_miss":
        return ""
    wrong = [
        one.name
        for one in returned(case, floor, limit)
        if one.name not in case.task.expected and is_judged(case.task, one.name)
    ]
    return wrong[0] if wrong else ""


def _shared_skills(first: Sequence[Case], second: Sequence[Case]) -> list[str]:
    names = [{name for case in cases for name in case.task.expected} for cases in (first, second)]
    return [printable(name, 60) for name in sorted(names[0] & names[1])]


def _whole(statistic: Statistic, cases: int) -> float:
    return statistic(np.ones(cases))


def _show(estimate: Estimate, *, interval: bool = False) -> str:
    if estimate.value is None:
        return "unknown"
    text = f"{estimate.value:.3f}"
    if interval and estimate.low is not None and estimate.high is not None:
        text += f" ({estimate.low:.3f} to {estimate.high:.3f})"
    return text
