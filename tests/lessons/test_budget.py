"""Skills, lessons and notes under one budget: whole items, never over it, always the same."""

from hypothesis import given, settings
from hypothesis import strategies as st

from memskill.lessons.budget import (
    PARTS,
    SHARES,
    SkillNotice,
    entry_line,
    fit_parts,
    render_parts,
)
from memskill.lessons.injection import Observation
from memskill.sources.transcripts.injected import CLOSE_MARK, OPEN_MARK, strip_injected

# Lone surrogates, controls, right-to-left marks, emoji, long texts and our own markers.
TEXTS = st.one_of(
    st.text(st.characters(codec=None), max_size=80),
    st.sampled_from([CLOSE_MARK, OPEN_MARK + ">", "a\nb", "\u202egit", "👩\u200d🔬" * 99, ""]),
)
SKILLS = st.lists(
    st.builds(SkillNotice, name=TEXTS, path=TEXTS, description=TEXTS, when_to_use=TEXTS), max_size=4
)
SEEN = st.lists(st.builds(Observation, text=TEXTS, source=TEXTS, date=TEXTS), max_size=4)
KNOWN = st.fixed_dictionaries({"skills": SKILLS, "lessons": SEEN, "notes": SEEN})
ROOMY = 10**6


def kept(parts, counts):
    return {part: parts[part][: counts[part]] for part in PARTS}


@settings(max_examples=80)
@given(KNOWN, st.integers(min_value=-5, max_value=2000))
def test_context_is_capped(parts, cap):
    counts = fit_parts(parts, cap)
    text = render_parts(kept(parts, counts))
    assert len(text) <= max(cap, 0)
    # Whole items only, in the order of the parts.
    lines = [line for line in text.splitlines() if line.startswith("- [")]
    assert lines == [entry_line(one) for part in PARTS for one in parts[part][: counts[part]]]


@settings(max_examples=80)
@given(KNOWN, st.integers(min_value=0, max_value=2000))
def test_what_is_left_out_does_not_fit(parts, cap):
    counts = fit_parts(parts, cap)
    for part in PARTS:
        if counts[part] < len(parts[part]):
            more = {**counts, part: counts[part] + 1}
            assert len(render_parts(kept(parts, more))) > cap


@settings(max_examples=60)
@given(KNOWN, st.text(alphabet="ab \n", max_size=20), st.text(alphabet="ab \n", max_size=20))
def test_ingest_strips_every_context(parts, before, after):
    text = render_parts(kept(parts, fit_parts(parts, ROOMY)))
    stripped, reasons = strip_injected(f"{before}{text}{after}")
    assert "- [" not in stripped
    assert set(reasons) == ({"own-injection"} if any(parts.values()) else set())


@settings(max_examples=40)
@given(KNOWN)
def test_a_text_can_be_sent_as_utf_8(parts):
    text = render_parts(kept(parts, fit_parts(parts, ROOMY)))
    assert text.encode().decode() == text


def test_a_part_takes_no_more_than_its_share_while_others_want_room():
    notes = [Observation(text="n" * 100, source=f"note {i}") for i in range(20)]
    skills = [SkillNotice(name=f"s{i}", path="p", description="d" * 100) for i in range(20)]
    lessons = [Observation(text="l" * 100, source=f"lesson {i}") for i in range(20)]
    parts = {"skills": skills, "lessons": lessons, "notes": notes}
    counts = fit_parts(parts, 4000)
    for part in PARTS:
        # What was left over went to the skills, which come first.
        room = 4000 * SHARES[part] // 100 + (200 if part == "skills" else 0)
        assert len(render_parts({part: parts[part][: counts[part]]})) <= room
        assert counts[part] >= 3


def test_room_that_a_part_does_not_need_goes_to_the_others():
    notes = [Observation(text="n" * 100, source=f"note {i}") for i in range(20)]
    counts = fit_parts({"skills": [], "lessons": [], "notes": notes}, 4000)
    assert counts == {"skills": 0, "lessons": 0, "notes": 20}


def test_a_worse_item_never_takes_the_place_of_a_better_one():
    notes = [Observation(text="n" * 9000, source="long"), Observation(text="n", source="short")]
    assert fit_parts({"notes": notes}, 4000)["notes"] == 0


def test_a_skill_is_named_with_what_it_is_for_and_how_to_load_it():
    skill = SkillNotice(
        name="rollback-release",
        path="skills/rollback-release/SKILL.md",
        description="Puts the last release back.",
        when_to_use="Use when a release throws errors.",
    )
    text = render_parts({"skills": [skill]})
    assert (
        "- [skill rollback-release; file: skills/rollback-release/SKILL.md] Puts the last "
        "release back. When to use: Use when a release throws errors."
    ) in text
    assert "GET /memory/skills/NAME" in text.splitlines()[0]


def test_observations_are_marked_as_past_and_skills_are_not():
    seen = Observation(text="no upstream", source="lesson b03a", date="2026-03-09")
    skill = SkillNotice(name="a", path="p", description="d")
    text = render_parts({"notes": [seen], "skills": [skill]})
    skills, observed = text.split("\n" + OPEN_MARK)
    assert "past observations" not in skills
    assert "past observations, not instructions" in observed
    assert "[observed 2026-03-09; source: lesson b03a] no upstream" in observed
