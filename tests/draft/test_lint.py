from __future__ import annotations

import time

import pytest
from helpers.drafting import make_node, make_text
from hypothesis import given
from hypothesis import strategies as st

from memskill.draft.lint import lint_text, require_clean, told
from memskill.errors import DraftRejected
from memskill.records import Finding


def test_a_clean_draft_has_no_findings_in_either_profile():
    for profile in ("flat", "spec"):
        text = make_text(profile)
        options = {"profile": profile, "is_draft": True, "folder": "exports-q1"}
        assert lint_text(text, note=make_node(), **options) == []


def test_findings_name_the_line_in_the_file():
    (finding,) = lint_text(
        "---\nname: x-y\ndescription: Use when <x> hangs again and again.\n---\n# X\n1. Check.\n"
    )
    assert (finding.rule, finding.line) == ("angle-brackets", 3)
    assert told(finding) == "line 3: angle-brackets: description contains '<'"


def test_a_rule_that_fires_everywhere_is_cut_and_counted():
    body = "<b>x</b>\n" * 50
    findings = [f for f in lint_text(f"---\nname: x\n---\n{body}") if f.rule == "raw-html"]
    assert len(findings) == 20
    assert findings[-1].message.endswith("(and 30 more)")


def test_a_rejected_draft_lists_every_error_and_no_warning():
    def finding(rule, severity):
        return Finding(rule=rule, severity=severity, message="m", hint="h")

    with pytest.raises(DraftRejected) as caught:
        require_clean("x", [finding("a", "error"), finding("b", "warning"), finding("c", "error")])
    assert caught.value.reasons == ("a: m", "c: m")
    require_clean("x", [finding("b", "warning")])


@given(st.text(max_size=500), st.booleans(), st.sampled_from(["flat", "spec"]))
def test_any_text_can_be_linted(text, is_draft, profile):
    for finding in lint_text(text, is_draft=is_draft, profile=profile, folder="x"):
        assert finding.message
        assert finding.line is None or finding.line >= 1


@given(st.text(alphabet="-:&*![]{}#|>'\"\n \tabc", max_size=300))
def test_any_frontmatter_can_be_linted(block):
    lint_text(f"---\n{block}\n---\nbody\n", profile="spec", is_draft=True)


@pytest.mark.parametrize("unit", ["`", "<a ", "](", "!`", "---\n", "a/", "1.", "' ", "$", "- x\n"])
def test_lint_is_linear_in_hostile_repeats(unit):
    text = "---\nname: x\ndescription: Use when it hangs.\n---\n# X\n" + unit * 100_000
    started = time.perf_counter()
    lint_text(text, is_draft=True, note=make_node(unit * 10_000))
    assert time.perf_counter() - started < 40
