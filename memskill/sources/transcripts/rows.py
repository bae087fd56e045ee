"""The rows of a file with their place in it; a row that is not yet whole is left for later."""

from __future__ import annotations

import os
import stat
from collections.abc import Generator, Iterator
from json import JSONDecoder
from pathlib import Path
from typing import BinaryIO, NamedTuple

from memskill.errors import SourceError
from memskill.sources.safety import read_bounded
from memskill.sources.transcripts.events import Span
from memskill.sources.transcripts.formats import parse_row
from memskill.sources.transcripts.protocol import Row

# A longer row is passed over: no session that was met has one above a few MB.
MAX_ROW = 32_000_000
MAX_DOCUMENT = 64_000_000
_SPACE = " \t\r\n"
_LINE_END = _SPACE.encode()


class RawRow(NamedTuple):
    """One row as it lies on disk; `data` is None where it is longer than `MAX_ROW`."""

    data: bytes | None
    span: Span
    # Where the next row starts: the same place whether the file was read at once or in parts.
    next_byte: int
    next_line: int


class Document(NamedTuple):
    """A JSON document: its plain top-level texts, and the items of its list of rows."""

    keys: Row
    items: list[tuple[Row, Span]]


def open_regular(path: Path) -> BinaryIO:
    """Open a regular file for reading.

    Raises:
        SourceError: It is something else, or cannot be read.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
    try:
        file = open(os.open(path, flags), "rb")  # noqa: PTH123, SIM115 (needs the flags)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SourceError(f"cannot be read: {reason}") from error
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise SourceError("is not a regular file")
    return file


def read_lines(path: Path, byte: int, line: int) -> Generator[RawRow]:
    """Yield the rows of a JSON-lines file from `byte`, which is in line `line` (1-based).

    The last line waits unless it ends in a newline or is a whole JSON object: an object cannot
    be the beginning of another one.

    Raises:
        SourceError: The file cannot be read.
    """
    name = str(path)
    with open_regular(path) as file:
        file.seek(byte)
        while data := file.readline(MAX_ROW + 1):
            start = byte
            whole = data.endswith(b"\n")
            if not whole and len(data) > MAX_ROW:
                skipped, whole = _to_line_end(file)
                byte += len(data) + skipped
                if not whole:
                    return
                yield RawRow(None, Span(name, line, start, byte, line), byte, line + 1)
                line += 1
                continue
            if not whole and parse_row(data) is None:
                return
            byte += len(data)
            # Without its line end, which may come only with the next run.
            end = byte - 1 if data.endswith(b"}\n") else start + len(data.rstrip(_LINE_END))
            yield RawRow(data, Span(name, line, start, end, line), byte, line + whole)
            line += whole


def _to_line_end(file: BinaryIO) -> tuple[int, bool]:
    """Read on to the end of the line; return the bytes read and whether it has an end."""
    count = 0
    while data := file.readline(1_000_000):
        count += len(data)
        if data.endswith(b"\n"):
            return count, True
    return count, False


def read_document(path: Path, arrays: tuple[str, ...]) -> Document:
    """Return a JSON document with the items of the first of the lists `arrays` that has any.

    Raises:
        SourceError: It cannot be read, is too large, or is not (yet) whole JSON.
    """
    data = read_bounded(path, MAX_DOCUMENT)
    try:
        return _Reader(data, str(path), arrays).document()
    except (ValueError, IndexError, RecursionError) as error:
        raise SourceError("is not (yet) a whole JSON document") from error


class _Reader:
    """Walks the top level of a JSON document, so that items keep their place in bytes."""

    def __init__(self, data: bytes, path: str, arrays: tuple[str, ...]) -> None:
        self._text = data.decode("utf-8-sig")
        # Where a byte-order mark was, bytes lie three further on.
        self._byte = len(data) - len(self._text.encode())
        self._path, self._arrays = path, arrays
        self._decode = JSONDecoder().raw_decode
        self._at, self._counted, self._line = 0, 0, 1

    def document(self) -> Document:
        keys: Row = {}
        lists: dict[str, list[tuple[Row, Span]]] = {}
        self._expect("{")
        while self._peek() != "}":
            key = str(self._value())
            self._expect(":")
            if key in self._arrays and self._peek() == "[":
                lists[key] = list(self._items())
                keys[key] = ""
            else:
                value = self._value()
                keys[key] = value if isinstance(value, str) else ""
            if self._peek() == ",":
                self._at += 1
        name = next((name for name in self._arrays if lists.get(name)), "")
        return Document(keys, lists.get(name, []))

    def _items(self) -> Iterator[tuple[Row, Span]]:
        self._expect("[")
        while self._peek() != "]":
            start, line = self._place()
            value = self._value()
            end, last = self._place()
            if isinstance(value, dict):
                yield value, Span(self._path, line, start, end, last)  # pyright: ignore[reportUnknownArgumentType]
            if self._peek() == ",":
                self._at += 1
        self._at += 1

    def _place(self) -> tuple[int, int]:
        """Return the byte and the line of the present character."""
        passed = self._text[self._counted : self._at]
        self._byte += len(passed.encode())
        self._line += passed.count("\n")
        self._counted = self._at
        return self._byte, self._line

    def _peek(self) -> str:
        while self._text[self._at] in _SPACE:
            self._at += 1
        return self._text[self._at]

    def _expect(self, char: str) -> None:
        if self._peek() != char:
            raise ValueError(char)
        self._at += 1

    def _value(self) -> object:
        self._peek()
        value, self._at = self._decode(self._text, self._at)
        return value
