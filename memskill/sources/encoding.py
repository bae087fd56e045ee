"""Bytes to text, whatever a person's editor wrote."""

from __future__ import annotations

import codecs

from memskill.errors import SourceError

_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def decode(data: bytes) -> tuple[str, str | None]:
    """Return the text of `data` with newlines as line feeds, and what was odd about it or None.

    UTF-8 (a BOM is dropped), UTF-16 with a BOM, else Windows-1252, else Latin-1; the last two
    are guesses and reported as such.

    Raises:
        SourceError: Binary data, told by its NUL characters.
    """
    text, problem = _decode(data)
    if "\0" in text:
        raise SourceError(
            "is binary: it contains NUL characters", hint="Save the file as UTF-8 text."
        )
    return text.replace("\r\n", "\n").replace("\r", "\n"), problem


def _decode(data: bytes) -> tuple[str, str | None]:
    if data.startswith(_UTF16):
        try:
            return data.decode("utf-16"), "is UTF-16; UTF-8 is what other readers expect"
        except UnicodeDecodeError as error:
            raise SourceError(f"is broken UTF-16 at byte {error.start}") from error
    try:
        return data.decode("utf-8-sig"), None
    except UnicodeDecodeError as error:
        # start counts from behind a BOM; the byte is named as an editor would count it.
        at = error.start + (3 if data.startswith(codecs.BOM_UTF8) else 0)
        line = data.count(b"\n", 0, at) + 1
    try:
        return data.decode("cp1252"), f"is not UTF-8 (line {line}); read as Windows-1252"
    except UnicodeDecodeError:
        return data.decode("latin-1"), f"is not UTF-8 (line {line}); read as Latin-1"
