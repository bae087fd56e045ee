"""Notes and lessons in the parts that search looks at: whole, title, passages with their spans."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from memskill.match.texts import node_text
from memskill.records import Lesson, Node
from memskill.sources.identity import text_sha
from memskill.sources.terms import terms
from memskill.store import PassageRow

MAX_CHARS = 700
# A heading opens a new passage only where the one before it says something.
MIN_CHARS = 160
# Of one note; what lies beyond is found by its title and its head alone.
MAX_PASSAGES = 200

Span = tuple[int, int]
_HEADING = re.compile(r"#{1,6}\s")
_FENCE = re.compile(r"\s{0,3}(```|~~~)")
# Where a long paragraph may be cut: behind a line, else a sentence, else a word.
_ENDS = (re.compile(r"\n"), re.compile(r"[.!?:;]\s|[。！？；]"), re.compile(r"\s"))


def note_texts(node: Node) -> dict[str, str]:
    """Return sha -> text of all that is encoded of a note."""
    return {text_sha(text): text for text in _note_parts(node)[0]}


def note_passages(node: Node) -> list[PassageRow]:
    """Return the parts of a note, in order."""
    texts, spans = _note_parts(node)
    return _rows(node.sha, texts, title=node.query, spans=spans)


def lesson_passages(lesson: Lesson) -> tuple[list[PassageRow], dict[str, str]]:
    """Return the parts of a lesson, and sha -> text of all that is encoded of it.

    Its symptom is its title, what mended it its one passage.
    """
    title = lesson_title(lesson)
    mended = lesson_text(lesson)
    texts = [f"{title}\n{mended}", title, mended]
    rows = _rows(lesson.id, texts, title=title, spans=[(0, 0)])
    return rows, {text_sha(text): text for text in texts}


def lesson_title(lesson: Lesson) -> str:
    """Return a lesson's tool, sub-command and symptom as one line."""
    return f"{lesson.tool} {lesson.subcommand}".strip() + f": {lesson.symptom}"


def lesson_text(lesson: Lesson) -> str:
    """Return what mended a lesson's failure, and the command that failed."""
    return f"{lesson.resolution}\nFailed: {lesson.command}"


def split_passages(text: str) -> list[Span]:
    """Return the passages of a Markdown text as (start, stop) in code points, in order.

    They do not overlap, hold at most `MAX_CHARS` characters each, and leave out nothing but
    white space. A passage starts at a heading or a paragraph where it can; fenced code stays
    whole where it fits. Linear in the length of the text.
    """
    found: list[Span] = []
    start = stop = -1
    # So far the passage is a heading alone, which says nothing without what follows.
    bare = False
    for first, last, heading in _blocks(text):
        full = last - start > MAX_CHARS or (heading and stop - start >= MIN_CHARS)
        if start >= 0 and full and not bare:
            found.extend(_cut(text, start, stop))
            start = -1
        if start < 0:
            start, bare = first, heading
        else:
            bare = bare and heading
        stop = last
    if start >= 0:
        found.extend(_cut(text, start, stop))
    return found


def _note_parts(node: Node) -> tuple[list[str], list[Span]]:
    """Return [whole, title, passage, ...] of a note, and the spans of its passages."""
    spans = split_passages(node.body)[:MAX_PASSAGES]
    passages = (node.body[start:stop] for start, stop in spans)
    return [node_text(node), node.query, *passages], spans


def _rows(owner: str, texts: list[str], *, title: str, spans: list[Span]) -> list[PassageRow]:
    """Return the rows of [whole, title, passage, ...]."""
    rows = [
        PassageRow(owner=owner, ordinal=0, part="whole", text_sha=text_sha(texts[0]), terms={}),
        PassageRow(owner=owner, ordinal=1, part="title", text_sha=text_sha(texts[1]), terms={}),
    ]
    # A passage that goes on from its title need not say the title's words again.
    shared = Counter(terms(title))
    for ordinal, ((start, stop), text) in enumerate(zip(spans, texts[2:], strict=True), start=2):
        counts = shared + Counter(terms(text))
        row = PassageRow(
            owner=owner,
            ordinal=ordinal,
            part="passage",
            starts=start,
            stops=stop,
            text_sha=text_sha(text),
            terms=counts,
        )
        rows.append(row)
    return rows


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Yield (start, stop, whether it is a heading) of paragraphs, fenced code and headings."""
    start = stop = -1
    fence = ""
    at = 0
    for line in text.split("\n"):
        end = at + len(line)
        mark = _FENCE.match(line)
        if fence:
            fence = "" if mark and mark[1] == fence else fence
            stop = end if line.strip() else stop
        elif not line.strip() or _HEADING.match(line):
            if start >= 0:
                yield start, stop, False
            start = -1
            if line.strip():
                yield at, at + len(line.rstrip()), True
        else:
            fence = mark[1] if mark else ""
            start, stop = (at if start < 0 else start), at + len(line.rstrip())
        at = end + 1
    if start >= 0:
        yield start, stop, False


def _cut(text: str, start: int, stop: int) -> Iterator[Span]:
    """Yield a span in pieces of at most `MAX_CHARS`, cut where it hurts least."""
    while stop - start > MAX_CHARS:
        middle, limit = start + MAX_CHARS // 2, start + MAX_CHARS
        end = limit
        for pattern in _ENDS:
            ends = [found.end() for found in pattern.finditer(text, middle, limit)]
            if ends:
                end = ends[-1]
                break
        yield from _trimmed(text, start, end)
        start = end
    yield from _trimmed(text, start, stop)


def _trimmed(text: str, start: int, stop: int) -> Iterator[Span]:
    """Yield a span without white space around it, or nothing."""
    piece = text[start:stop]
    if inside := piece.strip():
        start += len(piece) - len(piece.lstrip())
        yield start, start + len(inside)
