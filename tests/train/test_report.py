"""The table of the model card: figures that can be counted by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from memskill.errors import EvaluationRefused, TasksInvalid
from memskill.models.calibration import Calibration
from memskill.models.fakes import HashEncoder
from memskill.records import Task
from memskill.train.card import add_facts
from memskill.train.data import SkillText
from memskill.train.report import Row, _measured, measure
from memskill.train.reporttext import markdown, put_into_card, report_tables
from memskill.train.suite import Models, Suite, System, bm25, read_suite, suite_of

SKILLS = tuple(SkillText(id=f"s{i}", description=f"Skill {i}.") for i in range(4))
TASKS = (
    Task(text="a", expected=("s0",)),
    Task(text="b", expected=("s1",)),
    Task(text="c", expected=("s2",), kind="indirect"),
    Task(text="d", expected=("s3",), forbidden=("s0",)),
    Task(text="e", expected=(), kind="none"),
    Task(text="f", expected=(), kind="none"),
    Task(text="g", expected=(), kind="near_miss", forbidden=("s1",)),
)
SUITE = Suite(name="tiny", skills=SKILLS, tasks=TASKS)
SCORES = np.array(
    [
        [9.0, 1.0, 0.0, 0.0],  # right first
        [5.0, 4.0, 0.0, 0.0],  # right second
        [0.0, 0.0, 8.0, 0.0],  # right first
        [2.0, 9.0, 0.0, 3.0],  # of the two judged ones, the right one first
        [0.0, 0.0, 0.0, 1.0],
        [0.0, 0.0, 0.0, 8.5],
        [9.0, 0.5, 9.0, 9.0],  # only s1 is judged
    ]
)


def _values(rows: list[Row]) -> dict[tuple[str, str, str], float | None]:
    return {
        (r.view, r.measure, r.system + (f"-{r.against}" if r.against else "")): r.estimate.value
        for r in rows
    }


def test_every_view_counts_what_it_says() -> None:
    hybrid = System(name="hybrid", scores=SCORES, calibration=Calibration())
    found = _values(_measured(SUITE, [hybrid], {}, 0, 50))
    assert found["order", "recall@1", "hybrid"] == pytest.approx(2 / 3)
    assert found["order", "recall@3", "hybrid"] == 1.0
    assert found["order:match", "recall@1", "hybrid"] == 0.5
    assert found["order:indirect", "recall@1", "hybrid"] == 1.0
    assert found["graded", "recall@1", "hybrid"] == 1.0
    # Right skills have 9, 4, 8, 3: to keep 90 % the floor is 3, and one of two none tasks passes.
    assert found["decision", "fires@90:none", "hybrid"] == 0.5
    # 9, 4, 8, 3 against 1 and 8.5: four and one wins of eight.
    assert found["decision", "auroc:none", "hybrid"] == pytest.approx(5 / 8)
    assert found["decision", "fires@90:near_miss", "hybrid"] == 0.0
    assert found["score", "equal at 4 places", "hybrid"] is not None


def test_a_difference_is_that_of_the_two_values() -> None:
    better = SCORES.copy()
    better[1] = [0.0, 4.0, 0.0, 0.0]
    systems = [System(name="bm25", scores=SCORES), System(name="hybrid", scores=better)]
    rows = _measured(SUITE, systems, {}, 0, 200)
    (one,) = [r for r in rows if r.view == "order" and r.against == "bm25"]
    assert one.estimate.value == pytest.approx(1 / 3)
    assert one.estimate.low is not None
    assert one.estimate.low >= 0.0
    assert "hybrid minus bm25" in markdown(rows)


def test_what_a_reranker_was_not_asked_about_is_no_answer() -> None:
    scores = np.where(SCORES >= 4.0, SCORES, -np.inf)
    found = _values(_measured(SUITE, [System(name="reranker", scores=scores)], {}, 0, 20))
    assert found["order", "recall@1", "reranker"] == pytest.approx(2 / 3)
    assert found["graded", "recall@1", "reranker"] == 0.0
    assert found["decision", "fires@80:none", "reranker"] == 1.0


def test_equal_scores_go_by_name_and_not_by_place() -> None:
    equal = System(name="hybrid", scores=np.ones_like(SCORES))
    found = _values(_measured(SUITE, [equal], {}, 0, 20))
    assert found["order", "recall@1", "hybrid"] == pytest.approx(1 / 3)


def test_the_whole_table_is_made_from_models(encoder: HashEncoder) -> None:
    skills = [
        SkillText(id="deploy", description="Roll back a failed deploy."),
        SkillText(id="chart", description="Chart revenue.", when_to_use="Use for a bar chart."),
    ]
    tasks = [
        Task(text="roll back the deploy", expected=("deploy",)),
        Task(text="a bar chart", expected=("chart",), matched_on="when_to_use"),
        Task(text="bake bread", expected=(), kind="none"),
    ]
    rows = measure([suite_of("two", skills, tasks)], Models(encoder=encoder), rounds=20)
    found = _values(rows)
    assert found["order", "recall@1", "bm25"] == 1.0
    assert ("order", "matched_on", "cosine") in found
    captions = list(report_tables(rows))
    assert captions[0].startswith("Order")
    assert any(caption.startswith("Decision") for caption in captions)


def test_bm25_is_the_formula() -> None:
    scores = bm25(["count sheep", "count the goats daily"], ["sheep", "count"])

    def part(df: int, tf: int, length: int) -> float:
        idf = math.log(1 + (2 - df + 0.5) / (df + 0.5))
        return idf * tf * 1.9 / (tf + 0.9 * (0.6 + 0.4 * length / 2.5))

    assert scores[0] == pytest.approx([part(1, 1, 2), 0.0])
    assert scores[1] == pytest.approx([part(2, 1, 2), part(2, 1, 3)])


def test_ids_of_a_catalogue_may_have_slashes_and_others_may_not(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text('{"task": "x", "expected": ["a/b:c/d"], "kind": "match"}\n')
    skills = [SkillText(id="a/b:c/d", description="D.")]
    assert read_suite("s", skills, [path]).tasks[0].expected == ("a/b:c/d",)
    with pytest.raises(TasksInvalid):
        read_suite("s", [SkillText(id="other", description="D.")], [path])


def test_a_suite_that_says_nothing_is_refused() -> None:
    for skills, tasks in (((), TASKS), (SKILLS, ()), (SKILLS, [Task(text="x", expected=("y",))])):
        with pytest.raises(EvaluationRefused):
            suite_of("s", skills, tasks)


def test_a_card_keeps_one_table_and_one_calibration_however_often_they_are_made(
    tmp_path: Path,
) -> None:
    card = tmp_path / "model_card.md"
    card.write_text("# m\n\nSummary.\n\n## Notes\n\n- kept\n", encoding="utf-8")
    rows = _measured(SUITE, [System(name="hybrid", scores=SCORES)], {}, 0, 20)
    for kind in ("platt", "beta"):
        add_facts(tmp_path, "Calibration", {"kind": kind})
        put_into_card(tmp_path, rows, "Measured")
    text = card.read_text(encoding="utf-8")
    assert text.count("## Calibration") == text.count("# Measured") == 1
    assert "- kind: beta" in text
    assert "platt" not in text
    assert "- kept" in text
    assert "| tiny | hybrid | 3 | 0.667" in text
