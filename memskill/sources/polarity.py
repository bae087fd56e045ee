"""Does a sentence of a skill say what it is for, or what it sends away?

Rules, not a model: they must hold for a vault of three skills, and a person must be able to see
why a sentence was left out. Three signs of sending away, from strong to weak: a refusal that
addresses the skill ("Do not use for"), a phrase for limits ("is out of scope"), and another
skill's name where work is handed over ("... is handled by other-skill").
"""

from __future__ import annotations

import re


def _any(*alternatives: str) -> re.Pattern[str]:
    """Return a pattern for any of some alternatives, whatever the case."""
    return re.compile("|".join(alternatives), re.I)


_USE = r"(?:use|trigger|invoke|activate|apply|call|load|select|pick|run)"
_USED = r"be (?:used|triggered|invoked|activated|applied|called|loaded|selected|picked|run)"
_NOT = (
    r"(?:do not|don't|don’t|should not|shouldn't|shouldn’t|must not|mustn't|may not|never|not to"
    r"|cannot|can't)"
)
_SEE = r"(?:use|see|try|prefer|call|choose|pick|load|invoke|go to|reach for|consult|take)"

# Holds wherever it stands, even after "When ...".
_REFUSAL = _any(
    rf"\b{_NOT} (?:ever )?(?:{_USE}|{_USED})\b(?! (?:without|until|any other))",
    r"^(?:this (?:skill|tool) is |it is |it's |is |are )?not (?:for|when|intended|meant|suitable"
    r"|suited|designed|appropriate|applicable|about|the (?:place|right)"
    r"|a (?:replacement|substitute|fit)|to be|where|if|needed)\b",
    r"^(?:but |and )?(?:except(?:ion|ions)?|excluding|excludes?|exclusions?)\b",
    r"\b(?:wrong|poor|bad|too (?:small|big|blunt) a) (?:tool|skill|choice|fit|place)\b",
    rf"\b{_SEE} (?!this)[^,.;]{{1,80}} instead\b(?! of)",
    r"\binstead,? (?:use|see|try|call|go to) (?!this)",
    r"^(?:when not to use|not for|out of scope|limitations?)\b ?:?",
    r"不适用|不用于|不要用|不要使用|请勿|不支持|不包括|对象外|対象外|使わない|使用しない",
    r"^(?:no usar|no utilizar|nicht für|nicht verwenden|ne pas utiliser|pas pour|não use)\b",
)

# "Use when tests are unsupported" is no limit: these count only without a positive opening.
_LIMIT = _any(
    r"\bout(?:side)? (?:of )?(?:(?:its|the|this skill's|my|our) )?"
    r"(?:scope|lane|remit|reach|bounds|area)\b",
    r"\b(?:lie|lies|fall|falls|is|are|stay|stays|remain|remains) (?:well )?(?:outside|beyond)\b",
    r"\boff (?:the table|limits|its map|topic|bounds)\b|\bout$|: (?:out|no)\.?$",
    r"\b(?:is|are|be|being) (?:(?:also|always|strictly|simply|politely|all|both) )?"
    r"(?:refused|excluded|declined|rejected|forbidden|prohibited|unsupported|unwelcome"
    r"|turned (?:down|away)|ruled out|never"
    r"|left (?:out|alone|to (?:others?|other|people|an?|the|another|someone|humans?))"
    r"|not (?:supported|included|covered|handled|offered|done|accepted|part|its|a task|a job"
    r"|something|what|here|allowed|possible))\b",
    r"\b(?:none|nothing) (?:of its|of this skill's|it) \w+|\bis a no\b|\ba step too far\b",
    r"\b(?:another|a different) (?:trade|matter|story|skill|topic|job)\b",
    r"\b(?:stay|rest|remain)s? with (?:people|a person|humans?|others|you)\b",
    r"^(?:it|this skill|the skill|this)\b[^,.;:]{0,60}?\b(?:does not|doesn't|cannot|can't|can not"
    r"|will not|won't|may not|never|is not|isn't|has no|gives no|offers no|only|refuses|declines"
    r"|ignores|excludes)\b",
    r"^(?:its|the skill's) (?:remit|part|job|scope|work|task)\b[^.;]{0,40}?\b(?:ends?|stops?)\b",
    r"^(?:never|skip|avoid|ignores?|refuses?|declines?|rejects?|cannot|can't|does not|doesn't"
    r"|will not|won't|no support|no (?:help|advice|use)|limited to|nothing)\b",
    r"\bnor (?:does|is|will|can|for)\b|\bdo(?:es)? not belong\b|\bdefeats? it\b|\bturn such\b",
    r"\bit will never\b",
    r"\b(?:question|matter|task|job|call|decision) for (?:an?|the|your|people|humans?)"
    r" (?!user)\w+$",
)

