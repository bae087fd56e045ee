from __future__ import annotations

import pytest
from helpers.vaults import write_note

from memskill.errors import NotFound, UsageError
from memskill.pipeline import notes
from memskill.pipeline.ingest import ingest
from memskill.pipeline.notes import query_notes


@pytest.fixture
def kept(settings, encoder, monkeypatch):
    monkeypatch.setattr(notes, "load_encoder", lambda settings: encoder)
    write_note(settings, "p/roof", "The roof leaks when it rains.")
    write_note(settings, "p/wall", "The wall is damp.", level="L2")
    write_note(settings, "o/roof", "A roof of straw.")
    ingest(settings, encoder=encoder)
    return settings


def test_the_nearest_note_comes_first(kept):
    hits = query_notes(kept, "the roof leaks")
    assert hits[0].address == "p/roof"
    assert [h.cosine for h in hits] == sorted((h.cosine for h in hits), reverse=True)
    assert len(hits) == 3


def test_a_search_is_narrowed_by_project_level_and_limit(kept):
    assert [h.address for h in query_notes(kept, "roof", project="o")] == ["o/roof"]
    assert [h.address for h in query_notes(kept, "roof", level="L2")] == ["p/wall"]
    assert len(query_notes(kept, "roof", limit=1)) == 1
    assert query_notes(kept, "roof", project="none") == []


@pytest.mark.parametrize("question", ["", " \n\t", "x" * 20_001])
def test_a_question_that_cannot_be_answered_is_refused(kept, question):
    with pytest.raises(UsageError, match="question"):
        query_notes(kept, question)


@pytest.mark.parametrize("limit", [0, -1, 51])
def test_a_limit_out_of_range_is_refused(kept, limit):
    with pytest.raises(UsageError, match="between 1 and 50"):
        query_notes(kept, "roof", limit=limit)


def test_without_a_database_it_says_how_to_make_one(settings, encoder, monkeypatch):
    monkeypatch.setattr(notes, "load_encoder", lambda settings: encoder)
    with pytest.raises(NotFound):
        query_notes(settings, "roof")
