"""A draft as the text of its SKILL.md, in either profile."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from memskill.draft.bodies import Draft, Profile, Step
from memskill.draft.hostile import fence

if TYPE_CHECKING:
    from jinja2 import Template

# Limits of agentskills.io for `description`; `when_to_use` is folded into it in profile spec.
MAX_DESCRIPTION = 1024


def render_skill(draft: Draft, profile: Profile = "flat") -> str:
    """Return the text of SKILL.md: same draft, same bytes.

    `flat` puts `when_to_use` and the provenance at the top level (a vault note and a Claude Code
    skill in one). `spec` keeps to the keys of agentskills.io: provenance as texts under
    `metadata`, `when_to_use` folded into the description as far as whole sentences fit.
    """
    provenance = {
        "generated_from": f"sha256:{draft.node.sha}",
        "generated_at": draft.generated_at,
        "generated_by": draft.model,
        "prompt_version": draft.prompt_version,
    }
    folded = _folded(draft.body.description, draft.body.when_to_use)
    text = template("skill.md.j2").render(
        draft=draft,
        body=draft.body,
        spec=profile == "spec",
        description=folded if profile == "spec" else draft.body.description,
        provenance=provenance,
    )
    return text.rstrip() + "\n"


def scalar(value: str) -> str:
    """Return a text as a one-line JSON string in raw Unicode, which every YAML reader agrees on."""
    return json.dumps(value, ensure_ascii=False)


def block(step: Step) -> str:
    """Return a step's code as a fenced block, indented by three to stand in a list item."""
    marks = fence(step.code)
    rows = [f"{marks}{step.language}", *step.code.split("\n"), marks]
    return "\n".join(f"   {row}".rstrip() for row in rows)


def _folded(description: str, when_to_use: str) -> str:
    from memskill.draft.sentences import split_sentences

    for sentence in split_sentences(when_to_use):
        if len(description) + 1 + len(sentence) > MAX_DESCRIPTION:
            break
        description = f"{description} {sentence}"
    return description


@cache
def template(name: str) -> Template:
    """Return one of the package's templates; undefined names are errors, nothing is escaped."""
    return markdown_template(name, scalar=scalar, block=block)


def markdown_template(name: str, **filters: Callable[..., str]) -> Template:
    """Return a template for Markdown with filters of its own: each value is made safe by one."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("memskill", "templates"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
        keep_trailing_newline=True,
    )
    environment.filters.update(filters)
    return environment.get_template(name)