_NAME = r"[`'\"*/(]{0,3}(?:[a-z0-9]+:)?/?[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+[`'\"*)]{0,3}(?:'s?|’s?)?"
_THINGS = r"(?:it |them |that |this )?"
_DONE = (
    r"(?:handled|done|made|written|drawn up|pulled|listed|shown|covered|owned|served|managed|kept"
    r"|produced|given|dealt with|settled|created|built|fixed|found|answered|taken care of"
    r"|looked after)"
)
# "... use other-skill", "go to other-skill", "→ other-skill"; the name ends its part.
_HANDED = _any(
    r"use|see|try|prefer|call|ask|invoke|load|reach for|consult|choose|pick",
    r"go(?:es)? (?:to|through|with|via|into|over to)|switch(?:es)? to|head to|turn to|refer to",
    rf"defer(?:s|red)? to|delegated? to|hand(?:s|ed)? {_THINGS}(?:off |over )?to",
    rf"pass(?:es|ed)? {_THINGS}(?:on )?to|route[sd]? to|leave {_THINGS}(?:to|for)",
    r"belongs? (?:to|in|with)|falls? (?:to|under|within)|sits? (?:with|in)|lives? (?:in|with)",
    r"comes? from|moves? to|tasks? for|(?:job|work) (?:of|for)|matter for|question for|place for",
    rf"(?:field|realm|domain|province) of|{_DONE} (?:in|by|with|through)",
    r"(?!powered|backed|provided|inspired|supported|generated|driven|required|used)[a-z]+ed by",
    r"thing that|which is|that is|is for|are for|(?:earlier|later|instead), in|then",
)
_HANDOVER = re.compile(
    rf"(?:\b(?:{_HANDED.pattern})|→|->|=>) ?(?:the |its sibling |skill )?(?:skill )?{_NAME}"
    r"(?: skill)?(?=$|[.,;:!?)]| (?:skill|instead|takes|when|for (?:that|those|it)|does)\b)",
    re.I,
)
# "other-skill serves those", "other-skill is the better choice", "other-skill's business".
_TAKES = re.compile(
    rf"(?<![\w-]){_NAME} (?:skill )?(?:serves?|does|do|handles?|covers?|owns?|exists|deals"
    r"|takes(?: (?:over|care|that|those|it))?|looks after|territory|business|domain|work|job"
    r"|is (?:the (?:one|better|right|place|skill)|better|made|for|meant))\b",
    re.I,
)
_LAST_NAME = re.compile(rf"(?:\(\s*(?:use |see |→ ?)?{_NAME}\s*\)|[:→>] ?{_NAME})[.;)!]*$", re.I)
# "For paid campaigns, see ads." - the other skill's name may be one plain word.
_WORD = r"[`'\"/]?[\w:/-]+[`'\"]?"
_FOR_SEE = re.compile(
    r"^(?:for|to|if|when) [^.;]{3,300}?[, ]"
    r"(?:see|use|try|prefer|go to|invoke|switch to|load|call|→) "
    rf"(?!this|it\b|when|for|the following)(?:the )?{_WORD}(?: (?:or|and) {_WORD})?"
    r"(?: skills?)?[.;)]*$",
    re.I,
)
# Hyphenated words that name no skill.
_PLAIN = _any(
    r"\b(?:apache|mit|bsd|gpl)-",
    r"\b[a-z]+-(?:based|driven|first|free|ready|like|style|quality|native|agnostic|only"
    r"|friendly)\b",
    r"\b(?:end|real|step|state|up|out|ad|open|high|low|long|short|full|multi|cross|pre|post|re|non"
    r"|self|well|best|large|small|first|third|back|front|code|read|write|built|in|on|off|cost|data"
    r"|test|user|production|enterprise|command|type|decision|day|hands|one|two|co)"
    r"-(?:to-end|time|by-step|of-the-art|date|hoc|source|level|term|stack|form|platform|of|the|end"
    r"|line|in|world|party|by-side|box|making|to-day|on|off|side|wide|scale|grade|safe|aware"
    r"|specific|related|facing|case|up|pagers?|authors?)\b",
)
_POSITIVE = _any(
    r"^(?:(?:also|always|only|please|proactively|automatically|must|should|make sure to"
    r"|you should) )*(?:be )?(?:use|used|trigger|triggers|triggered|invoke|activate|activates"
    r"|apply|applies|call|load|run|reach for)"
    r"(?: this| the)?(?: skill| tool| agent| command| plugin| it| me)?(?: \w+ly)?[ ,:]*"
    r"(?:also |even |proactively )*(?:when|whenever|if|for|to|on|after|before|once|as|even|any|in"
    r"|during|while|by|at|phrases|keywords|where)\b",
    r"^(?:when|whenever|triggers?|trigger phrases|keywords|examples?|perfect for|ideal for"
    r"|best for|great for|useful|helps?|supports|covers|handles|includes)\b",
)
_ONE_NAME = re.compile(_NAME, re.I)


def opens_positive(sentence: str) -> bool:
    """Return whether a sentence starts like a trigger ("Use when ...", "Triggers on ...")."""
    return _POSITIVE.match(sentence) is not None


def is_routing(sentence: str) -> bool:
    """Return whether a sentence hands its matter to another skill, which it names."""
    return (
        _named(_LAST_NAME, sentence)
        or _FOR_SEE.search(sentence) is not None
        or _named(_HANDOVER, sentence)
        or _named(_TAKES, sentence)
    )


def is_negative(sentence: str, *, first: bool = False) -> bool:
    """Return whether a sentence says what the skill is not for.

    Args:
        sentence: One sentence; longer than a few thousand characters is not expected.
        first: Whether it opens its field. An opening tells what the skill does, so that only a
            refusal counts there: "Builds sites with next-auth" hands nothing over.
    """
    if _REFUSAL.search(sentence):
        return True
    if opens_positive(sentence):
        sees = _FOR_SEE.search(sentence) and _ONE_NAME.search(sentence)
        return not first and bool(sees or _named(_TAKES, sentence))
    if first:
        return False
    return bool(_LIMIT.search(sentence.rstrip(" .;!)"))) or is_routing(sentence)


def _named(pattern: re.Pattern[str], sentence: str) -> bool:
    """Return whether a pattern finds a skill's name, and not just a hyphenated word."""
    return any(not _PLAIN.search(match.group()) for match in pattern.finditer(sentence))
