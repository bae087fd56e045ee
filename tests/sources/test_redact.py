import random
import re
import string
import sys
import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memskill.sources.redact import fold, looks_random, redact
from memskill.sources.redact_rules import block_rules, line_rules

LETTERS = string.ascii_letters + string.digits


def made(length: int, alphabet: str = LETTERS, seed: int = 7) -> str:
    """Return a random text, the same one at each call."""
    return "".join(random.Random(seed).choices(alphabet, k=length))


HEX = "0123456789abcdef"
URLSAFE = LETTERS + "_-"
PEM = "\n".join(
    ["-----BEGIN {0}PRIVATE KEY-----", made(64), made(64), "-----END {0}PRIVATE KEY-----"]
)

# kind, text around, secret. No secret is written out: each is made of a prefix and chance.
SECRETS = [
    ("aws-access-key", "key {} in use", "AKIA" + made(16, string.ascii_uppercase + string.digits)),
    ("secret", "aws_secret_access_key = {}", made(40, LETTERS + "+/")),
    ("secret", '"SecretAccessKey": "{}"', made(40, LETTERS + "+/")),
    ("github-token", "git clone with {}", "ghp_" + made(36)),
    ("github-token", "{}", "gho_" + made(36)),
    ("github-token", "{}", "github_pat_" + made(22) + "_" + made(59)),
    ("gitlab-token", "{}", "glpat-" + made(20, URLSAFE)),
    ("slack-token", "{}", "xoxb-" + made(12, string.digits) + "-" + made(24)),
    (
        "slack-webhook",
        "https://hooks.slack.com/services/{}",
        "T" + made(9) + "/B" + made(9) + "/" + made(24),
    ),
    ("stripe-key", "{}", "sk_live_" + made(24)),
    ("stripe-key", "{}", "rk_test_" + made(24)),
    ("google-key", "{}", "AIza" + made(35, URLSAFE)),
    ("google-secret", "{}", "GOCSPX-" + made(28, URLSAFE)),
    ("openai-key", "{}", "sk-" + made(48)),
    ("openai-key", "{}", "sk-proj-" + made(80, URLSAFE)),
    ("anthropic-key", "{}", "sk-ant-api03-" + made(93, URLSAFE) + "AA"),
    ("npm-token", "//registry.npmjs.org/:_authToken={}", "npm_" + made(36)),
    ("pypi-token", "{}", "pypi-AgEIcHlwaS5vcmc" + made(120, URLSAFE)),
    ("jwt", "{}", "eyJ" + made(30, URLSAFE) + ".eyJ" + made(60, URLSAFE) + "." + made(43, URLSAFE)),
    ("twilio-key", "{}", "SK" + made(32, HEX)),
    ("sendgrid-key", "{}", "SG." + made(22, URLSAFE) + "." + made(43, URLSAFE)),
    ("huggingface-token", "{}", "hf_" + made(34)),
    ("databricks-token", "{}", "dapi" + made(32, HEX)),
    ("telegram-token", "{}", made(10, string.digits) + ":AA" + made(33, URLSAFE)),
    ("mailchimp-key", "{}", made(32, HEX) + "-us12"),
    ("vault-token", "{}", "hvs." + made(24)),
    ("digitalocean-token", "{}", "dop_v1_" + made(64, HEX)),
    ("private-key", "{}", PEM.format("RSA ")),
    ("private-key", "{}", PEM.format("OPENSSH ")),
    ("private-key", "{}", PEM.format("").replace("\n", "\\n")),
    ("private-key", "{}", PEM.format("EC ").rpartition("\n")[0]),
    ("azure-key", "Endpoint=x;AccountKey={};Suffix=y", made(86) + "=="),
    ("azure-key", "https://a.blob.core/x?sv=2024&sig={}", made(43) + "%3D"),
    ("url-password", "postgres://app:{}@db.internal:5432/main", "tr0ub4dor"),
    ("url-password", "mongodb+srv://app:{}@c.example.net", "swordfish"),
    ("url-password", "https://bob:{}@git.example.org/x.git", "pa:ss@word1"),
    ("bearer-token", "Authorization: Bearer {}", made(30)),
    ("bearer-token", '-H "authorization: bearer {}"', made(30)),
    ("basic-auth", "Authorization: Basic {}", "Ym9iOmh1bnRlcjI="),
    ("basic-auth", "curl -s -u bob:{} https://example.org", "hunter22"),
    ("url-token", "https://example.org/cb?access_token={}&x=1", made(20) + "1a"),
    ("password", "password={}", "hunter2"),
    ("password", "DB_PASSWORD: {}", "s3cr3t!pass"),
    ("password", 'password = "{}"', "swordfish"),
    ("password", "export PGPASSWORD={}", "swordfish"),
    ("password", '{{\\"password\\": \\"{}\\"}}', "swordfish"),
    ("secret", "api_key = '{}'", made(20) + "1a"),
    ("secret", "client-secret: {}", made(20) + "1a"),
    ("secret", '"token": "{}"', made(20) + "1a"),
    ("high-entropy", "the value {} was printed", made(44, LETTERS, seed=3)),
]

