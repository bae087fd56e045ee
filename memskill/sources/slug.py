"""The folder name of a draft, made from its node's address."""

from __future__ import annotations

import hashlib
import re
import unicodedata

MAX_SLUG = 64
_HASH_DIGITS = 8
# Names that skill hosts reserve for their makers (the agentskills rules of the Skills API).
_RESERVED = (("claude", "assistant"), ("anthropic", "vendor"))
# Windows refuses these as folder names, with or without an extension.
_DEVICES = frozenset(
    ("con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in range(10)))
)


def slug(project: str, query_id: str) -> str:
    """Return `<project>-<query-id>` as a skill name: `^[a-z0-9]+(-[a-z0-9]+)*$`, at most 64 long.

    Accents are dropped, every other run becomes one hyphen, a part that leaves nothing becomes a
    short hash of itself, and a name that is too long ends in a hash of the whole address. Two
    addresses may share a slug; the publisher tells them apart.
    """
    name = "-".join(_ascii(part) or _short_hash(part) for part in (project, query_id))
    for word, instead in _RESERVED:
        name = name.replace(word, instead)
    if len(name) > MAX_SLUG:
        kept = name[: MAX_SLUG - _HASH_DIGITS - 1].rstrip("-")
        name = f"{kept}-{_short_hash(f'{project}/{query_id}')}"
    return f"{name}-note" if name in _DEVICES else name


def _ascii(text: str) -> str:
    """Return the lower-case ASCII letters and digits of `text`, hyphens between the runs."""
    # casefold before NFKD turns the sharp s into two letters; NFKD splits accents off.
    decomposed = unicodedata.normalize("NFKD", text.casefold())
    bare = "".join(c for c in decomposed if not unicodedata.combining(c))
    return re.sub(r"[^a-z0-9]+", "-", bare.lower()).strip("-")


def _short_hash(text: str) -> str:
    # surrogatepass: an address is any text at all here, even one that no file could hold.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_DIGITS]
