"""A failure's symptom and its signature: the line that says what went wrong, and its kind."""

from __future__ import annotations

import re
from collections.abc import Iterable

from memskill.sources.safety import one_line
from memskill.sources.transcripts.values import plain

MAX_SYMPTOM = 200
MAX_SIGNATURE = 160
# Lines of an output that are looked at; an error stands near one of its ends.
_MOST_LINES = 400
# A hook's own verdict stands above what its checks found.
_HOOK = re.compile(
    r"\b(?:pre-commit|pre-push|commit-msg)\b.{0,60}\b(?:failed|rejected|error)|\bhusky - ", re.I
)
# These words choose a line of what is known to be a failure; they never make one.
_STRONG = re.compile(
    r"^\W{0,4}(?:fatal|error|err!|panic|abort|traceback)\b|\b[a-z]\w{0,40}(?:error|exception)\b: "
    r"|command not found|^\*\* \(|\berror(?:\[\w+\]| [A-Z]{1,4}\d+)?: |^npm (?:err!|error) ",
    re.I,
)
_WEAK = re.compile(
    r"\bno such file|permission denied|\bnot found\b|\bcannot\b|\bcan't\b|\bunable to\b|\bfailed\b"
    r"|\brefused\b|\bdenied\b|\binvalid\b|\bunknown\b|\bunrecogni[sz]ed\b|\bmissing\b"
    r"|\bignored by\b|\bdoes not exist\b|\balready exists\b|\bconflict"
    r"|\bnot (?:allowed|supported|installed|a |set)|\bhas not been\b|\bmust be\b|\bexpected\b"
    r"|\brequired\b|\bdoesn't\b|\berrors?\b",
    re.I,
)
# What a harness, a package manager or a debugger prints beside the error.
_NOISE = re.compile(
    r"^(?:npm (?:err!|error) (?:code|errno|path|command|a complete log|lifecycle|workspace"
    r"|location)"
    r"|debugger attached|waiting for the debugger|\(use `node|hint: |\d+ errors?\b"
    r"|traceback \(most)",
    re.I,
)
_PYTHON = re.compile(r"^(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Exit|Interrupt)\b")
_STEPS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"https?://[^\s\"'<>)]+"), "<url>"),
    (re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}"), "<id>"),
    (re.compile(r"\"[^\"]{0,200}\"|'[^']{0,200}'|`[^`]{0,200}`"), "<text>"),
    (re.compile(r"\u2018[^\u2019]{0,200}\u2019"), "<text>"),
    (re.compile(r"(?:~|\.{1,2})?(?:/[\w.@+~-]+){1,30}/?|\b[\w@+-]+(?:/[\w.@+-]+)+"), "<path>"),
    (re.compile(r"\b[\w-]+\.(?:py|js|ts|tsx|jsx|json|ya?ml|toml|exs?|rs|go|java|rb|md|lock|sh|c|h"
                r"|cpp|css|html|sql|tf|cfg|ini|txt)\b(?:[:(]\d+(?:[:,]\d+)?\)?)?"), "<path>"),
    (re.compile(r"\b(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b"), "<hex>"),
    (re.compile(r"\d+(?:[.,:]\d+)*"), "<n>"),
)  # fmt: skip


def symptom_of(output: str) -> str:
    """Return the line of a failure's output that says what went wrong; "" for no output.

    The first line that is shaped like an error, else the first that sounds like one, else the
    last line. Of a Python traceback it is the last line that names an exception.
    """
    # Hooks report their text with the line ends written out.
    lines = plain(output).replace("\\n", "\n").splitlines()
    lines = [line.strip() for line in lines if line.strip()]
    lines = [*lines[:_MOST_LINES], *lines[_MOST_LINES:][-_MOST_LINES:]]
    if any(line.startswith("Traceback (most recent") for line in lines):
        named = [line for line in lines if _PYTHON.match(line)]
        if named:
            return one_line(named[-1])[:MAX_SYMPTOM]
    telling = [line for line in lines if not _NOISE.match(line)]
    for pattern in (_HOOK, _STRONG, _WEAK):
        for at, line in enumerate(telling):
            if pattern.search(line[:500]):
                # "The following paths are ignored:" says little without the first of them.
                more = " ".join(telling[at + 1 : at + 2]) if line.endswith(":") else ""
                return one_line(f"{line} {more}".rstrip(": "))[:MAX_SYMPTOM]
    return one_line((telling or lines or [""])[-1])[:MAX_SYMPTOM]


def first_line(output: str) -> str:
    """Return the first line of an output that is not blank; "" for none."""
    lines = plain(output[:20_000]).splitlines()
    return one_line(next((line for line in lines if line.strip()), ""))[:MAX_SYMPTOM]


def speaks_of_hook(symptom: str) -> bool:
    """Tell whether a commit or push was refused by a hook."""
    return _HOOK.search(symptom) is not None


def signature_of(symptom: str, known: Iterable[str] = ()) -> str:
    """Return a symptom with what differs from case to case left out, in lower case.

    Args:
        symptom: One line.
        known: Names of the branch at work: "<branch>" each.
    """
    text = without_names(symptom, known)
    for pattern, instead in _STEPS:
        text = pattern.sub(instead, text)
    return " ".join(text.lower().split())[:MAX_SIGNATURE]


def without_names(text: str, known: Iterable[str]) -> str:
    """Return `text` with each known name of a branch, where it stands as a word, as `<branch>`."""
    # "main" and "test" are words of messages as well.
    for name in sorted({name for name in known if len(name) >= 4}, key=len, reverse=True):
        if name not in ("main", "master", "test", "tests", "develop"):
            text = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", "<branch>", text)
    return text
