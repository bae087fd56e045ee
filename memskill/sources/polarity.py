"""Does a sentence of a skill say what it is for, or what it sends away?

Rules, not a model: they must hold for a vault of three skills, and a person must be able to see
why a sentence was left out. Three signs of sending away, from strong to weak: a refusal that
addresses the skill ("Do not use for"), a phrase for limits ("is out of scope"), and another
skill's name where work is handed over ("... is handled by other-skill").
"""

from __future__ import annotations

import re

_USE = r"(?:use|trigger|invoke|activate|apply|call|load|select|pick|run)"
_USED = r"be (?:used|triggered|invoked|activated|applied|called|loaded|selected|picked|run)"
_NOT = r"(?:do not|don't|don’t|should not|shouldn't|shouldn’t|must not|mustn't|may not|never|not to|cannot|can't)"

# Holds wherever it stands, even after "When ...".
_REFUSAL = re.compile(
    rf"\b{_NOT} (?:ever )?(?:{_USE}|{_USED})\b(?! (?:without|until|any other))"
    r"|^(?:this (?:skill|tool) is |it is |it's |is |are )?not (?:for|when|intended|meant|suitable|suited|designed"
    r"|appropriate|applicable|about|the (?:place|right)|a (?:replacement|substitute|fit)|to be|where|if|needed)\b"
    r"|^(?:but |and )?(?:except(?:ion|ions)?|excluding|excludes?|exclusions?)\b"
    r"|\b(?:wrong|poor|bad|too (?:small|big|blunt) a) (?:tool|skill|choice|fit|place)\b"
    r"|\b(?:use|see|try|prefer|call|choose|pick|load|invoke|go to|reach for|consult|take) (?!this)[^,.;]{1,80} instead\b(?! of)"
    r"|\binstead,? (?:use|see|try|call|go to) (?!this)"
    r"|^(?:when not to use|not for|out of scope|limitations?)\b ?:?"
    r"|不适用|不用于|不要用|不要使用|请勿|不支持|不包括|对象外|対象外|使わない|使用しない"
    r"|^(?:no usar|no utilizar|nicht für|nicht verwenden|ne pas utiliser|pas pour|não use)\b",
    re.I,
)

# "Use when tests are unsupported" is no limit: these count only without a positive opening.
_LIMIT = re.compile(
    r"\bout(?:side)? (?:of )?(?:(?:its|the|this skill's|my|our) )?(?:scope|lane|remit|reach|bounds|area)\b"
    r"|\b(?:lie|lies|fall|falls|is|are|stay|stays|remain|remains) (?:well )?(?:outside|beyond)\b"
    r"|\boff (?:the table|limits|its map|topic|bounds)\b|\bout$|: (?:out|no)\.?$"
    r"|\b(?:is|are|be|being) (?:also |always |strictly |simply |politely |all |both )?(?:refused|excluded|declined|rejected|forbidden|prohibited"
    r"|unsupported|unwelcome|turned (?:down|away)|ruled out|left (?:out|alone|to (?:others?|other|people|a|an|the|another|someone|humans?))"
    r"|never\b|not (?:supported|included|covered|handled|offered|done|accepted|part|its|a task|a job|something|what|here|allowed|possible))\b"
    r"|\b(?:none|nothing) (?:of its|of this skill's|it) \w+|\bis a no\b|\ba step too far\b|\b(?:another|a different) (?:trade|matter|story|skill|topic|job)\b"
    r"|\b(?:stay|stays|rest|rests|remain|remains) with (?:people|a person|humans?|others|you)\b"
    r"|^(?:it|this skill|the skill|this)\b[^,.;:]{0,60}?\b(?:does not|doesn't|cannot|can't|can not|will not|won't|may not|never|is not|isn't|has no|gives no|offers no|only|refuses|declines|ignores|excludes)\b"
    r"|^(?:its|the skill's) (?:remit|part|job|scope|work|task)\b[^.;]{0,40}?\b(?:ends?|stops?)\b"
    r"|^(?:never|skip|avoid|ignores?|refuses?|declines?|rejects?|cannot|can't|does not|doesn't|will not|won't|no support|no (?:help|advice|use)|limited to|nothing)\b"
    r"|\bnor (?:does|is|will|can|for)\b|\bdo(?:es)? not belong\b|\bdefeats? it\b|\bturn such\b|\bit will never\b"
    r"|\b(?:question|matter|task|job|call|decision) for (?:a|an|the|your|people|humans?) (?!user)\w+$",
    re.I,
)

