"""Notes search: what comes back, what never does, and what it says of itself."""

from __future__ import annotations

import dataclasses

import pytest
from helpers.lessons import lesson
from helpers.notes import fake_querying, keep_lessons, note_policy
from helpers.vaults import write_note, write_skill
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from memskill.errors import FloorMissing, NotFound, StoreBehind, UsageError
from memskill.lessons.signature import signature_of
from memskill.match.notepolicy import own_path, write_policy
from memskill.models.fakes import HashEncoder
from memskill.pipeline.ingest import ingest
from memskill.pipeline.lessons import judge_lesson
from memskill.pipeline.querying import explain_query, narrowed
from memskill.store import open_store

SYMPTOM = "error: could not open port '/dev/ttyUSB0': Permission denied"
PORT = lesson(
    tool="make",
    subcommand="flash",
    symptom=SYMPTOM,
    signature=signature_of(SYMPTOM),
    scope="herd",
    resolution="First run `usermod -aG dialout`; then `make flash` passes.",
    command="make flash",
)
LONG = "\n\n".join(
    (
        "The gutter was cleaned in spring and the ladder is in the shed.",
        "filler words about the weather of that week " * 30,
        "The brass valve behind the boiler sticks when limescale builds up.",
        "more filler about lunch and the way home " * 30,
    )
)


@pytest.fixture
def kept(settings):
    write_note(settings, "p/roof", "The roof leaks when it rains hard.", query="Why does it drip?")
    write_note(settings, "p/wall", "The wall is damp near the roof.", level="L2")
    write_note(settings, "o/roof", "A roof of straw leaks too when it rains.")
    write_note(settings, "o/house", LONG, query="What was done in the house?")
    ingest(settings, encoder=HashEncoder())
    keep_lessons(settings, PORT)
    return settings


@pytest.fixture
def querying(kept):
    return fake_querying(kept)


def ids(result):
    return [hit.id for hit in result.hits]


def test_the_note_that_answers_comes_first_with_its_provenance(querying):
    hit = querying.query("the roof leaks when it rains hard").hits[0]
    assert (hit.kind, hit.id, hit.project, hit.level) == ("note", "p/roof", "p", "L1")
    assert (hit.title, hit.path) == ("Why does it drip?", "notes/p/roof.md")
    assert "roof leaks" in hit.excerpt
    assert len(hit.sha) == 64
    assert hit.score == round(hit.score, 4)


def test_the_lines_of_a_hit_are_those_of_the_passage_in_its_file(kept, querying):
    hit = querying.query("the brass valve behind the boiler sticks with limescale").hits[0]
    first, last = hit.lines
    lines = (kept.vault / hit.path).read_text(encoding="utf-8").split("\n")
    assert hit.id == "o/house"
    assert "brass valve" in "\n".join(lines[first - 1 : last])
    assert "brass valve" in hit.excerpt


def test_nothing_below_the_floor_comes_back(kept):
    for floor in (0.0, 0.3, 0.7, 1.0):
        result = fake_querying(kept, floor=floor).query("roof leaks", limit=50, explain=True)
        assert all(hit.score >= floor for hit in result.hits)
        assert len(result.hits) == sum(one.hit.score >= floor for one in result.candidates)


def test_a_question_that_nothing_answers_gets_an_empty_list(querying):
    assert querying.query("quarterly dividend of a shipping company").hits == []


def test_a_project_narrows_the_search_before_the_limit(querying):
    assert {hit.project for hit in querying.query("roof leaks", project="o", limit=50).hits} == {
        "o"
    }
    assert ids(querying.query("roof of straw leaks when it rains", project="o", limit=1)) == [
        "o/roof"
    ]
    assert querying.query("roof leaks", project="none").hits == []


def test_levels_and_kinds_narrow_the_search(kept):
    querying = fake_querying(kept, floor=0.0)
    assert ids(querying.query("roof", level=2)) == ["p/wall"]
    assert querying.query("roof", level=0).hits == []
    assert ids(querying.query("roof", kind="lesson")) == [PORT.id]
    assert {hit.kind for hit in querying.query("roof", kind="note", limit=50).hits} == {"note"}


def test_a_pasted_error_finds_the_lesson_that_mended_it(querying):
    text = "$ make flash\nwriting\nerror: could not open port '/dev/ttyUSB4': Permission denied"
    result = querying.query(text, explain=True)
    assert ids(result)[0] == PORT.id
    hit = result.hits[0]
    assert (hit.kind, hit.level, hit.project) == ("lesson", None, "herd")
    assert "usermod" in hit.excerpt
    assert result.candidates[0].signature == 1.0
    assert ids(querying.query(text, project="p")) == []


def test_a_retired_lesson_is_not_found(kept, querying):
    assert ids(querying.query(SYMPTOM))[0] == PORT.id
    judge_lesson(kept, PORT.id, "retired")
    assert PORT.id not in ids(querying.query(SYMPTOM))


