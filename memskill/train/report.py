"""The table of the model card: what each system does on each suite, with 95 % intervals.

Measures and intervals are those of `mem eval` (`match.statistics`, `match.measures`), so that a
card and an evaluation say the same of the same thing. Four ways to look at a suite:

- order: tasks that something fits, by any label; recall@1, @3, @20 (and recall@1 by kind where a
  suite has several kinds).
- graded: tasks that forbid some skills; only expected and forbidden ones are ranked, the rest is
  unknown. recall@1 is "the first answer is right".
- decision: the best right skill of each task that something fits against the best skill of the
  tasks that nothing fits; AUROC, and the share of these that pass the floor that keeps 80, 90 %.
- score: calibration error of the first answer, and how many of the first 20 scores of a task
  equal another one at four places.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from memskill.match.cases import Case
from memskill.match.decision import Decision, Scored
from memskill.match.grouping import components
from memskill.match.measures import Estimate, estimate, group_draws
from memskill.match.statistics import statistics
from memskill.records import Field, Task
from memskill.train.kinds import Array, need
from memskill.train.suite import DEPTH, Models, Progress, Suite, System, carrying_field, score_suite

# Differences that a reader asks for: what memskill adds, to what one could do without it.
PAIRS = (
    ("hybrid", "bm25"), ("hybrid", "base"), ("hybrid", "cosine"), ("reranker", "hybrid"),
    ("reranker", "bm25"), ("reranker", "base"), ("reranker", "cosine"),
)  # fmt: skip
# Its name, which tasks it looks at, which measures it shows.
View: TypeAlias = tuple[str, Callable[[Task], bool], Callable[[str], bool]]
_ORDER = ("recall@1", "recall@3", f"recall@{DEPTH}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measured figure; `against` names the system that was taken off, or is empty."""

    suite: str
    view: str
    measure: str
    system: str
    against: str
    estimate: Estimate


def measure(
    suites: Sequence[Suite],
    models: Models,
    *,
    seed: int = 0,
    rounds: int = 1000,
    progress: Progress | None = None,
) -> list[Row]:
    """Return every figure of the table, in a fixed order.

    Args:
        suites: Catalogues with their tasks.
        models: What is measured.
        seed: Of the intervals.
        rounds: Draws an interval.
        progress: Called with (tasks reranked, tasks in all), suite by suite.

    Raises:
        ModelError: A model failed.
    """
    rows: list[Row] = []
    for suite in suites:
        systems = score_suite(suite, models, progress)
        fields = _fields(suite, models)
        rows += _measured(suite, systems, fields, seed, rounds)
    return rows


def _fields(suite: Suite, models: Models) -> dict[str, Field]:
    """Return task text -> the field that carries it, for the tasks whose label names one."""
    skills = {skill.id: skill for skill in suite.skills}
    return {
        task.text: carrying_field(skills[task.expected[0]], task.text, models.encoder)
        for task in suite.tasks
        if task.matched_on and task.expected and task.expected[0] in skills
    }


def _measured(
    suite: Suite, systems: Sequence[System], fields: dict[str, Field], seed: int, rounds: int
) -> list[Row]:
    rows: list[Row] = []
    for view, chosen, wanted in _views(suite):
        places = [place for place, task in enumerate(suite.tasks) if chosen(task)]
        tasks = [suite.tasks[place] for place in places]
        if not tasks:
            continue
        draws = group_draws(components(tasks), seed=seed, rounds=rounds)
        found = {
            system.name: {
                name: pair
                for name, pair in statistics(
                    [_case(suite, system, place, view, fields) for place in places],
                    floor=None,
                    k=DEPTH,
                ).items()
                if wanted(name) and (name != "ece" or system.calibration)
            }
            for system in systems
        }
        for system, measures in found.items():
            rows += [
                Row(suite=suite.name, view=view, measure=name, system=system, against="",
                    estimate=estimate(statistic, draws, count))
                for name, (statistic, count) in measures.items()
            ]  # fmt: skip
        for first, second in PAIRS:
            ours, theirs = found.get(first, {}), found.get(second, {})
            rows += [
                Row(suite=suite.name, view=view, measure=name, system=first, against=second,
                    estimate=estimate(lambda w, a=ours[name][0], b=theirs[name][0]: a(w) - b(w),
                                      draws, ours[name][1], exact=False))
                for name in ours
                if name in theirs and (name == "recall@1" or name.startswith("fires@80"))
            ]  # fmt: skip
    rows += [_equal(suite, system) for system in systems if system.calibration]
    return rows