HARMLESS = [
    "commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "id 550e8400-e29b-41d4-a716-446655440000",
    "src/components/Dashboard2/WidgetConfigurationPanelV3Test.tsx",
    "/usr/local/lib/python3.11/site-packages/transformers/models/bert/modeling_bert.py",
    "shouldReturnTheSecondPageOfResultsWhenTheCursorIsGivenV2",
    "TEST_DATABASE_CONNECTION_POOL_MAX_SIZE_OVERRIDE_V2",
    "urllib3-2.2.1-py3-none-any.whl numpy-1.26.4-cp311-cp311-manylinux_2_17_x86_64",
    "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk",
    '"integrity": "sha512-' + made(86) + '=="',
    "golang.org/x/text v0.3.7 h1:" + made(43) + "=",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA" + made(40) + " me@host",
    "password: required",
    "password=${DB_PASSWORD}",
    "password = os.environ['PASSWORD']",
    "password=user.password",
    'type="password" name="password"',
    "token: string;",
    "max_tokens: 4096, token_count = 12345678901",
    "token = get_token(session, 3)",
    'api_key="your-api-key-1"',
    "credentials: 'include'",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "the bearer of this letter 12345",
    "postgres://user:${PASSWORD}@localhost/db",
    "git@github.com:owner/repo.git http://localhost:8080/@scope/name",
    "risk-assessment-of-long-kebab-names-2024-edition task-sk-learn",
    "sk-learn-pipelines-and-other-things",
    "msg_01LkKqpUD829m724o5oSeN7Mabcdef12",
    "a secret: never tell anyone about it",
]


@pytest.mark.parametrize(("kind", "around", "secret"), SECRETS)
def test_a_secret_goes_and_what_is_around_it_stays(kind: str, around: str, secret: str) -> None:
    text = around.format(secret)
    done = redact(text)
    assert secret not in done.text
    assert done.text == around.format(f"[REDACTED:{kind}]")
    assert done.counts == {kind: 1}


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_stays(text: str) -> None:
    assert redact(text).text == text
    assert redact(text).counts == {}


def test_counts_are_by_kind_and_hold_no_value() -> None:
    first, second = "ghp_" + made(36, seed=1), "ghp_" + made(36, seed=2)
    done = redact(f"{first} {second} npm_{made(36)}")
    assert done.counts == {"github-token": 2, "npm-token": 1}
    assert first not in repr(done)


def test_random_keys_without_a_shape_are_mostly_found() -> None:
    keys = [made(40, LETTERS, seed=n) for n in range(300)]
    assert sum("high-entropy" in redact(f"v {key}").counts for key in keys) >= 285


