from __future__ import annotations

import io
import json

import pytest
import strictyaml
import yaml
from helpers.drafting import make_body, make_draft, make_node, make_text
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML
from skills_ref.validator import validate

from memskill.draft.bodies import Step
from memskill.draft.hostile import plain_line
from memskill.draft.render import render_skill
from memskill.sources.frontmatter import split_frontmatter

KEYS = ("name", "description", "when_to_use", "generated_from", "generated_at", "generated_by")


def front(text: str) -> str:
    return text.split("---\n")[1]


def readers(block: str) -> list[dict]:
    return [
        yaml.safe_load(block),
        dict(YAML(typ="safe").load(io.StringIO(block))),
        strictyaml.load(block).data,
        dict(split_frontmatter(f"---\n{block}---\n").data),
    ]


def test_the_flat_profile_has_provenance_at_the_top_level():
    values = yaml.safe_load(front(make_text()))
    assert tuple(values) == (*KEYS, "prompt_version")
    assert values["generated_from"] == f"sha256:{make_node().sha}"


def test_the_spec_profile_has_provenance_under_metadata_and_folds_when_to_use():
    values = yaml.safe_load(front(make_text("spec")))
    assert tuple(values) == ("name", "description", "metadata")
    assert values["description"].endswith("A log shows 'lock wait timeout'.")
    assert all(isinstance(value, str) for value in values["metadata"].values())


def test_only_whole_sentences_are_folded_and_only_as_many_as_fit():
    text = make_text("spec", description="D. " + "x" * 1000, when_to_use="One fits. " + "Y" * 30)
    assert yaml.safe_load(front(text))["description"].endswith("x One fits.")


def test_the_reference_validator_accepts_spec_and_refuses_flat(tmp_path):
    folder = tmp_path / "exports-q1"
    folder.mkdir()
    (folder / "SKILL.md").write_text(make_text("spec"), encoding="utf-8")
    assert validate(folder) == []
    (folder / "SKILL.md").write_text(make_text(), encoding="utf-8")
    assert validate(folder) != []


def test_each_value_is_one_json_string_on_one_line():
    for line in front(make_text()).strip().split("\n"):
        key, _, value = line.partition(": ")
        assert key in (*KEYS, "prompt_version")
        assert isinstance(json.loads(value), str)


@given(st.text(max_size=200))
def test_four_yaml_readers_agree_on_any_text_that_passes_the_gate(text):
    clean = plain_line(text)
    draft = make_draft(make_body(description=f"x{clean}", when_to_use=f"y: {clean}"))
    values = readers(front(render_skill(draft)))
    assert all(value == values[0] for value in values)
    assert values[0]["description"] == f"x{clean}"


@pytest.mark.parametrize("query_id", ["007", "1e10", "on", "null", "12:30:45", "0x1f"])
def test_ids_that_look_like_other_types_stay_texts(query_id):
    text = render_skill(make_draft(name=query_id))
    assert {value["name"] for value in readers(front(text))} == {query_id}


def test_code_that_holds_a_fence_gets_a_longer_one():
    text = make_text(steps=(Step(do="Write:", code="```\nx\n```", language="md"),))
    assert "   ````md\n   ```\n   x\n   ```\n   ````\n" in text


def test_empty_parts_leave_no_heading():
    text = make_text(verification=(), when_to_use="")
    assert "## Verify" not in text
    assert "when_to_use" not in text


def test_template_and_shell_signs_of_a_note_mean_nothing_here():
    text = make_text(pitfalls=("{{ 7 * 7 }} {% raw %} ${HOME} `{{x}}`",))
    assert "- {{ 7 * 7 }} {% raw %} ${HOME} `{{x}}`\n" in text


def test_the_same_draft_gives_the_same_bytes():
    assert make_text() == make_text()
