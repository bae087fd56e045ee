"""Lessons that may be one are suggested: by their words, and by what their symptoms mean."""

import pytest
from helpers.lessons import lesson

from memskill.lessons.similar import LEAST_COSINE, similar_lessons, symptom_text
from memskill.models.registry import load_encoder

# Ours: one failure in two wordings, and different failures of one tool.
SAME = [
    ("fatal: The current branch x has no upstream branch.", "error: no upstream for branch 'x'"),
    ("npm ERR! code ERESOLVE could not resolve", "npm error ERESOLVE unable to resolve"),
    ("File has not been read yet. Read it first.", "You must read the file before editing it"),
    ("fatal: refusing to merge unrelated histories", "error: cannot merge unrelated histories"),
]
OTHER = [
    ("fatal: The current branch x has no upstream branch.", "error: gpg failed to sign the data"),
    ("npm ERR! code ERESOLVE could not resolve", "npm ERR! missing script: build"),
    ("File has not been read yet. Read it first.", "String to replace not found in file."),
    ("error: no matches for kind Ingress", "error: You must be logged in to the server"),
]


def pair(one, two, **changes):
    """Return two lessons with these symptoms, which have no word of their signatures in common."""
    first, second = lesson(symptom=one, signature="a"), lesson(symptom=two, signature="b")
    return first, lesson(symptom=two, signature="b", **changes) if changes else second


@pytest.fixture(scope="module")
def vectors_of(settings_once):
    """Give the vectors of lessons by the shipped encoder."""
    encoder = load_encoder(settings_once)

    def given(*lessons):
        encoded = encoder.encode([symptom_text(one) for one in lessons])
        return {one.id: vector for one, vector in zip(lessons, encoded, strict=True)}

    return given


@pytest.fixture(scope="module")
def settings_once(tmp_path_factory):
    from helpers.vaults import make_settings

    return make_settings(tmp_path_factory.mktemp("similar") / "vault")


@pytest.mark.parametrize(("one", "two"), SAME)
def test_one_failure_in_two_wordings_is_suggested_by_the_encoder(vectors_of, one, two):
    first, second = pair(one, two)
    assert similar_lessons(first, [first, second]) == []
    (like,) = similar_lessons(first, [first, second], vectors_of(first, second))
    assert like.lesson == second
    assert like.cosine >= LEAST_COSINE


@pytest.mark.parametrize(("one", "two"), OTHER)
def test_different_failures_of_one_tool_are_not(vectors_of, one, two):
    first, second = pair(one, two)
    assert similar_lessons(first, [second], vectors_of(first, second)) == []


def test_another_tool_is_never_the_same(vectors_of):
    first, second = pair(*SAME[0], tool="hg")
    assert similar_lessons(first, [second], vectors_of(first, second)) == []


def test_the_same_words_are_suggested_without_an_encoder():
    first, second = lesson(scope="a"), lesson(scope="b")
    (like,) = similar_lessons(first, [first, second])
    assert (like.lesson, like.share, like.cosine) == (second, 1.0, None)


@pytest.mark.parametrize(
    ("symptom", "text"),
    [
        ("npm ERR! missing script: build", "missing script: build"),
        ("Error response from daemon: No such container", "No such container"),
        ("fatal: not a git repository", "not a git repository"),
        ("error:", "error:"),
    ],
)
def test_what_a_tool_says_before_every_error_does_not_count(symptom, text):
    assert symptom_text(lesson(symptom=symptom)) == text