def test_a_hex_digest_is_not_random_but_a_key_is() -> None:
    assert not looks_random(made(64, HEX))
    assert looks_random(made(44, seed=3))


NEEDLES = sorted({needle for rule in (*line_rules(), *block_rules()) for needle in rule.needles})
PARTS = st.one_of(
    st.sampled_from(NEEDLES),
    st.sampled_from([text.format(secret) for _, text, secret in SECRETS]),
    st.sampled_from(
        [" ", "\n", "=", ": ", '"', "'", "@", "://", "-", "_", ".", "[REDACTED:jwt]", "]"]
    ),
    st.text(alphabet="aB3-_/+=.", max_size=60),
    st.text(max_size=5),
)


@settings(max_examples=300, deadline=None)
@given(st.lists(PARTS, max_size=12).map("".join))
@example("password=password=password=hunter2")
@example("token: [REDACTED:secret] token: abc123def456")
def test_redacting_twice_is_redacting_once(text: str) -> None:
    done = redact(text)
    again = redact(done.text)
    assert again.text == done.text
    assert again.counts == {}


MARKS = re.compile(r"\[REDACTED:[a-z0-9-]+\]")


@settings(max_examples=300, deadline=None)
@given(st.lists(PARTS, max_size=12).map("".join))
@example(f"https://ghp_{made(36)}@github.com/quay/tide.git")
@example(f"https://ghp_{made(36)}:x-oauth-basic@github.com/quay/tide.git")
def test_counts_add_up_to_the_marks_that_were_set(text: str) -> None:
    done = redact(text)
    assert sum(done.counts.values()) == len(MARKS.findall(done.text)) - len(MARKS.findall(text))
    # A mark within a mark would be one that was cut.
    assert "[REDACTED:[" not in done.text.replace(text, "")


@pytest.mark.parametrize("around", ["://{}@host", "://u:{}@host", "token: {}", "Bearer {}", '"{}"'])
@pytest.mark.parametrize("row", SECRETS, ids=lambda row: row[0])
def test_a_secret_that_several_rules_find_counts_once(
    around: str, row: tuple[str, str, str]
) -> None:
    _, inner, secret = row
    done = redact(around.format(inner.format(secret)))
    assert secret not in done.text
    assert sum(done.counts.values()) == len(MARKS.findall(done.text))


@given(st.sampled_from(SECRETS), st.text(alphabet="a \n.,;", max_size=20))
def test_a_secret_is_found_wherever_a_line_holds_it(row: tuple[str, str, str], text: str) -> None:
    _, around, secret = row
    assert secret not in redact(f"{text} {around.format(secret)} {text}").text


def test_folding_keeps_every_character_at_its_place() -> None:
    everything = "".join(map(chr, range(0xD800))) + "".join(map(chr, range(0xE000, sys.maxunicode)))
    assert len(fold(everything)) == len(everything)


def test_a_character_that_grows_in_lower_case_moves_nothing() -> None:
    assert redact("\u0130" * 9 + ' password="swordfish"').text.endswith('="[REDACTED:password]"')


@pytest.mark.parametrize(
    "piece", ["a", "aB3", "eyJ", "-----BEGIN PRIVATE KEY-----", "curl -u ", "://a:"]
)
def test_five_megabytes_in_one_line_take_seconds(piece: str) -> None:
    text = piece * (5_000_000 // len(piece))
    started = time.process_time()
    redact(text)
    assert time.process_time() - started < 20


@pytest.mark.parametrize("needle", NEEDLES)
def test_no_needle_makes_the_time_grow_faster_than_the_text(needle: str) -> None:
    short, long = (needle * (size // len(needle)) for size in (20_000, 400_000))
    times: list[float] = []
    for text in (short, long):
        started = time.process_time()
        redact(text)
        times.append(time.process_time() - started)
    # 20 times the text: quadratic would be 400 times the time.
    assert times[1] < 100 * max(times[0], 0.002)
