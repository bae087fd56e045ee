"""Text that must not act: what is taken out of a note, and what lint looks for in a draft."""

from __future__ import annotations

import re
from collections.abc import Callable

from memskill.draft import forms

# Controls (tab and newline apart), bidi marks and overrides, zero-width and tag characters.
INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)
# Claude Code runs these when it loads a skill's body: !`command`, and the ```! block.
INLINE_SHELL = re.compile(r"(?:^|(?<=[\s(\[*_]))!`[^`\n]+`|^[ \t]*(?:`{3,}|~{3,})[ \t]*!", re.M)
SUBSTITUTION = re.compile(r"\$ARGUMENTS\b|\$\{CLAUDE_[A-Z_]+\}")
HTML = re.compile(r"<(?:!--|/?[a-zA-Z][a-zA-Z0-9-]{0,30}(?=[\s>/]))[^<>`]{0,500}>")
INJECTION = re.compile(
    r"\b(?:ignore|disregard|forget|override) (?:all |any |the |your |every )?(?:previous|prior|"
    r"above|earlier|other|existing) (?:instructions?|rules?|prompts?|messages?|directions?)\b"
    r"|\byou are now (?:a|an|in|the)\b|\b(?:new|updated) system prompt\b"
    r"|<\|?(?:im_start|system)\|?>"
    r"|\bdo not (?:tell|inform|mention (?:this )?to) the (?:user|human|reviewer|person)\b"
    r"|\b(?:reveal|print|repeat|leak) (?:your|the) (?:system prompt|hidden instructions)\b"
    r"|\bwithout (?:asking|telling|informing) the (?:user|human|reviewer)\b",
    re.I,
)
PIPE_TO_SHELL = re.compile(
    r"\b(?:curl|wget|fetch|iwr|invoke-webrequest)\b[^\n|]{0,400}\|\s*(?:sudo\s+(?:-\w+\s+)*)?"
    r"(?:[\w/]*/)?(?:(?:ba|z|da|k|fi)?sh|python[\d.]*|perl|ruby|node|iex)\b",
    re.I,
)


def defuse(text: str, *, code: bool = False) -> str:
    """Return a note's text as something that says the same and acts nowhere.

    Invisible characters go, inline-shell marks are parted, raw HTML outside of code becomes code.
    """
    clean = INVISIBLE.sub("", text.replace("\r", ""))
    clean = SUBSTITUTION.sub(lambda m: m[0].replace("$", "$ ", 1), clean)
    if code:
        # A block of code may hold what would end the fence that it is put in; see `fence`.
        return clean
    clean = clean.replace("!`", "! `")
    return outside_spans(clean, lambda part: HTML.sub(lambda m: f"`{m[0]}`", part))


def outside_spans(text: str, change: Callable[[str], str]) -> str:
    """Return the text with `change` applied to everything that is not an inline code span."""
    out: list[str] = []
    at = 0
    for span in forms.SPAN.finditer(text):
        out += [change(text[at : span.start()]), span[0]]
        at = span.end()
    return "".join([*out, change(text[at:])])


def without_spans(line: str) -> str:
    """Return the line with each inline code span as one space."""
    return forms.SPAN.sub(" ", line)


def is_injection(text: str) -> bool:
    """Say whether the text speaks to the model rather than about the work."""
    return bool(INJECTION.search(text) or PIPE_TO_SHELL.search(text))


def plain_line(text: str) -> str:
    """Return text fit for `description` and `when_to_use`: one line, no `---`, `<` or `>`.

    Markdown's marks go too: listings show these fields as plain text.
    """
    line = " ".join(INVISIBLE.sub("", text).split())
    line = re.sub(r"\[([^\]]{1,200})\]\([^)]{0,500}\)", r"\1", line)
    line = line.replace("`", "").replace("**", "").replace("->", "to").replace("=>", "to")
    line = re.sub(r"<([^<>]{0,80})>", r"\1", line).replace("<", "below ").replace(">", "above ")
    return re.sub(r"-{3,}", "-", line).strip()


def fence(code: str) -> str:
    """Return a fence of backticks longer than any run in `code`, at least three."""
    longest = max((len(run) for run in re.findall(r"`+", code)), default=0)
    return "`" * max(3, longest + 1)
