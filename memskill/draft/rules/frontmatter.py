"""Rules on the frontmatter block: can every reader read it, and does it say the same to all?"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from memskill.draft.rules.base import MATCHED, Document, Fault, Rule
from memskill.sources.safety import printable

SPEC_KEYS = frozenset(
    ("name", "description", "license", "compatibility", "metadata", "allowed-tools")
)
# What Claude Code reads beside these (facts of its skills page); other agents ignore them.
CLAUDE_KEYS = frozenset(
    (
        *("when_to_use", "argument-hint", "arguments", "disable-model-invocation"),
        *("user-invocable", "disallowed-tools", "model", "effort", "context", "agent"),
        *("hooks", "paths", "shell"),
    )
)
# What memskill itself reads and writes, and what Obsidian gives a meaning to.
VAULT_KEYS = frozenset(
    (
        *("generated_from", "generated_at", "generated_by", "prompt_version", "projects"),
        *("project", "tags", "aliases", "cssclasses", "version", "author"),
    )
)
KNOWN_KEYS = SPEC_KEYS | CLAUDE_KEYS | VAULT_KEYS
DRAFT_KEYS = frozenset(
    (
        *("name", "description", "when_to_use", "generated_from", "generated_at"),
        *("generated_by", "prompt_version", "metadata"),
    )
)
_ANCHOR = re.compile(r"^[ ]*(?:[\w-]+:|-)[ ]+[&*][A-Za-z]\w*(?:[ ]|$)|:[ ]+!!?\w")
_FLOW = re.compile(r"^[ ]*[\w-]+:[ ]+[\[{]")


def _missing(document: Document) -> Iterator[Fault]:
    if not document.parts.key_lines and not document.values:
        yield Fault("the file does not start with a frontmatter block between two --- lines", 1)


def _invalid(document: Document) -> Iterator[Fault]:
    if document.parts.repaired:
        first = document.parts.problems[0]
        yield Fault(f"strict YAML readers refuse the block: {first.reason}", first.line)


def _odd(document: Document) -> Iterator[Fault]:
    if document.parts.repaired:
        return
    for problem in document.parts.problems:
        yield Fault(problem.reason, problem.line)


def _anchors(document: Document) -> Iterator[Fault]:
    for number, line in document.block:
        if _ANCHOR.search(line):
            yield Fault(f"an anchor, alias or tag: {printable(line, 60)}", number)


def _flow(document: Document) -> Iterator[Fault]:
    for number, line in document.block:
        if _FLOW.match(line):
            yield Fault(f"a list or map on one line: {printable(line, 60)}", number)


def _unknown(document: Document) -> Iterator[Fault]:
    for key in document.values:
        if key not in KNOWN_KEYS:
            near = difflib.get_close_matches(key, sorted(KNOWN_KEYS), n=1, cutoff=0.8)
            more = f"; did you mean {near[0]!r}?" if near else ""
            yield Fault(
                f"no reader knows the key {printable(key, 40)!r}{more}", document.line_of(key)
            )


def _beyond_spec(document: Document) -> Iterator[Fault]:
    if document.profile != "spec":
        return
    for key in document.values:
        if key not in SPEC_KEYS:
            yield Fault(
                f"the agentskills format has no key {printable(key, 40)!r}", document.line_of(key)
            )


def _beyond_draft(document: Document) -> Iterator[Fault]:
    if not document.is_draft:
        return
    for key in document.values:
        if key not in DRAFT_KEYS:
            yield Fault(f"a draft does not carry {printable(key, 40)!r}", document.line_of(key))


def _types(document: Document) -> Iterator[Fault]:
    for key in MATCHED:
        if not isinstance(document.values.get(key, ""), str):
            yield Fault(f"{key} is a list or a map, not a text", document.line_of(key))


def _metadata(document: Document) -> Iterator[Fault]:
    metadata = document.values.get("metadata", {})
    flat = isinstance(metadata, dict) and all(isinstance(v, str) for v in metadata.values())
    if metadata != "" and not flat:
        yield Fault("metadata is not a map of texts", document.line_of("metadata"))


def _provenance(document: Document) -> Iterator[Fault]:
    if document.is_draft and not document.generated_from:
        yield Fault("generated_from does not name a note", document.line_of("generated_from"))


RULES = (
    Rule(
        id="frontmatter-missing",
        severity="error",
        hint="Start the file with ---, name, description and a closing ---.",
        check=_missing,
    ),
    Rule(
        id="yaml-invalid",
        severity="error",
        hint="Put the value in double quotes; an unquoted `: ` is the usual reason.",
        check=_invalid,
    ),
    Rule(
        id="yaml-odd",
        severity="warning",
        hint="Readers differ on this: write it the plain way.",
        check=_odd,
    ),
    Rule(
        id="yaml-anchor",
        severity="warning",
        draft="error",
        spec="error",
        hint="Write the value out; some readers refuse anchors and tags.",
        check=_anchors,
    ),
    Rule(
        id="yaml-flow",
        severity="info",
        draft="error",
        spec="error",
        hint="Write lists as one `- item` a line; the reference validator refuses [a, b].",
        check=_flow,
    ),
    Rule(
        id="key-unknown",
        severity="info",
        hint="Remove the key, or put it under `metadata:` as a text.",
        check=_unknown,
    ),
    Rule(
        id="key-beyond-spec",
        severity="error",
        hint="Put it under `metadata:`, fold when_to_use into the description, or use flat.",
        check=_beyond_spec,
    ),
    Rule(
        id="key-beyond-draft",
        severity="error",
        hint="Tool grants, hooks and the like are a person's to add, at promotion.",
        check=_beyond_draft,
    ),
    Rule(
        id="field-type",
        severity="error",
        hint="Write one text on one line.",
        check=_types,
    ),
    Rule(
        id="metadata-type",
        severity="info",
        draft="error",
        spec="warning",
        hint="The format has texts only under metadata; some readers turn the rest into text.",
        check=_metadata,
    ),
    Rule(
        id="provenance-missing",
        severity="error",
        hint="Draft it again with `mem skill draft`, which writes generated_from.",
        check=_provenance,
    ),
)
