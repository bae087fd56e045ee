"""Rules on name, description and when_to_use: presence, form and length."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memskill.draft.hostile import INVISIBLE
from memskill.draft.rules.base import MATCHED, Document, Fault, Rule
from memskill.sources.safety import printable

MAX_NAME, MAX_DESCRIPTION, MAX_LISTING, MAX_COMPATIBILITY = 64, 1024, 1536, 500
_NAME = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def _name_missing(document: Document) -> Iterator[Fault]:
    if document.values and not document.field("name").strip():
        yield Fault("there is no name")


def _name_form(document: Document) -> Iterator[Fault]:
    name = document.field("name").strip()
    if name and (not _NAME.fullmatch(name) or len(name) > MAX_NAME):
        why = f"has {len(name)} characters" if len(name) > MAX_NAME else "is not in kebab-case"
        yield Fault(f"the name {printable(name, 80)!r} {why}", document.line_of("name"))


def _name_reserved(document: Document) -> Iterator[Fault]:
    for word in ("anthropic", "claude"):
        if word in document.field("name").lower():
            yield Fault(f"the name contains the reserved word {word!r}", document.line_of("name"))


def _name_folder(document: Document) -> Iterator[Fault]:
    name = document.field("name").strip()
    if document.folder is not None and name and name != document.folder:
        yield Fault(
            f"the name {printable(name, 64)!r} differs from the folder {document.folder!r}",
            document.line_of("name"),
        )


def _description_missing(document: Document) -> Iterator[Fault]:
    is_text = isinstance(document.values.get("description", ""), str)
    if document.values and is_text and not document.field("description").strip():
        yield Fault("there is no description", document.line_of("description"))


def _description_long(document: Document) -> Iterator[Fault]:
    length = len(document.field("description"))
    if length > MAX_DESCRIPTION:
        message = f"the description has {length} characters, {MAX_DESCRIPTION} are allowed"
        yield Fault(message, document.line_of("description"))


def _listing_long(document: Document) -> Iterator[Fault]:
    both = " - ".join(filter(None, (document.field("description"), document.field("when_to_use"))))
    # Claude Code cuts its listing there and counts as JavaScript does.
    units = len(both.encode("utf-16-le", "surrogatepass")) // 2
    if units > MAX_LISTING:
        yield Fault(
            f"description and when_to_use together have {units} characters of {MAX_LISTING}"
        )


def _fence_in_value(document: Document) -> Iterator[Fault]:
    for key in MATCHED:
        if "---" in document.field(key):
            yield Fault(
                f"{key} contains ---, where some readers end the block", document.line_of(key)
            )


def _angle_brackets(document: Document) -> Iterator[Fault]:
    for key in MATCHED:
        if found := re.search(r"[<>]", document.field(key)):
            yield Fault(f"{key} contains {found[0]!r}", document.line_of(key))


def _control_characters(document: Document) -> Iterator[Fault]:
    for key in MATCHED:
        # A block scalar keeps its line ends, and every reader takes those.
        if found := INVISIBLE.search(document.field(key)):
            code = f"U+{ord(found[0]):04X}"
            yield Fault(f"{key} contains the invisible character {code}", document.line_of(key))


def _compatibility(document: Document) -> Iterator[Fault]:
    length = len(document.field("compatibility"))
    if length > MAX_COMPATIBILITY:
        message = f"compatibility has {length} characters, {MAX_COMPATIBILITY} are allowed"
        yield Fault(message, document.line_of("compatibility"))


RULES = (
    Rule(
        id="name-missing",
        severity="warning",
        draft="error",
        spec="error",
        hint="Add `name:` with the folder's name.",
        check=_name_missing,
    ),
    Rule(
        id="name-form",
        severity="error",
        hint="Small letters, digits and single hyphens, at most 64 characters.",
        check=_name_form,
    ),
    Rule(
        id="name-reserved",
        severity="warning",
        draft="error",
        hint="Hosts refuse names with their own brand on upload; choose another word.",
        check=_name_reserved,
    ),
    Rule(
        id="name-folder",
        severity="warning",
        draft="error",
        spec="error",
        hint="Agents load a skill by its folder: give both the same name.",
        check=_name_folder,
    ),
    Rule(
        id="description-missing",
        severity="error",
        hint="Say what the skill does and when to use it; without it nothing ever loads it.",
        check=_description_missing,
    ),
    Rule(
        id="description-long",
        severity="error",
        hint="Codex drops the whole skill beyond 1,024 characters: move detail to the body.",
        check=_description_long,
    ),
    Rule(
        id="listing-long",
        severity="warning",
        draft="error",
        hint="Listings are cut at 1,536: shorten when_to_use first.",
        check=_listing_long,
    ),
    Rule(
        id="fence-in-value",
        severity="error",
        hint="Replace --- by a single dash.",
        check=_fence_in_value,
    ),
    Rule(
        id="angle-brackets",
        severity="error",
        hint="Upload checks refuse < and > here: write the placeholder without them.",
        check=_angle_brackets,
    ),
    Rule(
        id="control-characters",
        severity="error",
        hint="Remove the character; it hides text from the person who reviews.",
        check=_control_characters,
    ),
    Rule(
        id="compatibility-long",
        severity="warning",
        spec="error",
        hint="Say only what the environment must have.",
        check=_compatibility,
    ),
)
