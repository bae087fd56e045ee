"""Markdown notes as a flat list of blocks, with the heading that each one stands under."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

Kind = Literal["heading", "paragraph", "item", "row", "code"]

_FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<ticks>`{3,}|~{3,})[ \t]*(?P<info>[^`]*)$")
_HEADING = re.compile(r"^ {0,3}(?P<marks>#{1,6})[ \t]+(?P<text>.*)$")
_ITEM = re.compile(r"^(?P<indent>[ \t]*)(?P<mark>[-*+]|\d{1,4}[.)])[ \t]+(?P<text>.*)$")
_RULE = re.compile(r"^ {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$|^[|:\- \t]+$")
_TASK_BOX = re.compile(r"^\[[ xX]\]\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A heading, paragraph, list item, table row (cells parted by tabs) or code block."""

    kind: Kind
    text: str
    # 1-based line of its first line.
    line: int
    # Text of the nearest heading above, the title apart.
    section: str = ""
    # Heading level, or spaces before a list item's mark or a code fence.
    depth: int = 0
    # Number of an ordered item; 0 for one with a bullet.
    number: int = 0
    language: str = ""


def parse_blocks(text: str) -> list[Block]:
    """Return the blocks of a Markdown text in reading order.

    Tolerant: an unclosed fence runs to the end; what is not understood is a paragraph.
    """
    blocks: list[Block] = []
    section = ""
    headings = 0
    for block in _join(_lines(text)):
        if block.kind == "heading":
            headings += 1
            # The first heading is the title: it promises nothing about what stands under it.
            section = block.text if headings > 1 else ""
        blocks.append(replace(block, section=section))
    return blocks


def _lines(text: str) -> Iterator[Block | None]:
    """Yield one block a line (a whole one for code), None for a blank line."""
    rows = text.splitlines()
    at = 0
    while at < len(rows):
        row, number = rows[at], at + 1
        at += 1
        if fence := _FENCE.match(row):
            end = _closing(rows, at, fence["ticks"])
            indent = len(fence["indent"].expandtabs(4))
            yield Block(
                kind="code",
                text="\n".join(_dedent(line, indent) for line in rows[at:end]).strip("\n"),
                line=number,
                depth=indent,
                language=fence["info"].split(" ")[0].strip().lower(),
            )
            at = end + 1
        elif not row.strip() or _RULE.match(row):
            yield None
        elif heading := _HEADING.match(row):
            yield Block(
                kind="heading",
                text=heading["text"].strip().rstrip("#").rstrip(),
                line=number,
                depth=len(heading["marks"]),
            )
        elif item := _ITEM.match(row):
            yield Block(
                kind="item",
                text=_TASK_BOX.sub("", item["text"].strip()),
                line=number,
                depth=len(item["indent"].expandtabs(4)),
                number=int(item["mark"][:-1]) if item["mark"][0].isdigit() else 0,
            )
        elif row.strip().startswith("|") and row.count("|") > 2:
            yield Block(kind="row", text="\t".join(_cells(row)), line=number)
        else:
            plain = row.strip().lstrip(">").strip()
            yield Block(kind="paragraph", text=plain, line=number, depth=_indent(row))


def _cells(row: str) -> list[str]:
    """Return the cells of a table row; a bar inside a code span parts none."""
    masked = re.sub(r"`[^`]*`", lambda m: m[0].replace("|", "\0"), row.strip().strip("|"))
    return [cell.replace("\0", "|").strip() for cell in masked.split("|")]


def _closing(rows: list[str], start: int, ticks: str) -> int:
    """Return the index of the fence that closes one opened with `ticks`, or the end."""
    for at in range(start, len(rows)):
        bare = rows[at].strip()
        if bare.startswith(ticks) and not bare.strip(ticks[0]):
            return at
    return len(rows)


def _indent(row: str) -> int:
    wide = row.expandtabs(4)
    return len(wide) - len(wide.lstrip())


def _dedent(row: str, indent: int) -> str:
    wide = row.expandtabs(4)
    return wide[min(indent, _indent(row)) :].rstrip()


def _join(lines: Iterator[Block | None]) -> Iterator[Block]:
    """Join paragraph lines to the paragraph or item that they continue."""
    head: Block | None = None
    texts: list[str] = []
    for line in (*lines, None):
        if head is not None and line is not None and line.kind == "paragraph" and texts:
            texts.append(line.text)
            continue
        if head is not None:
            yield replace(head, text=" ".join(texts).strip()) if texts else head
        head = line
        # Headings and code take no further lines.
        texts = [line.text] if line is not None and line.kind in ("paragraph", "item") else []
