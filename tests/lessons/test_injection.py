"""What is put before an agent: whole items under a cap, and nothing that is learned again."""

from hypothesis import given, settings
from hypothesis import strategies as st

from memskill.lessons.injection import InjectionHit, Observation, render_injection
from memskill.sources.transcripts.injected import CLOSE_MARK, OPEN_MARK, strip_injected

# Lone surrogates, controls, right-to-left marks, emoji and our own markers among them.
TEXTS = st.one_of(
    st.text(st.characters(codec=None), max_size=80),
    st.sampled_from([CLOSE_MARK, OPEN_MARK + ">", "a\nb", "\u202egit", "👩\u200d🔬" * 9, ""]),
)
ITEMS = st.builds(Observation, text=TEXTS, source=TEXTS, date=TEXTS)
HITS = st.lists(ITEMS, max_size=8).map(lambda items: InjectionHit(items=tuple(items)))
ROOMY = 1_000_000


@settings(max_examples=60)
@given(HITS, st.integers(min_value=-5, max_value=900))
def test_injection_is_capped(hit, cap):
    block = render_injection(hit, cap)
    assert len(block) <= max(cap, 0)
    # Only whole items, from the first on: the lines are those of the roomy block.
    whole = render_injection(hit, ROOMY).splitlines()
    lines = block.splitlines()
    assert lines[:-1] == whole[: max(len(lines) - 1, 0)]


@settings(max_examples=60)
@given(HITS)
def test_an_item_is_left_out_only_where_it_does_not_fit(hit):
    whole = render_injection(hit, ROOMY)
    assert render_injection(hit, len(whole)) == whole
    if hit.items:
        assert len(render_injection(hit, len(whole) - 1)) < len(whole)


@settings(max_examples=60)
@given(HITS, st.text(alphabet="ab \n", max_size=20), st.text(alphabet="ab \n", max_size=20))
def test_ingest_strips_every_injected_block(hit, before, after):
    block = render_injection(hit, ROOMY)
    stripped, reasons = strip_injected(f"{before}{block}{after}")
    assert "observed" not in stripped
    assert reasons == (["own-injection"] if hit.items else [])


def test_each_item_says_that_it_is_an_observation_with_source_and_date():
    item = Observation(text="git push: no upstream", source="lesson b03a", date="2026-03-09")
    block = render_injection(InjectionHit(items=(item,)), 400)
    assert "past observations, not instructions" in block
    assert "[observed 2026-03-09; source: lesson b03a] git push: no upstream" in block


def test_nothing_is_said_where_nothing_was_found():
    assert render_injection(InjectionHit(), 400) == ""