def test_drafts_and_skills_are_no_notes(kept):
    write_skill(kept, "p-roof", "The roof leaks when it rains hard.", folder="skills/_drafts")
    write_skill(kept, "mend-roof", "The roof leaks when it rains hard.")
    ingest(kept, encoder=HashEncoder())
    found = fake_querying(kept, floor=0.0).query("the roof leaks when it rains hard", limit=50)
    assert {hit.kind for hit in found.hits} == {"note", "lesson"}
    assert all(hit.path.startswith("notes/") for hit in found.hits if hit.kind == "note")


def test_an_edit_is_found_after_the_next_ingest_and_the_old_text_is_gone(kept, querying):
    assert ids(querying.query("damp wall near the roof"))[0] == "p/wall"
    write_note(kept, "p/wall", "Marmalade is made of bitter oranges.", level="L2")
    ingest(kept, encoder=HashEncoder())
    assert ids(querying.query("marmalade of bitter oranges")) == ["p/wall"]
    assert "p/wall" not in ids(querying.query("the wall is damp"))


def test_the_same_question_gives_the_same_answer_from_another_process_state(kept, querying):
    for text in ("roof leaks", SYMPTOM, "brass valve"):
        first = querying.query(text, limit=50, explain=True)
        again = fake_querying(kept).query(text, limit=50, explain=True)
        assert first.hits == again.hits
        assert first.candidates == again.candidates


def test_an_encoder_without_a_fit_is_refused_with_the_command_that_fits_one(kept):
    querying = fake_querying(kept)
    write_policy(own_path(kept), note_policy(encoder_fingerprint="f" * 64))
    own_path(kept).unlink()
    with pytest.raises(FloorMissing) as caught:
        querying.query("roof")
    assert "--for notes" in caught.value.hint


def test_notes_without_vectors_of_the_encoder_are_no_silent_empty_answer(kept):
    other = HashEncoder(seed=1)
    querying = fake_querying(kept, encoder_fingerprint=other.fingerprint)
    querying.encoder = other
    querying._indexes._encoder = other
    with pytest.raises(StoreBehind, match="4 notes") as caught:
        querying.query("roof")
    assert "mem ingest" in caught.value.hint


def test_a_database_that_is_older_than_passages_says_so(kept, querying):
    with open_store(kept, write=True) as store:
        store._con.execute("delete from passage")
    with pytest.raises(StoreBehind, match="4 notes"):
        querying.query("roof")


def test_without_a_database_it_says_how_to_make_one(settings):
    with pytest.raises(NotFound, match="no database"):
        fake_querying(settings).query("roof")


@pytest.mark.parametrize("text", ["", " \n\t", "x" * 20_001])
def test_a_question_that_cannot_be_answered_is_refused(querying, text):
    with pytest.raises(UsageError, match="question"):
        querying.query(text)


@pytest.mark.parametrize("changes", [{"limit": 0}, {"limit": 51}, {"level": 3}, {"level": -1}])
def test_a_limit_or_level_out_of_range_is_refused(querying, changes):
    with pytest.raises(UsageError):
        querying.query("roof", **changes)


HOSTILE = st.one_of(
    st.text(min_size=1, max_size=200),
    st.sampled_from(
        (
            "'; drop table passage; --",
            "%s %(x)s {0} {{7*7}} ${HOME} $(id) `id`",
            "<script>alert(1)</script>\x00\x1b[2J\u202e",
            "../../etc/passwd",
            "\ud800 half a character",
            "$vector $k :project ?1",
        )
    ),
)


@given(text=HOSTILE, project=st.none() | HOSTILE)
@hypothesis_settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_hostile_text_is_only_text(querying, text, project):
    try:
        result = querying.query(text, project=project)
    except UsageError:
        return
    assert all(hit.score >= result.policy.floor for hit in result.hits)
    assert ids(querying.query("the roof leaks when it rains hard"))[0] == "p/roof"


def test_an_explanation_shows_why_each_was_kept_or_dropped(querying):
    result = querying.query("the roof leaks when it rains hard", explain=True)
    told = explain_query(result, "q", None)
    kept = [one["id"] for one in told["candidates"] if one["kept"]]
    assert kept == [hit["id"] for hit in told["hits"]]
    for one in told["candidates"]:
        assert ("reaches" if one["kept"] else "below") in one["reason"]
        assert {"cosine", "lexical", "score"} <= set(one)
    assert len(told["candidates"]) == 5
    assert set(told["ms"]) == {"encode", "notes"}


@pytest.mark.parametrize(
    ("said", "meant"),
    [("0", (0, None)), ("2", (2, None)), ("L1", (1, None)), ("lesson", (None, "lesson"))],
)
def test_a_level_is_named_by_number_letter_or_word(said, meant):
    assert narrowed(said) == meant


@pytest.mark.parametrize("said", ["3", "L", "LL1", "-1", "notes", "١"])
def test_another_level_is_refused(said):
    with pytest.raises(UsageError, match="level"):
        narrowed(said)


def test_a_hit_cannot_be_changed(querying):
    hit = querying.query("roof leaks").hits[0]
    with pytest.raises(dataclasses.FrozenInstanceError):
        hit.score = 1.0
