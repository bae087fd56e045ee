"""The shapes of secrets: what `redact` looks for, one rule a row.

Every pattern takes time linear in the text: it starts with a literal (looked for first), and
what follows is possessive or of bounded length. Formats are those that the providers document.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# What a token may not follow: it would be the middle of a longer word.
_EDGE = r"(?<![A-Za-z0-9])"
# `<name>`, `${NAME}`, `{{ name }}`, `$NAME`, `%s`, `xxx`, `***`, `...`: a gap, not a secret.
_GAP = re.compile(
    r"[<{$%\[]|\(|(?:your|my|some|the|example|sample|dummy|fake|test|placeholder|changeme|replace"
    r"|insert|redacted|process\.env|os\.environ|env\.|config\.|settings\.|self\.|args\.)"
    r"|(?:x{3,}|\*{3,}|\.{3,}|-{3,})",
    re.IGNORECASE,
)
_WORD = re.compile(r"[A-Za-z][a-z]*(?:[ _.-]?[A-Za-z][a-z]*)*", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One shape: where `needles` occur, group `secret` of `pattern` (or all of it) goes."""

    kind: str
    # Lower-case; the rule is skipped where the lower-cased text has none of them.
    needles: tuple[str, ...]
    pattern: re.Pattern[str]
    # How sure a value must look: "any", "digit" (holds one), "mixed" (a digit and a letter) or
    # "value" (no placeholder, no plain word).
    need: str = "any"

    def accepts(self, secret: str) -> bool:
        """Tell whether `secret` looks like one and not like a placeholder."""
        if self.need == "any":
            return True
        has_digit = any(c.isdigit() for c in secret)
        if self.need == "digit":
            return has_digit
        if self.need == "mixed":
            return has_digit and any(c.isalpha() for c in secret) and not _GAP.match(secret)
        return not _GAP.match(secret) and (has_digit or not _WORD.fullmatch(secret))


def _token(kind: str, prefix: str, body: str, *needles: str, need: str = "any") -> Rule:
    """Return the rule of a token: a documented prefix and a body, at the edge of a word."""
    return Rule(
        kind=kind,
        needles=needles or (prefix.lower(),),
        pattern=re.compile(f"{_EDGE}{prefix}{body}"),
        need=need,
    )


def _pattern(kind: str, pattern: str, *needles: str, need: str = "any", flags: int = 0) -> Rule:
    return Rule(kind=kind, needles=needles, pattern=re.compile(pattern, flags), need=need)


_AN = "[A-Za-z0-9]"
_URLSAFE = "[A-Za-z0-9_-]"
_HEX = "[A-Fa-f0-9]"

# Whole blocks first: what is inside must not be picked apart by the shorter shapes.
_BLOCKS = (
    _pattern(
        "private-key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----(?:[^-]|-(?!----)){0,16384}+"
        r"-----END [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----",
        "private key",
    ),
    # The end was cut off: the lines that look like base64.
    _pattern(
        "private-key",
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY[A-Z ]{0,10}-----"
        r"(?:(?:\\n|\\r|[\s>+|\"',]){1,12}+[A-Za-z0-9+/=]{20,}+)++",
        "private key",
    ),
    _pattern(
        "private-key", r"Private-Lines: \d{1,4}(?:\r?\n[A-Za-z0-9+/=]{16,100}+)++", "private-lines"
    ),
    _token("age-key", "AGE-SECRET-KEY-1", "[0-9A-Z]{20,}+"),
    # Not at an edge of `-`, `_` or a letter: one start a run, so that a run costs one look.
    _pattern(
        "jwt",
        rf"(?<!{_URLSAFE})eyJ{_URLSAFE}{{8,8000}}+\.eyJ{_URLSAFE}{{8,16000}}+(?:\.{_URLSAFE}{{0,8000}}+)?",
        "eyj",
    ),
)

