"""A skill's two matched fields as clauses: what it is for, and what it sends away.

A negative clause ("Not for ...", "... is handled by other-skill") names tasks that the skill
must not get, in the very words of those tasks; so it leaves the text that is matched and is kept
apart as evidence against. All functions are pure and linear in the length of their input.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from memskill.records import Clause, Field, Polarity
from memskill.sources.polarity import is_negative, is_routing, opens_positive

# No encoder reads farther than about 1,500 characters; what lies beyond this is left out.
MAX_CHARS = 20_000
# A longer run without a sentence end is cut at a space, so that no pattern sees more.
MAX_SEGMENT = 2_000
# Each clause costs one vector; real skills have a handful, p99 is below this.
MAX_CLAUSES = 64
_MIN_PART_WORDS = 3

_SPACE = re.compile(r"\s+")
# A sentence ends at .!? before a space, at their full-width forms, at a semicolon or a bullet.
_SENTENCE_END = re.compile(
    r"(?<=[.!?])[\"')\]”’]? +(?=\S)|(?<=[。!?；])|(?<=;) | [•●▪] | - (?=[A-Z])"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|approx|incl|no|dr|mr|ms|inc)\.|\b[A-Z]\.)$", re.I
)
# Places inside a sentence where an exclusion starts.
_TURN = re.compile(
    r"(?:, | ?[—–(] ?| - | )(?=(?:please |but |and )?"
    r"(?:(?:is |are )?not (?:for|when|intended|meant|suitable)\b"
    r"|(?:do not|don't|never|must not) (?:use|trigger|invoke|activate|apply|call|load)\b"
    r"|(?:excluding|except(?: for| when| if)?|unless it is)\b))",
    re.I,
)
_PART = re.compile(
    r",? (?:or|and|and/or|also) (?=(?:when|whenever|if|for when|after|before|while)\b)"
    r"|,? ?\(\d{1,2}\) |,? ?\b\d{1,2}\) ",
    re.I,
)
_CUE = re.compile(
    r"^(?:also |always |only |proactively |automatically |must )*(?:be )?"
    r"(?:use|used|trigger|triggers|invoke|activate|activates|apply|applies|call|load|run"
    r"|reach for)?"
    r"(?: this| the)?(?: skill| tool| agent| command| it| me)?(?: proactively| automatically)?[ :]*"
    r"(?:when|whenever|if|for|on|after|before|once)(?: (?:the )?(?:user|users|someone|somebody|you)"
    r"(?: (?:says?|asks?(?: for| to| about)?|wants?(?: to)?|needs?(?: to)?|mentions?))?)?\b[ :]*",
    re.I,
)
_QUOTED = re.compile(
    r"\"([^\"\n]{3,160})\"|“([^”\n]{3,160})”|「([^」\n]{2,160})」|«([^»\n]{3,160})»"
    r"|(?<![\w'])'(?! )((?:[^'\n]|(?<=\w)'(?=\w)){3,160})'(?!\w)"
)


class _Segment(NamedTuple):
    text: str
    negative: bool


def split_clauses(description: str, when_to_use: str) -> list[Clause]:
    """Return the clauses of both fields in reading order, at most `MAX_CLAUSES`.

    Every sentence is a clause; a positive one also yields its "or when" parts, its enumerated
    situations and its quoted phrases. Equal texts of one field and polarity appear once.
    """
    found: dict[tuple[Field, Polarity, str], str] = {}
    fields: tuple[tuple[Field, str], ...] = (
        ("description", description),
        ("when_to_use", when_to_use),
    )
    for field, text in fields:
        for segment in _segments(text):
            polarity: Polarity = "negative" if segment.negative else "positive"
            for part in _parts(segment):
                found.setdefault((field, polarity, part.casefold()), part)
    items = list(found.items())[:MAX_CLAUSES]
    return [
        Clause(field=field, polarity=polarity, ordinal=ordinal, text=text)
        for ordinal, ((field, polarity, _), text) in enumerate(items)
    ]


def positive_text(description: str, when_to_use: str) -> str:
    """Return both fields as one line without their negative clauses.

    This is the text that is encoded and reranked. A skill that only says what it is not for
    keeps its whole text: there is nothing else to match it by.
    """
    whole = [*_segments(description), *_segments(when_to_use)]
    kept = [segment.text for segment in whole if not segment.negative]
    return " ".join(kept or [segment.text for segment in whole])


def _segments(text: str) -> list[_Segment]:
    """Return the sentences of a text with their polarity, one blank between any two words."""
    sentences = _sentences(_SPACE.sub(" ", text[:MAX_CHARS]).strip())
    segments: list[_Segment] = []
    for number, sentence in enumerate(sentences):
        turned = _turns(sentence)
        for place, piece in enumerate(turned):
            # After a semicolon an exclusion goes on until something new is said.
            goes_on = bool(segments) and segments[-1].negative and segments[-1].text.endswith(";")
            negative = place > 0 or is_negative(piece, first=number == 0)
            negative = negative or (goes_on and not opens_positive(piece))
            segments.append(_Segment(piece, negative))
    for place in range(len(segments) - 1):
        # "Looking for X? Go to other-skill": the question belongs to its answer.
        asks = segments[place].text.endswith("?") and not opens_positive(segments[place].text)
        if asks and segments[place + 1].negative and is_routing(segments[place + 1].text):
            segments[place] = _Segment(segments[place].text, True)
    return segments


def _sentences(text: str) -> list[str]:
    out: list[str] = []
    start = 0
    for end in _SENTENCE_END.finditer(text):
        if _ABBREVIATION.search(text, max(start, end.start() - 8), end.start()):
            continue
        # A closing quote or bracket that the pattern took along stays with its sentence.
        out.append(text[start : end.start()] + end.group().strip(" •●▪-"))
        start = end.end()
    out.append(text[start:])
    return [piece for sentence in out for piece in _bounded(sentence.strip()) if piece]


def _bounded(sentence: str) -> list[str]:
    """Return a sentence in pieces of at most `MAX_SEGMENT` characters, cut at spaces."""
    pieces: list[str] = []
    while len(sentence) > MAX_SEGMENT:
        cut = sentence.rfind(" ", 1, MAX_SEGMENT)
        cut = cut if cut > 0 else MAX_SEGMENT
        pieces.append(sentence[:cut].strip())
        sentence = sentence[cut:].strip()
    return [*pieces, sentence]


def _turns(sentence: str) -> list[str]:
    """Return a sentence cut where it turns to what it is not for; the first piece may be all."""
    turn = _TURN.search(sentence)
    if turn is None or turn.start() == 0:
        return [sentence]
    head, tail = sentence[: turn.start()].rstrip(" ,"), sentence[turn.end() :].strip()
    if not head or not tail or head.casefold() == "please":
        return [sentence]
    # "Use X (not for Y) to do Z" goes on after the bracket.
    if turn.group().strip() == "(" and ")" in tail:
        inside, rest = tail.split(")", 1)
        rest = rest.strip(" ,")
        if len(rest) > 1:
            return [f"{head} {rest}", inside]
        return [head, inside]
    return [head, tail]


def _parts(segment: _Segment) -> list[str]:
    """Return a sentence, its parts and its quoted phrases, whole sentence first."""
    text = segment.text.strip(" ;,")
    if segment.negative:
        return [text] if len(text) > 1 else []
    parts = [text]
    pieces = [piece.strip(" ;,.:") for piece in _PART.split(text)]
    if opens_positive(text):
        pieces = [item for piece in pieces for item in _enumeration(piece)]
    if len(pieces) > 1:
        parts += [piece for piece in pieces if len(piece.split()) >= _MIN_PART_WORDS]
    for match in _QUOTED.finditer(text):
        parts.append(next(group for group in match.groups() if group).strip(" ,.;"))
    bare = [part.strip("\"'“”` ") if part is not text else part for part in parts]
    return [part for part in bare if len(part) > 1]


def _enumeration(piece: str) -> list[str]:
    """Return the situations of "Use when A, B, or C" one by one, without their opening words."""
    body = piece[cue.end() :] if (cue := _CUE.match(piece)) else piece
    items = [re.sub(r"^(?:or|and) ", "", item.strip()) for item in _outside_quotes(body)]
    long = [item for item in items if len(item.split()) >= _MIN_PART_WORDS]
    return long if len(long) > 1 else [body]


def _outside_quotes(text: str) -> list[str]:
    """Return a text cut at the commas that stand outside quotes and brackets."""
    out: list[str] = []
    start, depth, quoted = 0, 0, False
    for place, char in enumerate(text):
        if char in '"“”':
            quoted = not quoted
        elif char in "([":
            depth += 1
        elif char in ")]":
            depth = max(0, depth - 1)
        elif char == "," and not quoted and depth == 0:
            out.append(text[start:place])
            start = place + 1
    return [*out, text[start:]]
