"""The things in a text that can be run, opened, fetched or installed."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memskill.draft import forms
from memskill.draft.hostile import defuse
from memskill.draft.markdown import parse_blocks

_URL = re.compile(r"\b(?:https?|ftp|ssh|git|s3|gs|file)://[^\s)>\]\"'`|]{1,500}")
_PATH = re.compile(
    r"(?<![\w/.:])(?:~|\.{1,2})?/[\w.@+-]+(?:/[\w.@+*-]+)*/?"
    r"|(?<![\w/.-])[\w@-][\w.@-]*(?:/[\w.@-]+)*\.(?:ya?ml|json|jsonl|toml|ini|cfg|conf|env|sql|py|sh|js|ts|"
    r"go|rs|rb|java|md|txt|log|csv|parquet|xml|service|lock|pem|key|db)\b"
)
_VERSION = re.compile(r"(?<![\w.:/-])v?\d{1,5}(?:\.\d{1,5}){1,3}(?:[-+][\w.]{1,20})?(?![\w/:-])")
_PLACEHOLDER = re.compile(
    r"<[^<>\s][^<>]{0,60}>|\{[a-z][a-z0-9_-]{0,40}\}|\$\{?[A-Z][A-Z0-9_]{1,40}\}?"
)
_PROMPT = re.compile(r"^(?:[$%>#]|\w+@[\w-]+:[^$#]{0,60}[$#])\s+(?=\S)")
_MAX_FACTS = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Commands and code, paths, URLs and versions, each once and in order."""

    commands: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    versions: tuple[str, ...] = ()


def facts_of(line: str, *, code: bool = False) -> Facts:
    """Return the facts of one line; a line of a code block is a command as a whole."""
    if code:
        bare = line.strip()
        comment = bare.startswith(("#", "//", "--")) and not bare.startswith("#!")
        return Facts(commands=() if comment or not bare else (_PROMPT.sub("", bare),))
    spans = forms.spans(line)
    prose = forms.SPAN.sub(" ", line)
    urls = tuple(found[0].rstrip(".,;:!?") for found in _URL.finditer(prose))
    prose = _URL.sub(" ", prose)
    paths = tuple(found[0].rstrip(".,;:") for found in _PATH.finditer(prose))
    versions = tuple(found[0] for found in _VERSION.finditer(_PATH.sub(" ", prose)))
    return Facts(commands=tuple(spans), paths=paths, urls=urls, versions=versions)


def facts_of_note(text: str) -> Facts:
    """Return what a draft of this note may use; at most 200 of each kind."""
    found: dict[str, list[str]] = {"commands": [], "paths": [], "urls": [], "versions": []}
    for block in parse_blocks(text):
        for line in block.text.split("\n"):
            facts = facts_of(line, code=block.kind == "code")
            for kind, kept in found.items():
                kept += getattr(facts, kind)
    return Facts(**{kind: tuple(dict.fromkeys(kept))[:_MAX_FACTS] for kind, kept in found.items()})


def normal(text: str) -> str:
    """Return a text with its white space collapsed, followed by its harmless form."""
    return " ".join(text.split()) + "\n" + " ".join(defuse(text).split())


def occurs(fact: str, note: str) -> bool:
    """Say whether a fact stands in a `normal` note.

    A placeholder in the fact (`<date>`, `{date}`, `$DATE`) stands for any one word of the note:
    that is how a command of one day becomes a command for every day.
    """
    wanted = " ".join(fact.split())
    if wanted in note:
        return True
    fragments = _PLACEHOLDER.split(wanted)
    if len(fragments) == 1 or not any(fragment.strip() for fragment in fragments):
        return False
    if sum(len(fragment.strip()) for fragment in fragments) < 4:
        return False
    return bool(re.search(r"[^\s`]{1,80}".join(map(re.escape, fragments)), note))