_TOKENS = (
    _token(
        "aws-access-key",
        "(?:AKIA|ASIA|ABIA|ACCA)",
        "[A-Z0-9]{16,}+",
        "akia",
        "asia",
        "abia",
        "acca",
    ),
    _token("github-token", "gh[pousr]_", f"{_AN}{{20,}}+", "ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    _token("github-token", "github_pat_", "[A-Za-z0-9_]{20,}+"),
    _token(
        "gitlab-token", "gl(?:pat|dt|rt|ptt|ft|soat|cbt|agent|imt)-", f"{_URLSAFE}{{16,}}+", "gl"
    ),
    _token("anthropic-key", "sk-ant-", f"{_URLSAFE}{{16,}}+"),
    _token("openrouter-key", "sk-or-", f"{_URLSAFE}{{20,}}+"),
    _token("openai-key", "sk-(?:proj|svcacct|admin|None)-", f"{_URLSAFE}{{16,}}+", "sk-"),
    _token("openai-key", "sk-", f"{_URLSAFE}{{20,}}+", need="mixed"),
    _token("slack-token", "xox[abeoprs]-", f"{_URLSAFE}{{10,}}+", "xox"),
    _token("slack-token", "xapp-", f"{_URLSAFE}{{10,}}+"),
    _pattern(
        "slack-webhook",
        r"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_-]{20,}+)",
        "hooks.slack.com",
    ),
    _pattern(
        "discord-webhook",
        r"discord(?:app)?\.com/api/webhooks/(?P<secret>\d{5,25}+/[\w-]{20,}+)",
        "api/webhooks",
    ),
    _pattern(
        "discord-token",
        r"(?<![\w.-])[MNO][A-Za-z\d_-]{23,27}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,}+",
        ".",
    ),
    _pattern("telegram-token", r"(?<!\d)\d{8,10}+:AA[\w-]{32,}+", ":aa"),
    _token("stripe-key", "(?:sk|rk|pk)_(?:live|test)_", f"{_AN}{{10,}}+", "_live_", "_test_"),
    _token("stripe-key", "whsec_", "[A-Za-z0-9+/=]{16,}+"),
    _token("google-key", "AIza", f"{_URLSAFE}{{30,}}+"),
    _token("google-token", r"ya29\.", "[A-Za-z0-9_.-]{20,}+", "ya29."),
    _token("google-secret", "GOCSPX-", f"{_URLSAFE}{{20,}}+"),
    _token("npm-token", "npm_", f"{_AN}{{30,}}+"),
    _token("pypi-token", "pypi-", f"{_URLSAFE}{{50,}}+"),
    _token("twilio-key", "SK", f"{_HEX}{{32}}(?!{_AN})", "sk"),
    _token("sendgrid-key", r"SG\.", rf"{_URLSAFE}{{16,64}}\.{_URLSAFE}{{16,}}+", "sg."),
    _token("huggingface-token", "(?:hf|api_org)_", f"{_AN}{{30,}}+", "hf_", "api_org_"),
    _token("digitalocean-token", "do[opr]_v1_", f"{_HEX}{{32,}}+", "_v1_"),
    _token("shopify-token", "shp(?:at|ca|pa|ss)_", f"{_HEX}{{32,}}+", "shp"),
    _token("databricks-token", "dapi", f"{_HEX}{{32}}+(?:-\\d)?"),
    _token("groq-key", "gsk_", f"{_AN}{{20,}}+"),
    _token("xai-key", "xai-", f"{_AN}{{40,}}+"),
    _token("perplexity-key", "pplx-", f"{_AN}{{30,}}+"),
    _token("tavily-key", "tvly-", f"{_URLSAFE}{{20,}}+", need="digit"),
    _token("replicate-token", "r8_", f"{_AN}{{30,}}+"),
    _token("vault-token", r"hv[sbr]\.", f"{_URLSAFE}{{20,}}+", "hvs.", "hvb.", "hvr."),
    _token("doppler-token", r"dp\.(?:pt|st|ct|sa|scim|audit)\.", "[A-Za-z0-9_.-]{20,}+", "dp."),
    _token("linear-key", "lin_(?:api|oauth)_", f"{_AN}{{20,}}+", "lin_"),
    _token("notion-token", "(?:ntn_|secret_)", f"{_AN}{{40,}}+", "ntn_", "secret_"),
    _token("figma-token", "fig[dor]{1,2}_", f"{_URLSAFE}{{30,}}+", "fig"),
    _token("atlassian-token", "ATATT3", "[A-Za-z0-9_=-]{20,}+"),
    _token("sentry-token", "sntry[su]_", "[A-Za-z0-9_=+/-]{20,}+", "sntry"),
    _token("grafana-token", "gl(?:sa|c)_", "[A-Za-z0-9_=+/-]{20,}+", "glsa_", "glc_"),
    _token("newrelic-key", "NRA[KL]-", f"{_AN}{{20,}}+", "nrak-", "nral-"),
    _token("mailgun-key", "key-", f"{_HEX}{{32}}(?!{_AN})"),
    _pattern("mailchimp-key", rf"{_EDGE}[a-f0-9]{{32}}-us\d{{1,2}}(?!{_AN})", "-us"),
    _token("docker-token", "dckr_(?:pat|oat)_", f"{_URLSAFE}{{20,}}+", "dckr_"),
    _token("supabase-key", "sb(?:p|_secret|_publishable)_", f"{_URLSAFE}{{20,}}+", "sbp_", "sb_"),
    _token("planetscale-token", "pscale_(?:tkn|pw|oauth)_", "[A-Za-z0-9_.=-]{20,}+", "pscale_"),
    _token("postman-key", "PMAK-", f"{_URLSAFE}{{20,}}+"),
    _token("rubygems-key", "rubygems_", f"{_HEX}{{32,}}+"),
    _token("circleci-token", "CCIPAT_", "[A-Za-z0-9_]{20,}+"),
    _token("heroku-key", "HRKU-", f"{_URLSAFE}{{30,}}+"),
    _token("square-token", "sq0(?:atp|csp|idp)-", f"{_URLSAFE}{{20,}}+", "sq0"),
    _token("terraform-token", rf"{_AN}{{14}}\.atlasv1\.", f"{_URLSAFE}{{40,}}+", ".atlasv1."),
    _token("fly-token", "(?:fo1_|fm[12]r?_)", "[A-Za-z0-9_+/=,-]{40,}+", "fo1_", "fm1", "fm2"),
    _token("airtable-token", "pat", rf"{_AN}{{14}}\.{_HEX}{{40,}}+"),
    _token("cloudflare-token", r"v1\.0-", rf"{_HEX}{{24}}-{_HEX}{{100,}}+", "v1.0-"),
)

_CONTEXTS = (
    # Each URL with a password: of a database, a queue, a repository.
    _pattern(
        "url-password",
        r"://[^\s:/@?#\"'<>`]{0,128}+:(?P<secret>[^\s/\"'<>`]{1,256})@(?=[\w\[.$-])",
        "://",
        need="value",
    ),
    _pattern(
        "azure-key",
        r"(?:AccountKey|SharedAccessKey|SharedAccessSignature|EntityPath)\s{0,2}=\s{0,2}"
        r"(?P<secret>[A-Za-z0-9+/=%&_.-]{16,}+)",
        "accountkey",
        "sharedaccess",
        flags=re.IGNORECASE,
    ),
    _pattern("azure-key", r"[?&]sig=(?P<secret>[A-Za-z0-9%+/=_-]{20,}+)", "sig="),
    _pattern(
        "bearer-token",
        r"\bbearer[ \t]{1,4}(?P<secret>[A-Za-z0-9._~+/=-]{12,}+)",
        "bearer",
        need="mixed",
        flags=re.IGNORECASE,
    ),
    _pattern(
        "basic-auth",
        r"authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?basic[ \t]{1,4}"
        r"(?P<secret>[A-Za-z0-9+/=]{8,}+)",
        "basic",
        flags=re.IGNORECASE,
    ),
    _pattern(
        "basic-auth",
        r"\bcurl\b[^\n]{0,200}?\s(?:-u|--user)[ =]?[\"']?[\w.@+-]{1,64}+:"
        r"(?P<secret>[^\s\"']{4,128}+)",
        "curl",
        need="value",
    ),
    _pattern(
        "url-token",
        r"[?&](?:access_token|api_?key|apikey|auth|token|key|secret|password|signature)="
        r"(?P<secret>[A-Za-z0-9._~%+/=-]{12,}+)",
        "?",
        "&",
        need="mixed",
        flags=re.IGNORECASE,
    ),
)

_NAMES_PASSWORD = "password|passwd|passphrase|passwort|pwd"
_NAMES_SECRET = (
    "secret|token|api[_-]?key|apikey|access[_-]?key|secret[_-]?key|private[_-]?key|auth[_-]?key"
    "|account[_-]?key|signing[_-]?key|encryption[_-]?key|master[_-]?key|credentials?"
)
_IS = r"(?:\\?[\"'])?\s{0,3}(?:=>|:=|[:=])\s{0,3}"


def _assigned(kind: str, names: str, bare: str, need: str) -> tuple[Rule, ...]:
    needles = tuple(sorted({re.split(r"\[|\?", name)[0] for name in names.split("|")}))
    quoted = "(?:\\\\?\"|\\\\?')(?P<secret>[^\\s\"'\\\\]{6,400}+)(?=\\\\?[\"'])"
    return (
        _pattern(kind, f"(?:{names}){_IS}{quoted}", *needles, need="value", flags=re.IGNORECASE),
        _pattern(
            kind, f"(?:{names}){_IS}(?P<secret>{bare})", *needles, need=need, flags=re.IGNORECASE
        ),
    )


_ASSIGNMENTS = (
    *_assigned("password", _NAMES_PASSWORD, r"[^\s\"'`,;(){}\[\]<>|]{6,200}+", "value"),
    *_assigned("secret", _NAMES_SECRET, r"[A-Za-z0-9+/=_.~!@#%^&*-]{10,400}+", "mixed"),
)

RULES: tuple[Rule, ...] = (*_BLOCKS, *_TOKENS, *_CONTEXTS, *_ASSIGNMENTS)
