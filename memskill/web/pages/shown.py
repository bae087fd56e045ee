"""Text as it may be shown: what would hide or turn other text is made visible."""

from __future__ import annotations

from memskill.sources.safety import is_hostile

_PLAIN = "\t\n\r"


class Typed(str):
    """Text that goes back into the field it was typed in, character for character."""

    __slots__ = ()


def visible(text: str) -> str:
    """Return `text` with each control, bidi or invisible character as its code: ⟦U+202E⟧.

    Who reviews a draft must see what an agent would read, in the order it would read it.
    """
    odd = {char for char in set(text) if char not in _PLAIN and is_hostile(char)}
    return text.translate({ord(char): f"⟦U+{ord(char):04X}⟧" for char in odd}) if odd else text
