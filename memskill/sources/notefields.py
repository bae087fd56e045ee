"""The fields of a note's frontmatter, each read by its own small rule."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import get_args

from memskill.errors import NoteInvalid
from memskill.records import Level, Trust
from memskill.sources.fields import as_line, as_list
from memskill.sources.redact import redact
from memskill.sources.safety import id_fault, one_line, printable
from memskill.sources.yamltext import Value

# (field, reason) of what is odd about a note that is read all the same.
Faults = list[tuple[str, str]]

MAX_SENTENCE = 200


class FieldInvalid(NoteInvalid):
    """One field of a note's frontmatter cannot be what it says."""

    def __init__(self, field: str, reason: str, *, hint: str = "") -> None:
        super().__init__(reason, hint=hint)
        self.field = field
        # 1-based; set by whoever knows where the field stands.
        self.line: int | None = None


_LEVELS: Mapping[str, Level] = {
    "l0": "L0", "0": "L0", "l1": "L1", "1": "L1", "l2": "L2", "2": "L2",
}  # fmt: skip
_HEADING = re.compile(r"#{1,6}[ \t]+(?P<text>.*?)[ \t#]*")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s|(?<=[\u3002\uff01\uff1f])")


def shown(raw: str) -> str:
    """Return a value in quotes for a message: short, printable, without secrets."""
    return repr(printable(redact(raw).text, 60))


def read_level(data: Mapping[str, Value]) -> Level:
    """Return a note's level; L1 where it has none.

    Raises:
        NoteInvalid: It is not L0, L1 or L2 (`1`, `l2` will do).
    """
    raw = as_line(data.get("level"))
    level = _LEVELS.get(raw.lower() or "l1")
    if level is None:
        reason = f"level {shown(raw)} is unknown"
        raise FieldInvalid("level", reason, hint="Use L0, L1 or L2.")
    return level


def read_trust(data: Mapping[str, Value], faults: Faults) -> Trust:
    """Return who vouches for a note: "person" by default, "imported" where the word is unknown."""
    raw = as_line(data.get("trust")).lower()
    for trust in get_args(Trust):
        if raw == trust:
            return trust
    if not raw:
        return "person"
    faults.append(("trust", f"trust {shown(raw)} is unknown; taken as imported"))
    return "imported"


def read_created(data: Mapping[str, Value], faults: Faults) -> str:
    """Return when a note was made, in UTC as ISO 8601 with `Z`, or "" where it does not say.

    A time without a zone counts as UTC, a date as its midnight.
    """
    name = "created_at" if as_line(data.get("created_at")) else "created"
    raw = as_line(data.get(name))
    if not raw:
        return ""
    try:
        when = datetime.fromisoformat(raw)
        when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError):
        faults.append((name, f"{name} {shown(raw)} is not an ISO 8601 time; left out"))
        return ""
    return when.isoformat(timespec="seconds").replace("+00:00", "Z")


def read_parents(data: Mapping[str, Value], project: str, faults: Faults) -> tuple[str, ...]:
    """Return the addresses that a note names as its parents, in order.

    `[[wiki links]]`, a `.md` at the end and names of the same project without their project
    are understood; what cannot be an address is left out with a fault.
    """
    parents: list[str] = []
    for raw in as_list(data.get("parents")):
        name = raw.strip("[] ").partition("|")[0].strip().removesuffix(".md")
        above, _, query_id = name.rpartition("/")
        # The last folder is the project, however far up a link starts.
        above = above.rpartition("/")[2] or project
        if id_fault(above) or id_fault(query_id):
            faults.append(("parents", f"parents: {shown(raw)} is no address; left out"))
        else:
            parents.append(f"{above}/{query_id}")
    return tuple(dict.fromkeys(parents))


def read_tags(data: Mapping[str, Value]) -> tuple[str, ...]:
    """Return a note's tags without their `#`, in order."""
    tags = (tag.lstrip("#").strip() for tag in as_list(data.get("tags"), r",\s"))
    return tuple(dict.fromkeys(tag for tag in tags if tag))


def default_query(body: str) -> str:
    """Return what a note is about by its own words: its first heading, else its first sentence.

    At most 200 characters, an ellipsis where a sentence was cut.
    """
    in_code = False
    first = ""
    for line in body.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            in_code = not in_code
        elif not in_code:
            found = _HEADING.fullmatch(line.strip())
            if found and (heading := one_line(found["text"])):
                return _cut(heading)
            first = first or one_line(line)
    first = first or one_line(body[: MAX_SENTENCE * 4])
    return _cut(_SENTENCE_END.split(first, maxsplit=1)[0])


def _cut(text: str) -> str:
    return text if len(text) <= MAX_SENTENCE else text[: MAX_SENTENCE - 1].rstrip() + "…"
