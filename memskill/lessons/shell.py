"""A command line as its segments: what runs, in which order, and whose status counts.

A tolerant reader, not a shell: quotes, substitutions and here-documents are kept together, and
whatever is odd stays one segment. Linear in the length of the text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# No person or agent writes a longer line by hand; the rest would be data.
MAX_CHARS = 20_000
_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w{1,60})\1")
_CONTROL = re.compile(
    r"^(?:(?:if|then|else|elif|do|while|until|time|!|\{|\()\s+|for \w+ in [^;\n]{0,200};?\s*)+"
)
_ENDS = frozenset(("fi", "done", "esac", "}", ")", ""))
_NAMES = {"\n": ";", ";;": ";", "|&": "|"}
_OPERATORS = ("&&", "||", ";;", "|&", ";", "|", "&", "\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One simple command of a line."""

    text: str
    # What stands before it: "", "&&", "||", ";", "|" or "&"; a line's end counts as ";".
    operator: str


def split_segments(command: str) -> list[Segment]:
    """Return the simple commands of a line in order; without any, an empty list."""
    segments: list[Segment] = []
    operator = ""
    for text, following in _pieces(command[:MAX_CHARS]):
        bare = _CONTROL.sub("", text.strip()).strip()
        if bare not in _ENDS and not bare.startswith("#"):
            segments.append(Segment(text=bare, operator=operator if segments else ""))
            operator = following
        elif following != ";":
            operator = following
    return segments


def deciding(segments: list[Segment]) -> list[Segment]:
    """Return the segments whose failure can be the status of the whole line, in order.

    Only the last list of a sequence decides, of a pipeline its last command, and of `a || b` the
    alternative; `set -e` and `pipefail` let the others decide too.
    """
    options = " ".join(s.text for s in segments if s.text.startswith("set "))
    pipefail = "pipefail" in options
    strict = bool(re.search(r"set -\w*e", options))
    kept: list[Segment] = []
    for at, segment in enumerate(segments):
        if (segment.operator in (";", "&") and not strict) or segment.operator == "||":
            kept = []
        piped = at + 1 < len(segments) and segments[at + 1].operator == "|"
        if not piped or pipefail:
            kept.append(segment)
    return kept


def words_of(segment: str) -> list[str]:
    """Return a segment's words, quotes taken off, redirections and here-documents left out."""
    found: list[str] = []
    word, quote, started = "", "", False
    at = 0
    text = _HEREDOC.sub(" ", segment.split("\n", 1)[0] if _HEREDOC.search(segment) else segment)
    while at < len(text):
        char = text[at]
        at += 1
        if quote:
            if char == quote:
                quote = ""
            else:
                word += char
        elif char in "'\"":
            quote, started = char, True
        elif char == "\\" and at < len(text):
            word += text[at]
            started, at = True, at + 1
        elif char.isspace():
            if word or started:
                found.append(word)
            word, started = "", False
        else:
            word += char
    if word or started:
        found.append(word)
    return _without_redirections(found)


def _without_redirections(words: list[str]) -> list[str]:
    kept: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif re.fullmatch(r"(?:\d|&)?(?:>>?|<)(?:&\d)?|\d?>&\d|&>>?", word):
            skip = word.endswith((">", "<"))
        elif not re.match(r"(?:\d|&)?(?:>>?|<)\S", word):
            kept.append(word)
    return kept


def _pieces(text: str) -> list[tuple[str, str]]:
    """Return (text, operator behind it) of each piece between operators outside of quotes."""
    found: list[tuple[str, str]] = []
    start = at = depth = 0
    documents: list[str] = []
    while at < len(text):
        char = text[at]
        if char in "'\"`\\":
            at = _behind_quote(text, at)
        elif char in "()":
            depth = max(depth + (1 if char == "(" else -1), 0)
            at += 1
        elif char == "<" and not depth and (document := _HEREDOC.match(text, at)):
            documents.append(document[2])
            at = document.end()
        elif char == "\n" and documents:
            at = _behind_documents(text, at, documents)
            documents = []
        elif not depth and (operator := _operator(text, at)):
            found.append((text[start:at], _NAMES.get(operator, operator)))
            at += len(operator)
            start = at
        else:
            at += 1
    found.append((text[start:], ";"))
    return found


def _behind_quote(text: str, at: int) -> int:
    """Return the place behind the quoted text, or the escaped character, that starts at `at`."""
    quote = text[at]
    at += 1
    if quote == "\\":
        return at + 1
    while at < len(text) and text[at] != quote:
        if quote == '"' and text.startswith("$(", at):
            at = _closing(text, at + 1)
        elif text[at] == "\\" and quote != "'":
            at += 1
        at += 1
    return at + 1


def _operator(text: str, at: int) -> str:
    if text[at] not in "&|;\n":
        return ""
    found = next((op for op in _OPERATORS if text.startswith(op, at)), "")
    # `2>&1`, `&>file` and `>|` are redirections.
    if found == "&" and (text[at - 1 : at] in ("<", ">") or text[at + 1 : at + 2] == ">"):
        return ""
    return "" if found == "|" and text[at - 1 : at] == ">" else found


def _closing(text: str, at: int) -> int:
    """Return the place of the bracket that closes the one at `at`, or the text's end."""
    depth = 0
    for place in range(at, len(text)):
        if text[place] == "(":
            depth += 1
        elif text[place] == ")":
            depth -= 1
            if depth == 0:
                return place
    return len(text)


def _behind_documents(text: str, at: int, documents: list[str]) -> int:
    """Return the place of the line end behind the last of several here-documents."""
    for name in documents:
        end = re.compile(rf"\n[ \t]*{re.escape(name)}[ \t]*(?=\n|\Z)").search(text, at)
        at = end.end() if end else len(text)
    return at
