"""The rules of `mem skill lint`, each with an id, a severity, a message and a hint."""

from __future__ import annotations

from memskill.draft.rules import body, frontmatter, grounding, limits, safety, trigger
from memskill.draft.rules.base import Rule

# In the order of reading a file; findings of one line keep it.
RULES: tuple[Rule, ...] = (
    *frontmatter.RULES,
    *limits.RULES,
    *trigger.RULES,
    *body.RULES,
    *safety.RULES,
    *grounding.RULES,
)
