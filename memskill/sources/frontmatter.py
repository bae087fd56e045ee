"""Splits a Markdown file into frontmatter and body, and reads what a person could read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from memskill.sources.plainmap import read_plain_map
from memskill.sources.repair import repair_lines
from memskill.sources.yamltext import Problem, Value, YamlFault, load_text

# A frontmatter block beyond this is cut at a line: people write hundreds of bytes.
MAX_BLOCK_CHARS = 65_536
_FENCE = re.compile(r"-{3}[ \t]*")
_CLOSING = re.compile(r"(?:-{3}|\.{3})[ \t]*")
_KEY_LINE = re.compile(r"[A-Za-z_][\w.-]{0,60}[ \t]*:(?:[ \t]|$)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Frontmatter:
    """A file in two: its frontmatter as plain values, its body as it stands.

    Values are `str`, `list` and `dict` only: every scalar is the text that was written (`007`,
    `on`, `2024-01-02`), an empty one is "".
    """

    data: Mapping[str, Value] = field(default_factory=dict[str, Value])
    body: str
    # 1-based line of the body's first line (of the last line's successor where it is empty).
    body_line: int = 1
    problems: tuple[Problem, ...] = ()
    # True where strict YAML refused the block and lines were read one by one.
    repaired: bool = False
    # 1-based lines of the top-level keys.
    key_lines: Mapping[str, int] = field(default_factory=dict[str, int])


def split_frontmatter(text: str) -> Frontmatter:
    """Return the frontmatter and body of `text`; never raises, whatever the text.

    Tolerates a BOM, CRLF, blank lines before the opening fence, a missing closing fence, tabs
    and everything that `repair_lines` mends. Each tolerance is told in `problems`.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    start = next((i for i, line in enumerate(lines) if line.strip()), len(lines))
    if start == len(lines) or not _FENCE.fullmatch(lines[start]):
        return Frontmatter(body=text)
    problems: list[Problem] = []
    if start:
        problems.append(Problem(reason="blank lines before the opening ---", line=1))
    end, after = _block_end(lines, start + 1, problems)
    if end is None:
        return Frontmatter(body=text, problems=tuple(problems))
    block = _capped(lines[start + 1 : end], start + 2, problems)
    data, found, repaired = _read_block(block)
    # Two thematic breaks around prose are a body, not frontmatter.
    if not data and any(line.strip() for line in block):
        reason = "no key could be read between the --- lines; taken as text"
        problems.append(Problem(reason=reason, line=start + 1))
        return Frontmatter(body=text, problems=tuple(problems))
    problems += [_shifted(problem, start + 1) for problem in found]
    return Frontmatter(
        data=data,
        body="\n".join(lines[after:]),
        body_line=after + 1,
        problems=tuple(problems),
        repaired=repaired,
        key_lines=_key_lines(block, start + 2),
    )


def _block_end(lines: list[str], first: int, problems: list[Problem]) -> tuple[int | None, int]:
    """Return the index behind the block's last line, and the index of the body's first line."""
    for i in range(first, len(lines)):
        if _CLOSING.fullmatch(lines[i]):
            return i, i + 1
    # Unclosed: what looks like frontmatter is, up to the first line that does not.
    end = first
    while end < len(lines) and (
        _KEY_LINE.match(lines[end]) or (end > first and lines[end][:1] in (" ", "\t", "-"))
    ):
        end += 1
    reason = "the opening --- has no closing ---"
    problems.append(Problem(reason=reason, line=first))
    return (None, 0) if end == first else (end, end)


def _capped(block: list[str], line: int, problems: list[Problem]) -> list[str]:
    size = 0
    for i, text in enumerate(block):
        size += len(text) + 1
        if size > MAX_BLOCK_CHARS:
            reason = f"frontmatter is longer than {MAX_BLOCK_CHARS} characters; the rest is unread"
            problems.append(Problem(reason=reason, line=line + i))
            return block[:i]
    return block


def _read_block(block: list[str]) -> tuple[dict[str, Value], list[Problem], bool]:
    """Return values, problems (lines from 1 within the block) and whether it was repaired."""
    plain = read_plain_map(block)
    if plain is not None:
        return plain, [], False
    try:
        value, problems = load_text("\n".join(block) + "\n")
    except YamlFault as fault:
        problem = Problem(reason=f"not YAML: {fault.reason}", line=fault.line)
    else:
        if isinstance(value, dict):
            return value, problems, False
        if value == "":  # comments and blank lines alone
            return {}, problems, False
        problem = Problem(reason="not a map of keys and values", line=1)
    data, problems = repair_lines(block)
    return data, [problem, *problems], True


def _shifted(problem: Problem, by: int) -> Problem:
    return Problem(reason=problem.reason, line=None if problem.line is None else problem.line + by)


def _key_lines(block: list[str], first: int) -> dict[str, int]:
    found: dict[str, int] = {}
    for i, line in enumerate(block):
        if _KEY_LINE.match(line):
            found[line.partition(":")[0].strip()] = first + i
    return found
