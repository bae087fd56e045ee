"""MEMORY.md: the digest of lessons in the vault, bounded, most useful first."""

from __future__ import annotations

from collections.abc import Sequence

from memskill.lessons.render import safe, template
from memskill.records import Lesson
from memskill.sources.transcripts.injected import DIGEST_CLOSE, DIGEST_OPEN

# Claude Code loads the first 200 lines of a MEMORY.md; other harnesses cut at a few thousand
# characters. A digest that is cut in its middle would lose what stands last.
MAX_CHARS = 6_000
MAX_ITEMS = 40


def digest_block(lessons: Sequence[Lesson], links: dict[str, str]) -> str:
    """Return the block between the two markers: at most `MAX_CHARS` characters, whole items.

    Args:
        lessons: The most useful first.
        links: Tool -> path, relative to the vault, of its skill or draft.
    """
    most = min(len(lessons), MAX_ITEMS)
    for count in range(most, -1, -1):
        text = template("memory.md.j2").render(
            opening=DIGEST_OPEN,
            closing=DIGEST_CLOSE,
            lessons=lessons[:count],
            links=links,
            left_out=len(lessons) - count,
        )
        if len(text) <= MAX_CHARS:
            return text.rstrip("\n")
    return f"{DIGEST_OPEN}\n{DIGEST_CLOSE}"


def with_digest(old: str, block: str) -> str:
    """Return the text of MEMORY.md with its block put in place; what people wrote stays.

    The block goes where one stood before, else to the end. A marker without its partner is no
    block: then a new one goes to the end.
    """
    start = old.find(DIGEST_OPEN)
    end = old.find(DIGEST_CLOSE, start) if start >= 0 else -1
    if end >= 0:
        return old[:start] + block + old[end + len(DIGEST_CLOSE) :]
    before = old.rstrip("\n")
    return f"{before}\n\n{block}\n" if before else f"{block}\n"


__all__ = ["MAX_CHARS", "digest_block", "safe", "with_digest"]