_NAME = r"[`'\"*/(]{0,3}(?:[a-z0-9]+:)?/?[a-z][a-z0-9]*(?:[-_][a-z0-9]+)+[`'\"*)]{0,3}(?:'s?|’s?)?"
_HANDOVER = re.compile(
    # "... use other-skill", "go to other-skill", "→ other-skill", ends the sentence or its part.
    r"(?:\b(?:use|see|try|prefer|call|ask|invoke|load|reach for|go(?:es)? (?:to|through|with|via|into|over to)|switch(?:es)? to|head to|turn to|refer to|defer(?:s|red)? to"
    r"|delegate(?:s|d)? to|hand(?:s|ed)? (?:it |them |that |this )?(?:off |over )?to|pass(?:es|ed)? (?:it |them |that |this )?(?:on )?to|route(?:s|d)? to|leave (?:it |that |this )?(?:to|for)|consult|choose|pick"
    r"|belongs? (?:to|in|with)|falls? (?:to|under|within)|sits? (?:with|in)|lives? (?:in|with)|comes? from|moves? to|task for|tasks for|job (?:of|for)|work (?:of|for)|matter for"
    r"|field of|realm of|domain of|province of|question for|place for|(?:handled|done|made|written|drawn up|pulled|listed|shown|covered|owned|served|managed|kept|produced|given|dealt with|settled|created|built|fixed|found|answered|taken care of|looked after) (?:in|by|with|through)"
    r"|thing that|which is|that is|is for|are for|earlier, in|later, in|instead, in|then)|→|->|=>) ?(?:the |its sibling |skill )?(?:skill )?"
    rf"{_NAME}(?: skill)?(?=$|[.,;:!?)]| (?:skill|instead|takes|when|for (?:that|those|it)|does)\b)"
    # "other-skill serves those", "other-skill is the better choice", "other-skill's business".
    rf"|(?<![\w-]){_NAME} (?:skill )?(?:serves?|does|do|handles?|covers?|owns?|takes? (?:over|care|that|those|it)|is the (?:one|better|right|place|skill)|is better|is made|is for|is meant|exists|deals|looks after|territory|business|domain|work|job|takes)\b",
    re.I,
)
_LAST_NAME = re.compile(rf"(?:\(\s*(?:use |see |→ ?)?{_NAME}\s*\)|[:→>] ?{_NAME})[.;)!]*$", re.I)
# "For paid campaigns, see ads." - the other skill's name may be one plain word.
_FOR_SEE = re.compile(
    r"^(?:for|to|if|when) [^.;]{3,300}?[, ](?:see|use|try|prefer|go to|invoke|switch to|load|call|→) (?!this|it\b|when|for|the following)"
    r"(?:the )?[`'\"/]?[\w:/-]+[`'\"]?(?: (?:or|and) [`'\"/]?[\w:/-]+[`'\"]?)?(?: skills?)?[.;)]*$",
    re.I,
)
# Hyphenated words that name no skill.
_PLAIN = re.compile(
    r"\b(?:apache|mit|bsd|gpl)-|\b[a-z]+-(?:based|driven|first|free|ready|like|style|quality|native|agnostic|only|friendly)\b|\b(?:end|real|step|state|up|out|ad|open|high|low|long|short|full|multi|cross|pre|post|re|non|self|well|best|large|small|first|third|third-party|back|front|code|read|write|built|in|on|off|cost|data|test|user|production|enterprise|command|type|real-world|decision|day|hands|one|two|co)"
    r"-(?:to-end|time|by-step|of-the-art|date|hoc|source|level|term|stack|form|platform|of|the|end|line|only|in|world|party|based|driven|ready|quality|friendly|by-side|box|making|to-day|on|off|side|wide|scale|grade|safe|aware|specific|related|first|facing|case|up|pagers?|authors?)\b",
    re.I,
)
_POSITIVE = re.compile(
    r"^(?:also |always |only |please |proactively |automatically |must |should |make sure to |you should )*(?:be )?"
    r"(?:use|used|trigger|triggers|triggered|invoke|activate|activates|apply|applies|call|load|run|reach for)"
    r"(?: this| the)?(?: skill| tool| agent| command| plugin| it| me)?(?: \w+ly)?[ ,:]*"
    r"(?:also |even |proactively )*(?:when|whenever|if|for|to|on|after|before|once|as|even|any|in|during|while|by|at|phrases|keywords|where)\b"
    r"|^(?:when|whenever|triggers?|trigger phrases|keywords|examples?|perfect for|ideal for|best for|great for|useful|helps?|supports|covers|handles|includes)\b",
    re.I,
)
_ONE_NAME = re.compile(_NAME, re.I)


def opens_positive(sentence: str) -> bool:
    """Return whether a sentence starts like a trigger ("Use when ...", "Triggers on ...")."""
    return _POSITIVE.match(sentence) is not None


def is_routing(sentence: str) -> bool:
    """Return whether a sentence hands its matter to another skill, which it names."""
    last = _LAST_NAME.search(sentence)
    named = last is not None and not _PLAIN.search(last.group())
    return named or bool(_FOR_SEE.search(sentence)) or _hands_over(sentence)


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
        return not first and bool(_FOR_SEE.search(sentence)) and bool(_ONE_NAME.search(sentence))
    if first:
        return False
    return bool(_LIMIT.search(sentence.rstrip(" .;!)"))) or is_routing(sentence)


def _hands_over(sentence: str) -> bool:
    return any(not _PLAIN.search(match.group()) for match in _HANDOVER.finditer(sentence))
