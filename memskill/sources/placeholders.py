"""Tells a secret from what stands in its place: a gap, a variable, a type, a plain word."""

from __future__ import annotations

import re

# `<name>`, `${NAME}`, `{{ name }}`, `$NAME`, `%s`, a call, `your-token`, `xxxx`, `abc...`.
_GAP = re.compile(
    r"[<{$%(\[]|(?:your|my|some|the|an?|example|sample|dummy|fake|placeholder|replace|insert|enter)"
    r"(?:[-_. ]|$)|your[A-Z]|change_?me|redacted|\[REDACTED:",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(r"\.{3}|…|x{3,}|X{3,}|\*{3,}|-{3,}|_{3,}")
# `self.token1`, `process.env.API_KEY`, `config.db.password2`: a look-up in code.
_LOOKUP = re.compile(r"[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+[;,]?", re.ASCII)
# Words and identifiers without a digit, however they are joined.
_WORDS = re.compile(r"[A-Za-z]+(?:[ _./-][A-Za-z]+)*[.;:!?_-]?", re.ASCII)
_STAND_INS = frozenset(
    word
    for line in (
        "pass passwd password passwort passphrase pw pwd secret token user username string str",
        "text required optional hidden none null nil true false undefined unset empty default",
        "value varchar bytes prompt",
    )
    for word in line.split()
)


def looks_given(value: str) -> bool:
    """Tell whether a value was filled in: neither a gap nor a word that stands for one."""
    return not (
        _GAP.match(value) or _ELLIPSIS.search(value) or value.strip(".,;").lower() in _STAND_INS
    )


def looks_valued(value: str) -> bool:
    """Tell whether a filled-in value is no plain word, identifier or look-up either."""
    return looks_given(value) and not (_WORDS.fullmatch(value) or _LOOKUP.fullmatch(value))


def looks_mixed(value: str) -> bool:
    """Tell whether a filled-in value mixes letters and digits, as keys do and prose does not."""
    return (
        looks_valued(value) and any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    )