def _views(suite: Suite) -> list[View]:
    """Return (view, which tasks it looks at, which measures it shows)."""
    known = {skill.id for skill in suite.skills}

    def fits(task: Task) -> bool:
        return bool(known & set(task.expected))

    def order(name: str) -> bool:
        return name in _ORDER or name == "matched_on"

    def of_kind(kind: str) -> View:
        def chosen(task: Task) -> bool:
            return task.kind == kind and fits(task) and not task.forbidden

        return f"order:{kind}", chosen, lambda name: name == "recall@1"

    kinds = sorted({task.kind for task in suite.tasks if fits(task) and not task.forbidden})
    views: list[View] = [("order", lambda task: fits(task) and not task.forbidden, order)]
    views += [of_kind(kind) for kind in kinds if len(kinds) > 1]
    return [
        *views,
        ("graded", lambda task: fits(task) and bool(task.forbidden),
         lambda name: name in _ORDER[:2]),
        # A near miss that another skill fits is in neither camp.
        ("decision", lambda task: (fits(task) and task.kind != "near_miss") or not task.expected,
         lambda name: ":" in name and name.startswith(("auroc", "fires"))),
        ("score", lambda task: fits(task) or not task.expected, lambda name: name == "ece"),
    ]  # fmt: skip


def _case(suite: Suite, system: System, place: int, view: str, fields: dict[str, Field]) -> Case:
    """Return a task with one system's answer, as `mem eval` would hold it."""
    task, scores = suite.tasks[place], system.scores[place]
    if view == "score" and system.calibration:
        scores = system.calibration.apply(scores)
    allowed = _allowed(task, view)
    field = fields.get(task.text, "description")
    candidates = [
        _scored(suite.skills[i].id, float(scores[i]), field) for i in _best(suite, scores, allowed)
    ]
    found = tuple(sorted(candidates, key=lambda one: (-one.score, one.name))[:DEPTH])
    # What has no score at all was never an answer.
    if view == "decision" and not found:
        found = (_scored("", float("-inf"), "description"),)
    decision = Decision(candidates=found, encoder_fingerprint="", reranker_fingerprint="")
    return Case(task=replace(task, project=None), decision=decision)


def _allowed(task: Task, view: str) -> frozenset[str]:
    """Return the only skills that may be ranked; empty: all."""
    if view == "decision" and task.expected:
        # The score of the right skill, whatever stands above it: what a floor must keep.
        return frozenset(task.expected)
    return frozenset((*task.expected, *task.forbidden)) if task.forbidden else frozenset()


def _best(suite: Suite, scores: Array, allowed: frozenset[str]) -> list[int]:
    """Return the places of the highest scores, at least as many as are looked at."""
    np = need("numpy")
    if allowed:
        places = [i for i, skill in enumerate(suite.skills) if skill.id in allowed]
    else:
        # All that equal the last one too: ties go by name, not by place.
        least = np.partition(scores, -min(DEPTH, len(scores)))[-min(DEPTH, len(scores))]
        places = [int(i) for i in np.flatnonzero(scores >= least)]
    return [i for i in places if np.isfinite(scores[i])]


def _scored(name: str, score: float, field: Field) -> Scored:
    return Scored(name=name, score=score, rerank_score=None, cosine=0.0, clause=0.0, lexical=0.0,
                  negative=0.0, matched_on=field)  # fmt: skip


def _equal(suite: Suite, system: System) -> Row:
    """Return the share of a task's first 20 scores that equal another of them at 4 places."""
    np = need("numpy")
    assert system.calibration is not None
    equal, total = 0, 0
    for scores in system.scores:
        first = np.sort(scores[np.isfinite(scores)])[::-1][:DEPTH]
        shown = np.round(system.calibration.apply(first), 4)
        _, counts = np.unique(shown, return_counts=True)
        equal += int(counts[counts > 1].sum())
        total += len(shown)
    share = Estimate(value=equal / max(total, 1), low=None, high=None, count=total)
    return Row(suite=suite.name, view="score", measure="equal at 4 places", system=system.name,
               against="", estimate=share)  # fmt: skip
