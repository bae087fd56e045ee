"""Decisions made up for tests: names with logits, and worlds of tasks around them."""

from __future__ import annotations

import numpy as np

from memskill.match.cases import Case
from memskill.match.decision import Decision, Scored
from memskill.models.calibration import sigmoid
from memskill.records import Task

MODELS = ("e" * 64, "r" * 64)


def scored(name: str, logit: float, **values: object) -> Scored:
    """Return a candidate whose score is the plain sigmoid of its logit, to 4 places."""
    plain = {"cosine": 0.5, "clause": 0.5, "lexical": 0.5, "negative": 0.0}
    return Scored(
        name=name,
        score=round(float(sigmoid(logit)), 4),
        rerank_score=logit,
        **{"matched_on": "description"} | plain | values,
    )


def decision(*candidates: Scored, models: tuple[str, str] = MODELS, **seconds: float) -> Decision:
    """Return a decision with its candidates best first."""
    return Decision(
        candidates=tuple(sorted(candidates, key=lambda one: (-one.score, one.name))),
        encoder_fingerprint=models[0],
        reranker_fingerprint=models[1],
        seconds=seconds,
    )


def case(task: Task, models: tuple[str, str] = MODELS, **logits: float) -> Case:
    """Return a case; a keyword `pod_debug=1.5` is a candidate `pod-debug` of logit 1.5."""
    named = [scored(name.replace("_", "-"), logit) for name, logit in logits.items()]
    return Case(task=task, decision=decision(*named, models=models), seconds=0.01)


def right(number: int, name: str = "a", **values: object) -> Task:
    """Return a task that the skill `name` fits."""
    return Task(text=f"right {number}", expected=(name,), **{"group": f"g{number}"} | values)


def wrong(number: int, kind: str = "none", **values: object) -> Task:
    """Return a task that nothing fits."""
    text = f"wrong {number}"
    return Task(text=text, expected=(), kind=kind, **{"group": f"w{number}"} | values)


def world(
    count: int, *, seed: int = 0, gap: float = 4.0, groups: int = 0, split: str | None = None
) -> list[Case]:
    """Return `count` cases that a skill fits and as many that none fits, logits `gap` apart."""
    random = np.random.default_rng(seed)
    cases = []
    for number in range(count):
        group = {"group": f"g{number % (groups or count)}", "split": split}
        skill = f"s{number % (groups or count)}"
        first, second, third = random.normal(size=3)
        ok = right(number, skill, **group)
        # Many skills are wrong in turn: none of them is greedy.
        other = f"other{number % 7}"
        cases.append(case(ok, **{skill: first + gap / 2, other: second - gap / 2}))
        group["group"] = f"w{number % (groups or count)}"
        cases.append(case(wrong(number, **group), **{other: third - gap / 2}))
    return cases
