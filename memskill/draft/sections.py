"""What the heading of a section promises."""

from __future__ import annotations

import re
from typing import Literal

Theme = Literal["steps", "check", "pitfall", "failure", "symptom", "aside", "open"]

# The first line that fits decides.
_PROMISES: tuple[tuple[Theme, str], ...] = (
    (
        "pitfall",
        r"pitfalls?|gotchas?|caveats?|warnings?|keep in mind|mistakes?|misled|tried|traps?",
    ),
    ("pitfall", r"did not work|dead ends?|beware|watch out|do not|don't|^notes?$"),
    ("check", r"check(?:s|ing)?|verif\w+|how (?:to|we) know|done when|confirm\w*|success"),
    ("check", r"acceptance|validation"),
    (
        "failure",
        r"if (?:it|that|this|something)|when it (?:fails|goes)|roll ?back|undo|backing out",
    ),
    ("failure", r"if all else|troubleshoot\w*|what each|difference means|escalat\w+|plan b"),
    ("aside", r"causes?|background|context|history|why|prevention|afterwards|since then|links"),
    ("aside", r"what it was|investigation|what we looked at|discussion|decisions?|references?"),
    ("aside", r"open questions|related|see also|follow-?ups?|timeline|impact|lessons"),
    ("symptom", r"symptoms?|what we saw|what happened|signs?|alerts?|triggers?|when to|problem"),
    ("symptom", r"the error"),
    ("steps", r"fix(?:ed)?|repair\w*|steps?|procedure|what to do|what we did|what worked|then"),
    ("steps", r"order of work|how to|runbook|resolution|remedy|recover\w*|rerun|stop the|first"),
    ("steps", r"solution|workaround|mitigation|instructions?|checklist|rollout|deploy\w*|playbook"),
)
_THEMES: tuple[tuple[Theme, re.Pattern[str]], ...] = tuple(
    (theme, re.compile(rf"\b(?:{words})(?!\w)", re.I)) for theme, words in _PROMISES
)


def theme_of(section: str) -> Theme:
    """Return the theme of a heading; `open` where it promises nothing in particular."""
    for theme, pattern in _THEMES:
        if pattern.search(section):
            return theme
    return "open"
