"""Many texts at once lose what `redact` would take from each, and nothing else."""

import random
import string

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memskill.sources.redact import redact
from memskill.sources.redact_rules import line_rules
from memskill.sources.transcripts import scrub as scrub_module
from memskill.sources.transcripts.scrub import scrub, widen

LETTERS = string.ascii_letters + string.digits
CHANCE = random.Random(3)


def made(length, alphabet=LETTERS):
    return "".join(CHANCE.choices(alphabet, k=length))


SECRETS = [
    *("AKIA" + made(16, string.ascii_uppercase), "ghp_" + made(36), "xoxb-" + made(14)),
    *("sk-ant-" + made(30), f"password = {made(9)}", f'"api_key": "{made(24)}"', made(44)),
    *(f"postgres://u:{made(12)}@db.internal", f"Authorization: Bearer {made(30)}", "\u0130 pwd=x"),
    f"-----BEGIN PRIVATE KEY-----\n{made(64)}\n-----END PRIVATE KEY-----",
    *("eyJ" + made(20) + ".eyJ" + made(30) + "." + made(20), f"curl -u anouk:{made(9)} x"),
    *("PASSWORD=Tide" + made(6), "\u212aEY secret: " + made(20), f"?token={made(20)}"),
]
PARTS = st.lists(
    st.sampled_from(SECRETS)
    | st.text(st.characters(codec=None), max_size=20)
    | st.sampled_from(["\n", " ", "=", "token: ", "src/tide.py", "\ud800", "7f3a" * 10]),
    max_size=8,
)


@pytest.fixture(params=["few at a time", "many at once"], autouse=True)
def way(request, monkeypatch):
    """Few texts are redacted one by one: both ways have to give the same."""
    monkeypatch.setattr(scrub_module, "_FEW", 0 if request.param == "many at once" else 10**9)


def plain(text):
    """Return a text without lone surrogates, as it is stored."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(PARTS.map("".join), max_size=6))
def test_scrub_gives_what_redact_gives(texts):
    clean, counts = scrub(texts)
    expected = [redact(plain(text)) for text in texts]
    assert [plain(text) for text in clean] == [one.text for one in expected]
    assert sum(counts.values()) == sum(sum(one.counts.values()) for one in expected)


def test_every_secret_is_found_alone_and_among_others():
    clean, _ = scrub(["\n".join(["a line", *SECRETS, "another"]), *SECRETS])
    assert clean[1:] == [redact(secret).text for secret in SECRETS]
    assert clean[0] == redact("\n".join(["a line", *SECRETS, "another"])).text


def test_every_rule_can_be_widened_for_the_fast_engine():
    for rule in line_rules():
        assert not pl.Series(["nothing here"]).str.contains(widen(rule.pattern.pattern)).any()
