"""Takes secrets out of text before it is hashed, stored, shown or sent to a model."""

from __future__ import annotations

import math
import re
from collections import Counter

from memskill.records import Redactions
from memskill.sources.redact_rules import RULES, Rule

# Raise it with every change of the rules: what was stored under an older one is looked at again.
REDACTOR_VERSION = 1

_MARK = re.compile(r"\[REDACTED:[a-z0-9-]{1,40}\]")
# A replacement can open a new edge for another rule; two rounds settle all but built cases.
_MAX_ROUNDS = 6
_RANDOM = "high-entropy"
_RUN = re.compile(r"[A-Za-z0-9+/=_-]{32,}+")
_LONGEST_KEY = 512
# Bits a character, of the run's own distribution: 32 characters of random base64 have about
# 4.5, English words written together about 3.7.
_LEAST_ENTROPY = 4.0
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
# Digests, public keys and inline data, told by what stands right before the run.
_SPARED_BEFORE = re.compile(
    r"(?:base64,|sha(?:1|224|256|384|512)[-:=]|h1:|ssh-[a-z0-9-]{2,20} |@)\Z"
)


def redact(text: str) -> Redactions:
    """Return `text` with each secret as `[REDACTED:kind]`, and how many of each kind.

    Shapes of known tokens go first (`redact_rules`), then long runs that look random; git and
    SHA digests, UUIDs, paths, identifiers and inline images stay. Redacting again changes
    nothing. Takes time linear in the text. The counts never hold a value.
    """
    counts: Counter[str] = Counter()
    for _ in range(_MAX_ROUNDS):
        redacted = _once(text, counts)
        if redacted == text:
            break
        text = redacted
    return Redactions(text=text, counts=dict(sorted(counts.items())))


def _once(text: str, counts: Counter[str]) -> str:
    lower = text.lower()
    for rule in RULES:
        if any(needle in lower for needle in rule.needles):
            text = _apply(rule, text, counts)
    return _RUN.sub(lambda found: _random_run(found, counts), text)


def _apply(rule: Rule, text: str, counts: Counter[str]) -> str:
    group = "secret" if "secret" in rule.pattern.groupindex else 0

    def replace(found: re.Match[str]) -> str:
        secret = found[group]
        if _MARK.search(secret) or not rule.accepts(secret):
            return found[0]
        counts[rule.kind] += 1
        start, end = (at - found.start() for at in found.span(group))
        return f"{found[0][:start]}[REDACTED:{rule.kind}]{found[0][end:]}"

    return rule.pattern.sub(replace, text)


def _random_run(found: re.Match[str], counts: Counter[str]) -> str:
    run = found[0]
    before = found.string[max(found.start() - 40, 0) : found.start()]
    if len(run) > _LONGEST_KEY or not looks_random(run) or _SPARED_BEFORE.search(before):
        return run
    counts[_RANDOM] += 1
    return f"[REDACTED:{_RANDOM}]"


def looks_random(run: str) -> bool:
    """Tell whether a run of base64 characters looks drawn by chance, as a key is.

    It needs a digit, both cases, 4 bits a character, and short pieces: identifiers, paths and
    names fall into words, where a random run changes kind at almost each character.
    """
    core = run.strip("=_-/+")
    if len(core) < 32 or not re.search(r"[A-Z].*[a-z]|[a-z].*[A-Z]", core) or core.isalpha():
        return False
    pieces = _PIECE.findall(core)
    # A word of at least four letters in every twelve characters is not chance.
    lettered = sum(len(p) for p in pieces if len(p) >= 4 and p.isalpha() and not p.isupper())
    if lettered * 3 > len(core) or len(core) / max(len(pieces), 1) > 3.2:
        return False
    return _entropy(core) >= _LEAST_ENTROPY


def _entropy(text: str) -> float:
    """Return Shannon's entropy of the characters of `text`, in bits a character."""
    total = len(text)
    return -sum(n / total * math.log2(n / total) for n in Counter(text).values())
