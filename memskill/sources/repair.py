"""Reads frontmatter that strict YAML refuses, one `key: value` at a time."""

from __future__ import annotations

import re
from dataclasses import dataclass

from memskill.sources.safety import no_surrogates, printable
from memskill.sources.yamltext import Problem, Value, YamlFault, load_text

MAX_ENTRIES = 200
MAX_PROBLEMS = 50
# Maps within maps that are mended, such as `metadata`; deeper ones stay text.
MAX_DEPTH = 2
_KEY = re.compile(r"(?P<key>[A-Za-z_][\w.-]{0,60}|\"[^\"]{1,60}\"|'[^']{1,60}')[ \t]*:(?:[ \t]+|$)")
# A key that someone turned into a heading, as in `## name: x`.
_HEADED = re.compile(r"#{1,6}[ \t]+(?=(?:name|description|title)[ \t]*:)")
_CONFLICT = re.compile(r"(?:<{7}|={7}|>{7}|\|{7})(?: |$)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x84\x86-\x9f\ufeff\ufffe\uffff]")
# A key that lost its line break: it stands right behind a full stop, where no space is.
_RUN_ON = re.compile(
    r"(?<=[.!?\u3002\uff01\uff1f])(?:license|origin|version|homepage|author|metadata): "
)


@dataclass(slots=True)
class _Entry:
    key: str
    # 1-based line within the block.
    line: int
    # The key's own line first.
    lines: list[str]
    # Text at column 0 may still continue the value.
    is_open: bool = True

    @property
    def first(self) -> str:
        """What stands behind the colon."""
        found = _KEY.match(self.lines[0])
        return self.lines[0][found.end() :].strip() if found else ""


def repair_lines(block: list[str], *, depth: int = 0) -> tuple[dict[str, Value], list[Problem]]:
    """Return the values that a person could read in `block`, and a problem for each repair.

    Each top-level `key:` with the lines below it is tried as YAML by itself; where that fails,
    its text is taken as it stands (an unquoted colon), its items as a list, its block scalar
    as text. Merge conflict marks and stray lines are passed over. Lines of problems count from
    1 within the block. Takes time linear in the block; at most 200 keys are read. `depth` is
    how many maps the block lies in.
    """
    problems: list[Problem] = []
    lines = [_plain(line) for line in _dedented(block)]
    if lines != block:
        problems.append(Problem(reason="tabs, indentation or control characters were set right"))
    data: dict[str, Value] = {}
    for entry in _entries(lines, problems):
        if entry.key in data:
            reason = f"duplicate key {printable(entry.key, 40)!r}; the last one counts"
            problems.append(Problem(reason=reason, line=entry.line))
        data[entry.key] = _value(entry, problems, depth)
    return data, problems[:MAX_PROBLEMS]


def _plain(line: str) -> str:
    indent = len(line) - len(line.lstrip(" \t"))
    return line[:indent].replace("\t", "  ") + no_surrogates(_CONTROL.sub("", line[indent:]))


def _dedented(block: list[str]) -> list[str]:
    """Return the lines without the indentation that all of them share."""
    indents = [len(line) - len(line.lstrip(" \t")) for line in block if line.strip()]
    least = min(indents, default=0)
    return [line[least:] for line in block] if least else block


def _entries(lines: list[str], problems: list[Problem]) -> list[_Entry]:
    entries: list[_Entry] = []
    for number, raw in enumerate(lines, start=1):
        line = _HEADED.sub("", raw, count=1) if raw.startswith("#") else raw
        found = _KEY.match(line)
        if found and not _CONFLICT.match(line):
            if len(entries) == MAX_ENTRIES:
                reason = f"more than {MAX_ENTRIES} keys; the rest is unread"
                problems.append(Problem(reason=reason, line=number))
                break
            if line != raw:
                problems.append(Problem(reason="a key written as a heading", line=number))
            entries.append(_Entry(key=found["key"].strip("\"'"), line=number, lines=[line]))
        else:
            _continue(entries, line, number, problems)
    return entries


def _continue(entries: list[_Entry], line: str, number: int, problems: list[Problem]) -> None:
    """Give a line without a key to the entry above it, or report it as stray."""
    entry = entries[-1] if entries else None
    if not line.strip():
        if entry:
            entry.lines.append("")
            entry.is_open = False
    elif entry and (line[0] == " " or line.startswith("- ")) and not _CONFLICT.match(line):
        entry.lines.append(line)
    elif line.startswith("#"):
        if entry:
            entry.is_open = False
    elif entry and entry.is_open and _takes_text(entry) and not _CONFLICT.match(line):
        problems.append(Problem(reason="a stray line was joined to the value above", line=number))
        entry.lines.append("  " + line)
    else:
        problems.append(Problem(reason="a stray line was passed over", line=number))


def _takes_text(entry: _Entry) -> bool:
    return entry.first[:1] not in ("", "{", "[", '"', "'", "|", ">")


def _value(entry: _Entry, problems: list[Problem], depth: int) -> Value:
    """Return an entry's value: as YAML where it is that, else as its text says."""
    split = _RUN_ON.search(entry.first)
    if not split:
        try:
            value, found = load_text("\n".join(entry.lines) + "\n")
        except YamlFault:
            pass
        else:
            problems += [
                Problem(reason=p.reason, line=entry.line + (p.line or 1) - 1) for p in found
            ]
            if isinstance(value, dict) and len(value) == 1:
                return next(iter(value.values()))
    value = _by_hand(entry, depth)
    if split and isinstance(value, str):
        # A run-on key ends the value; it is not worth more than a mention.
        value = _RUN_ON.split(value)[0]
        problems.append(Problem(reason="a key without a line break was cut off", line=entry.line))
    else:
        reason = f"the value of {printable(entry.key, 40)!r} is not YAML; its text was taken"
        problems.append(Problem(reason=reason, line=entry.line))
    return value


def _by_hand(entry: _Entry, depth: int) -> Value:
    first, rest = entry.first, entry.lines[1:]
    if re.fullmatch(r"[|>][-+0-9]{0,2}", first):
        joint = "\n" if first[0] == "|" else " "
        return joint.join(line.strip() for line in rest).strip()
    items = [line.strip() for line in rest if line.strip()]
    if not first and items and all(item.startswith("-") for item in items):
        return [_unquoted(item[1:].strip()) for item in items]
    if not first and items and _KEY.match(items[0]) and depth < MAX_DEPTH:
        return repair_lines(rest, depth=depth + 1)[0]
    return _unquoted(" ".join([first, *items]).strip())


def _unquoted(text: str) -> str:
    """Return `text` without the quotes around it, also where only the opening one is left."""
    quote = text[:1]
    if quote not in ('"', "'"):
        return text
    return text[1:].removesuffix(quote).strip()
