"""Takes secrets out of text before it is hashed, stored, shown or sent to a model."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator

from memskill.records import Redactions
from memskill.sources.redact_rules import Rule, block_rules, line_rules

# Raise it with every change of the rules: what was stored under an older one is looked at again.
REDACTOR_VERSION = 2

_MARK = re.compile(r"\[REDACTED:[a-z0-9-]{1,40}\]")
_LONGEST_MARK = 52
# A replacement can open a new edge for another rule; two rounds settle all but built cases.
_MAX_ROUNDS = 8
# Lines are looked at in pieces of about this many characters: most pieces hold no needle.
_PIECE_CHARS = 4_096
_RANDOM = "high-entropy"
_RUN = re.compile(r"[A-Za-z0-9+/_-]{32,}+={0,2}+")
_LONGEST_KEY = 512
# Bits a character, of the run's own distribution: 32 characters of random base64 have about
# 4.5, English words written together about 3.6.
_LEAST_ENTROPY = 3.9
_SYLLABLE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+")
# Digests, public keys and inline data, told by what stands right before the run.
_SPARED_BEFORE = re.compile(
    r"(?:base64,|sha(?:1|224|256|384|512)[-:=]|h1:|ssh-[a-z0-9-]{2,20} |ecdsa-[a-z0-9-]{2,30} )\Z"
)
# Identifiers that services hand out in plain sight, of messages, calls and runs; digests.
_PUBLIC_ID = re.compile(
    r"(?:[a-z]{2,8}_)?(?:msg|toolu|tool|call|req|resp|run|chatcmpl|thread|step|file|asst|evt|rs|fc"
    r"|session|conv|org|proj|user)[_-]|sha(?:1|224|256|384|512)-"
)


def redact(text: str) -> Redactions:
    """Return `text` with each secret as `[REDACTED:kind]`, and how many of each kind.

    Shapes of known tokens go first (`redact_rules`), then long runs that look random; git and
    SHA digests, UUIDs, paths, identifiers and inline images stay. Redacting again changes
    nothing. Takes time linear in the text. The counts never hold a value.
    """
    counts: Counter[str] = Counter()
    text = _apply_all(block_rules(), text, counts)
    for _ in range(_MAX_ROUNDS):
        text = "".join(_settled(piece, counts) for piece in _pieces(text))
        again = _apply_all(block_rules(), text, counts)
        if again == text:
            break
        text = again
    return Redactions(text=text, counts=dict(sorted(counts.items())))


def _pieces(text: str) -> Iterator[str]:
    """Yield `text` in pieces that end at a line's end; no line rule looks beyond one."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _PIECE_CHARS) + 1 or len(text)
        yield text[start:end]
        start = end


def _settled(text: str, counts: Counter[str]) -> str:
    """Return `text` redacted until nothing changes."""
    for _ in range(_MAX_ROUNDS):
        redacted = _apply_all(line_rules(), text, counts)
        redacted = _RUN.sub(lambda found: _random_run(found, counts), redacted)
        if redacted == text:
            break
        text = redacted
    return text


def _apply_all(rules: tuple[Rule, ...], text: str, counts: Counter[str]) -> str:
    lower = fold(text)
    for rule in rules:
        subject = lower if rule.any_case else text
        if any(needle in subject for needle in rule.needles):
            redacted = _apply(rule, text, subject, counts)
            if redacted is not text:
                text, lower = redacted, fold(redacted)
    return text


def fold(text: str) -> str:
    """Return `text` in lower case with every character at its place.

    U+0130 is the one character whose lower case is longer than itself.
    """
    return text.replace("\u0130", "i").lower()


def _apply(rule: Rule, text: str, subject: str, counts: Counter[str]) -> str:
    """Return `text` with what the rule finds in `subject`, its twin of equal length, replaced."""
    group = "secret" if "secret" in rule.pattern.groupindex else 0
    parts: list[str] = []
    done = at = 0
    while found := rule.pattern.search(subject, at):
        start, end = found.span(group)
        # What is no secret may be the name of one: "token: client-secret: ...".
        at = max(start, found.start() + 1) if group else end
        if _meets_mark(text, start, end) or (rule.accepts and not rule.accepts(text[start:end])):
            continue
        counts[rule.kind] += 1
        parts += (text[done:start], f"[REDACTED:{rule.kind}]")
        done = at = end
    return "".join((*parts, text[done:])) if parts else text


def _meets_mark(text: str, start: int, end: int) -> bool:
    """Tell whether a stretch shares a character with a mark: what is gone goes no second time."""
    near = _MARK.finditer(text, max(start - _LONGEST_MARK, 0), end + _LONGEST_MARK)
    return any(mark.start() < end and mark.end() > start for mark in near)


def _random_run(found: re.Match[str], counts: Counter[str]) -> str:
    run = found[0]
    if len(run) > _LONGEST_KEY or not looks_random(run) or _PUBLIC_ID.match(run):
        return run
    if _SPARED_BEFORE.search(found.string[max(found.start() - 40, 0) : found.start()]):
        return run
    counts[_RANDOM] += 1
    return f"[REDACTED:{_RANDOM}]"


def looks_random(run: str) -> bool:
    """Tell whether a run of base64 characters looks drawn by chance, as a key is.

    It needs a digit, both cases, 3.9 bits a character, and short syllables: identifiers, paths
    and names fall into words, where a random run changes kind at almost each character.
    """
    core = run.strip("=_-/+")
    if len(core) < 32 or core.islower() or core.isupper() or not any(c.isdigit() for c in core):
        return False
    syllables = _SYLLABLE.findall(core)
    # Words of at least four letters that make up near half of it are not chance.
    worded = sum(len(s) for s in syllables if len(s) >= 4 and s.isalpha() and not s.isupper())
    if worded > 0.45 * len(core) or len(core) > 3.6 * len(syllables):
        return False
    return _entropy(core) >= _LEAST_ENTROPY


def _entropy(text: str) -> float:
    """Return Shannon's entropy of the characters of `text`, in bits a character."""
    total = len(text)
    return -sum(n / total * math.log2(n / total) for n in Counter(text).values())
