"""Words of a text as terms for lexical evidence.

The same function reads tasks and skills, so all that matters is that two spellings of one word
meet: lower case, no accents, a light stem, no stop words; identifiers fall into their words.
Linear in the length of the text.
"""

from __future__ import annotations

import re
import unicodedata

# One run of Latin letters and digits ("c++" and "c#" stay whole), or one of another script.
_WORD = re.compile(r"[a-z0-9]+(?:\+\+|#)?|[^\W_a-z0-9]+", re.I)
_HUMP = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+")
_VOWEL = re.compile(r"[aeiouy]")
# Longer runs are hashes, base64 or noise; no skill shares them with a task.
_MAX_TERM = 40
_CAMEL_PARTS = 3

STOP_WORDS = frozenset(
    """a about after again all also am an and any are as at be been before being both but by can
    could did do does doing don down each etc few for from further get gets getting give go got
    had has have having he her here hers him his how i if in into is it its just let like ll m
    make makes me more most my need needs no nor not now of off on once one only or other our ours
    out over own please re s same she should so some such t than that the their them then there
    these they this those through to too under until up us use used user users uses using ve very
    want wants was we were what when where whether which while who whom why will with would you
    your yours skill skills task tasks help helps thing things say says asks ask someone
    somebody""".split()
)


def terms(text: str) -> list[str]:
    """Return the terms of a text in reading order, repeats included.

    `create-invoice`, `create_invoice` and `createInvoice` all yield `creat`, `invoic`; a brand of
    two humps ("GitHub") stays whole; Chinese, Japanese and Korean runs yield character pairs.
    """
    plain = "".join(
        char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char)
    )
    found: list[str] = []
    for match in _WORD.finditer(unicodedata.normalize("NFC", plain)):
        word = match.group()
        if len(word) > _MAX_TERM and word.isascii():
            continue
        if _CJK.search(word):
            found.extend(_pairs(word))
            continue
        for part in _humps(word):
            lower = part.casefold()
            if lower not in STOP_WORDS:
                found.append(stem(lower))
    return found


def stem(word: str) -> str:
    """Return a word without its inflection; "writes", "writing" and "write" meet in "writ"."""
    if len(word) <= 3 or not word.isascii() or not word.isalpha():
        return word
    word = _singular(word)
    for ending in ("ing", "ed", "ion", "ly"):
        root = word.removesuffix(ending)
        if root != word and len(root) >= 3 and _VOWEL.search(root):
            if ending == "ion" and root[-1] not in "st":
                continue
            # "planning" -> "plan", but "calling" -> "call".
            if ending in ("ing", "ed") and root[-1] == root[-2] and root[-1] not in "lsz":
                root = root[:-1]
            word = root
            break
    if len(word) > 4 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 5 and word.endswith("sis"):
        return word[:-2]
    # British and American spelling meet: "optimis(e)" -> "optimiz".
    return word[:-2] + "iz" if len(word) > 5 and word.endswith("is") else word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes", "zzes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _humps(word: str) -> list[str]:
    """Return the words of a camel-case identifier, or the word itself."""
    if word.islower() or word.isupper() or not word.isascii() or not word.isalnum():
        return [word]
    humps = _HUMP.findall(word)
    opens_lower = word[0].islower() and all(len(hump) >= _CAMEL_PARTS for hump in humps)
    return humps if len(humps) >= _CAMEL_PARTS or (len(humps) > 1 and opens_lower) else [word]


def _pairs(run: str) -> list[str]:
    """Return the overlapping character pairs of a run without spaces between its words."""
    run = run.casefold()
    return [run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)]
