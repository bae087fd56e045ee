"""The sentence forms that `sentences` tells apart, as patterns; all are linear in their input."""

from __future__ import annotations

import re

SPAN = re.compile(r"`[^`\n]*`")
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs|approx|resp|cf|no|[ap]\.m|incl)\.$", re.I)
SENTENCE_END = re.compile(r"[.!?][\"')\]*_]{0,4}\s+(?=[\"'(\[*_`]{0,4}[A-Z0-9`])")

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
LEAD = re.compile(
    r"^(?:(?:and|but|so|then|next|now|first|second|third|finally|lastly|afterwards?|later|"
    r"instead|eventually|meanwhile|again|once more|after that|in the end|at last|from there|"
    r"in practice|step \d{1,3}|first of all|to start|to begin with|please|always|only then|"
    rf"(?:on|by|last|this|the next) {_DAY}(?: \w+)?|yesterday|"
    r"(?:on|at|around|by) (?:about )?\d[\d:./-]{0,12}(?: ?[ap]\.?m\.?)?(?: utc)?|"
    r"(?:this|the next|that) (?:morning|afternoon|evening|night|week|time)|"
    r"last (?:week|month|night|time)|(?:a few|\w{1,12}) (?:minutes|hours|days) later)"
    r"(?:[,:]\s*|\s+)){1,6}",
    re.I,
)
# "To drain a node, run ..." and "On `node-07` we ran ...": what stands before the doing.
PREFIX = re.compile(
    r"^(?:to|on|in|from|for|with|before|after|while|using|as|when)\b"
    r"(?:(?: [^\s,;:]{1,60}){1,9}? (?=(?:we|i)\b)| [^,.;:]{2,90},\s+)",
    re.I,
)
MODAL = re.compile(
    r"^(?:you|we|one|the operator|the on-call) (?:must|should|need to|have to|has to|can|may|"
    r"want to|will need to)(?: now| then| also| first)? (?=\w)",
    re.I,
)
_NAMES_OF_FIX = (
    r"fix|remedy|cure|solution|answer|trick|way (?:out|round|around)|workaround|procedure|"
    r"only thing that (?:worked|helped)"
)
FIX = re.compile(rf"^(?:the |our )?(?:{_NAMES_OF_FIX})(?: \w+){{0,3}}? (?:was|is) to (?=\w)", re.I)
WORKED = re.compile(
    r"^what (?:finally |actually |really )?(?:worked|works|helped|helps|fixed it)(?: \w+){0,2}? "
    r"(?:was|is)(?: to)? (?=\w)",
    re.I,
)
PERSON = re.compile(
    r"^(?:we|i|they|she|he|(?:the |our )?(?:on-call|team|operator|engineer|sre|dba)(?: engineer| "
    r"on call| on duty)?)(?: had)?(?: then| also| just| first| finally| simply| manually| "
    r"quickly){0,2} (?=[\w-])",
    re.I,
)
NOUN_AFTER = re.compile(r"^(?:is|are|was|were|has|had|have|do|does|did|happens?)$", re.I)
PITFALL = re.compile(
    r"^(?:never|do not|don't|avoid|beware|be careful|careful|watch out|resist)\b|"
    r"\b(?:must not|must never|should not|should never|shouldn't|made (?:it|things) worse|makes "
    r"(?:it|things) worse|did(?: not|n't) help|does(?: not|n't) help|no use|not a fix|gotcha|"
    r"pitfall|dead end|cost us|in another order|differently next time|"
    r"we should have)\b",
    re.I,
)
CHECK_PURPOSE = re.compile(
    r"^to (?:check|verify|confirm|prove|be (?:sure|certain)|make sure|see (?:that|whether|if))\b",
    re.I,
)
CHECK = re.compile(
    r"\b(?:should (?:now )?(?:show|print|read|return|say|be|report|list|answer|come back|drop|"
    r"fall|climb|stay|reach|see|match|contain)|(?:has|have|must|needs?) (?:to )?(?:now )?"
    r"(?:be|agree|fit|show|match|read|say|print|return|equal)|(?:is|was|are) done when|"
    r"(?:it )?work(?:s|ed) (?:if|when)|know (?:that )?it (?:worked|is done)|expect(?:ed)? "
    r"(?:to see|output))\b|^wait (?:until|for|till)\b",
    re.I,
)
# What is seen right after a step tells that it worked.
SEEN_AFTER = re.compile(
    r"\b(?:again|now|within|afterwards|no longer|went through|came back|recovered|(?:dropped|fell|"
    r"down|up) to|then took|never went|at once|showed|said|stood at|there was one)\b",
    re.I,
)
CONDITION = re.compile(r"^(?:if|when|whenever|unless|in case|once)\b", re.I)
AND_VERB = re.compile(
    r"(?:,? and then|,? then|,? and finally|,? and|;|,) (?:(?:we|i) )?(?:also |then )?"
    r"(?=(?P<verb>[a-z][a-z-]{1,20})\b)"
)
AND_RESULT = re.compile(
    r",? and (?=(?:got|saw|found|it|this|both|nothing|there|the \w+ (?:came|went|fell|was|were))\b)"
)
# The object is named in the sentence before.
PRONOUN = re.compile(r"^[\w-]+ (?:it|them|this|these|those)\b", re.I)
# What stands before a code span that quotes a message, not a command.
MESSAGE_BEFORE = re.compile(
    r"(?:\b(?:said|says|say|text|errors?|message|messages|complain(?:s|ed)|page after page of)\b"
    r"[^`]{0,25}|\b(?:fail\w*|answered|answers|died|dies|rejected|filled|ended|refused|hung|stuck)"
    r" (?:with|on|in|always with|, always with)\b[^`]{0,10}|, always with )$",
    re.I,
)
WARNS = re.compile(r"^(?:never|do not|don't|avoid|beware|be careful|careful|watch out)\b", re.I)
SQL = re.compile(
    r"^(?:select|insert|update|delete|alter|create|drop|set|with|vacuum|analyze|explain|copy|"
    r"grant|revoke|truncate|call|pragma|show)\b.*(?:[=(*;]|\bfrom\b|\btable\b|\binto\b)",
    re.I | re.S,
)


def spans(text: str) -> list[str]:
    """Return the texts of the inline code spans, in order."""
    return [found[0][1:-1].strip() for found in SPAN.finditer(text) if len(found[0]) > 2]


def looks_like_command(span: str) -> bool:
    """Say whether a code span is something to run, by its own look: flag, pipe or SQL."""
    if SQL.match(span):
        return True
    program, _, rest = span.partition(" ")
    if not re.fullmatch(r"[a-z./][\w./+-]{0,60}", program) or not rest:
        return False
    return bool(re.search(r"(?:^| )--?[a-zA-Z]|[|>]|(?:^| )[\w.-]*/[\w.-]", rest))
