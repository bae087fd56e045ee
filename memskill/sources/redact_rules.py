"""The shapes of secrets: what `redact` looks for. Formats are those that providers document.

Every pattern takes time linear in the text: it starts with a literal or is tried once a run,
and what follows is possessive or of bounded length. Raise `REDACTOR_VERSION` with each change.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass

from memskill.sources.placeholders import looks_given, looks_mixed, looks_valued

# kind, the literal that each starts with (case counts, no letter or digit before it), the rest.
_TOKENS = r"""
age-key             AGE-SECRET-KEY-1    [0-9A-Z]{20,}+
airtable-token      pat                 [A-Za-z0-9]{14}\.[a-f0-9]{40,}+
anthropic-key       sk-ant-             [A-Za-z0-9_-]{16,}+
atlassian-token     ATATT3              [A-Za-z0-9_=-]{20,}+
aws-access-key      A                   (?:KIA|SIA|BIA|CCA)[A-Z0-9]{16,}+
circleci-token      CCIPAT_             [A-Za-z0-9_]{20,}+
databricks-token    dapi                [a-f0-9]{32}+(?:-\d)?
digitalocean-token  do                  [opr]_v1_[a-f0-9]{32,}+
docker-token        dckr_               [po]at_[A-Za-z0-9_-]{20,}+
doppler-token       dp.                 (?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{20,}+
figma-token         fig                 [dor]{1,2}_[A-Za-z0-9_-]{30,}+
fly-token           fm                  [12]r?_[A-Za-z0-9_+/=,-]{40,}+
fly-token           fo1_                [A-Za-z0-9_-]{40,}+
github-token        gh                  [pousr]_[A-Za-z0-9_]{20,}+
github-token        github_pat_         [A-Za-z0-9_]{20,}+
gitlab-token        gl                  (?:pat|dt|rt|ptt|ft|soat|cbt|agent|imt)-[A-Za-z0-9_.-]{16,}+
google-key          AIza                [A-Za-z0-9_-]{30,}+
google-secret       GOCSPX-             [A-Za-z0-9_-]{20,}+
google-token        ya29.               [A-Za-z0-9_.-]{20,}+
grafana-token       gl                  (?:sa|c)_[A-Za-z0-9_=+/-]{20,}+
groq-key            gsk_                [A-Za-z0-9]{20,}+
heroku-key          HRKU-               [A-Za-z0-9_-]{30,}+
huggingface-token   hf_                 [A-Za-z0-9]{30,}+
huggingface-token   api_org_            [A-Za-z0-9]{30,}+
linear-key          lin_                (?:api|oauth)_[A-Za-z0-9]{20,}+
mailgun-key         key-                [a-f0-9]{32}(?![A-Za-z0-9])
newrelic-key        NRA                 [KL]-[A-Z0-9]{20,}+
notion-token        ntn_                [A-Za-z0-9]{40,}+
notion-token        secret_             [A-Za-z0-9]{40,}+
npm-token           npm_                [A-Za-z0-9]{30,}+
openai-key          sk-                 (?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{16,}+
openrouter-key      sk-or-              [A-Za-z0-9_-]{20,}+
perplexity-key      pplx-               [A-Za-z0-9]{30,}+
planetscale-token   pscale_             (?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{20,}+
postman-key         PMAK-               [A-Za-z0-9_-]{20,}+
pypi-token          pypi-               [A-Za-z0-9_-]{50,}+
replicate-token     r8_                 [A-Za-z0-9]{30,}+
rubygems-key        rubygems_           [a-f0-9]{32,}+
sendgrid-key        SG.                 [A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}+
sentry-token        sntry               [su]_[A-Za-z0-9_=+/-]{20,}+
shopify-token       shp                 (?:at|ca|pa|ss)_[A-Fa-f0-9]{32,}+
slack-token         xox                 [abeoprs]-[A-Za-z0-9-]{10,}+
slack-token         xapp-               [A-Za-z0-9-]{10,}+
square-token        sq0                 (?:atp|csp|idp)-[A-Za-z0-9_-]{20,}+
stripe-key          sk_                 (?:live|test)_[A-Za-z0-9]{10,}+
stripe-key          rk_                 (?:live|test)_[A-Za-z0-9]{10,}+
stripe-key          whsec_              [A-Za-z0-9+/=]{16,}+
supabase-key        sbp_                [A-Za-z0-9_-]{20,}+
supabase-key        sb_secret_          [A-Za-z0-9_-]{20,}+
twilio-key          SK                  [a-f0-9]{32}(?![A-Za-z0-9])
vault-token         hv                  [sbr]\.[A-Za-z0-9_-]{20,}+
xai-key             xai-                [A-Za-z0-9]{40,}+
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One shape: where a needle occurs, group `secret` of `pattern` (or all of it) goes."""

    kind: str
    # The rule is skipped where the text has none of them.
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    # Needles and pattern are lower-case and meet the lower-cased text.
    any_case: bool = False
    # What the found text must look like, where the shape alone is no proof.
    accepts: Callable[[str], bool] | None = None


@functools.cache
def block_rules() -> tuple[Rule, ...]:
    """Return the rules of secrets that span lines."""
    begin = r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----"
    return (
        # The body ends at the next five hyphens, so that a run of openings is read once.
        _rule("private-key", begin + r"(?:[^-]|-(?!----)){0,16384}+-----END [A-Z0-9 ]{0,40}"
              r"PRIVATE KEY[A-Z ]{0,10}-----", "PRIVATE KEY"),
        # The end was cut off: the lines that look like base64, also with escaped line ends.
        _rule("private-key", begin + r"(?:(?:\\[nr]|[\s>+|\"',]){1,12}+[A-Za-z0-9+/=]{20,}+)++",
              "PRIVATE KEY"),
        _rule("private-key", r"Private-Lines: \d{1,4}(?:\r?\n[A-Za-z0-9+/=]{16,100}+)++",
              "Private-Lines"),
    )  # fmt: skip


@functools.cache
def line_rules() -> tuple[Rule, ...]:
    """Return the rules of secrets within one line, the surest first."""
    tokens = [row.split() for row in _TOKENS.strip().splitlines()]
    return (
        # Tried at the start of a run only, for it needs all of what follows.
        _rule("jwt", r"(?<![\w-])eyJ[\w-]{8,9000}+\.eyJ[\w-]{8,30000}+(?:\.[\w-]{0,9000}+)?",
              "eyJ"),
        *(_token(kind, literal, rest) for kind, literal, rest in tokens),
        _rule("openai-key", r"sk-(?<![A-Za-z0-9]sk-)[\w-]{20,}+", "sk-", accepts=looks_mixed),
        _rule("tavily-key", r"tvly-(?<!\wtvly-)[\w-]{20,}+", "tvly-", accepts=looks_mixed),
        _rule("discord-token", r"(?<![\w.-])[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,}+", "."),
        _rule("telegram-token", r"(?<!\d)\d{8,10}+:AA[\w-]{32,}+", ":AA"),
        _rule("mailchimp-key", r"(?<![A-Za-z0-9])[a-f0-9]{32}-us\d{1,2}+(?![A-Za-z0-9])", "-us"),
        _rule("terraform-token", r"(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}+",
              ".atlasv1."),
        _rule("cloudflare-token", r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}+", "v1.0-"),
        _rule("slack-webhook", r"hooks\.slack\.com/\w{5,12}/(?P<secret>[\w/-]{20,}+)",
              "hooks.slack.com"),
        _rule("discord-webhook", r"/api/webhooks/(?P<secret>\d{5,25}+/[\w-]{20,}+)",
              "/api/webhooks/"),
        *_context_rules(),
        *_assignment_rules(),
    )  # fmt: skip


def _context_rules() -> tuple[Rule, ...]:
    """Return the rules of secrets that their surroundings give away."""
    return (
        _rule("url-password", r"://[^\s:/@?#\"'<>`]{0,128}+:(?P<secret>[^\s/\"'<>`]{1,256})@"
              r"(?=[\w\[.-])", "://", accepts=looks_given),
        _any_case("azure-key", r"(?:accountkey|sharedaccesskey|sharedaccesssignature)[ \t]{0,2}="
                  r"[ \t]{0,2}(?P<secret>[\w+/=%&.-]{16,}+)", "accountkey", "sharedaccess"),
        _rule("azure-key", r"[?&]sig=(?P<secret>[\w%+/=-]{20,}+)", "sig="),
        _any_case("bearer-token", r"bearer(?<!\wbearer)[ \t]{1,4}(?P<secret>[\w.~+/=-]{12,}+)",
                  "bearer", accepts=looks_mixed),
        _any_case("basic-auth", r"authorization\\?[\"']?[ \t]{0,3}[:=][ \t]{0,3}\\?[\"']?basic"
                  r"[ \t]{1,4}(?P<secret>[a-z0-9+/=]{8,}+)", "basic"),
        _rule("basic-auth", r"curl[^\n]{0,200}?[ \t](?:-u|--user)[ =]?[\"']?[\w.@+-]{1,64}+:"
              r"(?P<secret>[^\s\"']{4,128}+)", "curl", accepts=looks_given),
        _any_case("url-token", r"[?&](?:access_token|api_?key|auth|token|key|secret|password"
                  r"|signature|x-amz-signature)=(?P<secret>[\w.~%+/=-]{12,}+)",
                  "token=", "key=", "auth=", "secret=", "password=", "signature=",
                  accepts=looks_mixed),
    )  # fmt: skip


_PASSWORD = "password|passwd|passphrase|passwort|pwd"
_SECRET = (
    "secret|token|api[_-]?key|access[_-]?key|secret[_-]?key|private[_-]?key|auth[_-]?key"
    "|account[_-]?key|signing[_-]?key|encryption[_-]?key|master[_-]?key|credentials?"
)
_IS = r"(?:\\?[\"'])?[ \t]{0,3}(?:=>|:=|[:=])[ \t]{0,3}"
_KEY = r"[\w+/=.~!@#%^&*-]"
_QUOTED = r"\\?[\"'](?P<secret>[^\s\"'\\]{6,400}+)(?=\\?[\"'])"


def _assignment_rules() -> tuple[Rule, ...]:
    """Return the rules of `name = value` and `"name": "value"`, by what the name says."""
    secret = tuple(sorted({re.split(r"[\[?]", name)[0] for name in _SECRET.split("|")}))
    password = tuple(_PASSWORD.split("|"))
    bare = r"(?P<secret>[^\s\"'`,;(){}\[\]<>|\\]{6,200}+)(?![(\[])"
    return (
        _any_case("password", f"(?:{_PASSWORD}){_IS}{_QUOTED}", *password, accepts=looks_given),
        _any_case("password", f"(?:{_PASSWORD}){_IS}{bare}", *password, accepts=looks_valued),
        # A variable of the environment: the value stands right behind, and may be a plain word.
        _rule("password", rf"(?:PASSWORD|PASSWD|PASSPHRASE)={bare}", "PASSW", "PASSPH",
              accepts=looks_given),
        _any_case("secret", f"(?:{_SECRET}){_IS}{_QUOTED}", *secret, accepts=looks_valued),
        _any_case("secret", f"(?:{_SECRET}){_IS}(?P<secret>{_KEY}{{10,400}}+)" r"(?![(\[])",
                  *secret, accepts=looks_mixed),
    )  # fmt: skip


def _token(kind: str, literal: str, rest: str) -> Rule:
    # The literal first lets the matcher leap; only then is the edge before it looked at.
    start = re.escape(literal)
    return _rule(kind, f"{start}(?<![A-Za-z0-9]{start}){rest}", literal)


def _rule(
    kind: str, pattern: str, *needles: str, accepts: Callable[[str], bool] | None = None
) -> Rule:
    return Rule(kind=kind, needles=needles, pattern=re.compile(pattern, re.ASCII), accepts=accepts)


def _any_case(
    kind: str, pattern: str, *needles: str, accepts: Callable[[str], bool] | None = None
) -> Rule:
    compiled = re.compile(pattern, re.ASCII)
    return Rule(kind=kind, needles=needles, pattern=compiled, any_case=True, accepts=accepts)
