from __future__ import annotations

import pytest

from memskill import errors
from memskill.errors import MemskillError

TREE = sorted(
    (v for v in vars(errors).values() if isinstance(v, type) and issubclass(v, MemskillError)),
    key=lambda kind: kind.__name__,
)


def test_codes_are_unique_and_plain():
    codes = [kind.code for kind in TREE]
    assert len(codes) == len(set(codes))
    assert all(code.replace("-", "").isalpha() and code.islower() for code in codes)


@pytest.mark.parametrize("kind", TREE, ids=lambda kind: kind.__name__)
def test_statuses_mean_failure(kind):
    assert 1 <= kind.exit_status <= 78
    # click keeps 2 for a malformed command line.
    assert kind.exit_status != 2
    assert 400 <= kind.http_status <= 599


@pytest.mark.parametrize("kind", TREE, ids=lambda kind: kind.__name__)
def test_an_error_carries_message_hint_and_reasons(kind):
    error = kind("what", hint="how", reasons=["one", "two"])
    assert (str(error), error.message, error.hint) == ("what", "what", "how")
    assert error.reasons == ("one", "two")
    assert kind("what").hint == ""


@pytest.mark.parametrize("kind", TREE, ids=lambda kind: kind.__name__)
def test_an_error_says_when_it_is_raised(kind):
    assert kind.__doc__.splitlines()[0].endswith(".")


def test_every_error_is_raised_somewhere():
    """A code that nothing raises is a promise without a case."""
    import re

    from helpers.tree import python_files

    source = "\n".join(p.read_text(encoding="utf-8") for p in python_files())
    bases = {"MemskillError", "SourceError", "ModelError"}
    silent = [k.__name__ for k in TREE if not re.search(rf"\b{k.__name__}\(\s*[^:)]", source)]
    assert set(silent) - bases == set()
