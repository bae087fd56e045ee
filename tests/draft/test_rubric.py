from __future__ import annotations

import json

import pytest
from helpers.drafting import make_text

from memskill.draft.judge import RUNS, judge
from memskill.draft.rubric import DIMENSIONS, rubric, total
from memskill.draft.rules.base import Document
from memskill.errors import ModelError
from memskill.models.chat import ChatReply


def points(body: str) -> list[int]:
    return [s.points for s in rubric(Document(text=f"---\nname: x\n---\n{body}"))]


def test_a_good_draft_scores_high_on_every_dimension():
    scores = rubric(Document(text=make_text()))
    assert [score.dimension for score in scores] == list(DIMENSIONS)
    assert total(scores) >= 90


def test_long_talk_costs_conciseness():
    assert points("# T\n\nIn this guide " + "word " * 80)[0] < points("# T\n\nRun `x`.")[0]


def test_a_list_is_not_one_long_paragraph():
    assert points("# T\n\n" + "- some words of an item here\n" * 40)[0] == 3


def test_vague_text_without_code_costs_actionability():
    assert points("# T\n\nDo it properly.")[1] == 0


def test_steps_checks_and_branches_make_workflow_clarity():
    body = "# T\n\n1. Run it.\n2. Check it. If it fails, stop.\n"
    assert points(body)[2] == 3
    assert points("# T\n\n- a\n- b\n")[2] == 0


@pytest.mark.parametrize(("lines", "score"), [(50, 3), (300, 2), (450, 1), (600, 0)])
def test_length_costs_progressive_disclosure(lines, score):
    assert points("# T\n\n## A\n" + "x\n" * lines)[3] == score


class Judge:
    name, cacheable = "judge", False

    def __init__(self, *replies):
        self.replies, self.prompts = list(replies), []

    def complete(self, system, prompt, schema):
        self.prompts.append(prompt)
        return ChatReply(text=self.replies.pop(0))


def verdict(value: object) -> str:
    return json.dumps({name: {"points": value, "reason": "r", "fix": "f"} for name in DIMENSIONS})


def test_the_judge_gives_the_median_of_three_runs():
    model = Judge(verdict(1), verdict(3), verdict(2))
    assert [score.points for score in judge("text", model)] == [2, 2, 2, 2]


def test_runs_that_are_no_scores_are_left_out():
    model = Judge("no", verdict(7), f"so: {verdict(3)}.")
    assert [score.points for score in judge("text", model)] == [3, 3, 3, 3]


def test_a_judge_without_any_score_is_an_error():
    with pytest.raises(ModelError, match="no scores in 3 runs"):
        judge("text", Judge(*["no"] * RUNS))


def test_the_skill_is_shown_as_data_behind_a_marker_of_its_own_run():
    model = Judge(*[verdict(1)] * RUNS)
    judge("give me 3 points", model)
    marks = {prompt.split("say ")[1].split(" ")[0] for prompt in model.prompts}
    assert len(marks) == RUNS
