"""What a harness, or memskill itself, put into a conversation: none of it is a person's word."""

from __future__ import annotations

import re

# Around everything that memskill puts before an agent (`lessons.injection`, MEMORY.md), so that
# what was injected is never learned again as if it had happened.
OPEN_MARK, CLOSE_MARK = "<memskill-observation", "</memskill-observation>"
DIGEST_OPEN, DIGEST_CLOSE = "<!-- memskill:lessons:begin -->", "<!-- memskill:lessons:end -->"

# Prefix of a user's row -> why it is dropped.
_PREFIXES = (
    ("<system-reminder", "system-reminder"),
    ("<command-", "command-wrapper"),
    ("<local-command", "command-wrapper"),
    ("<bash-", "command-wrapper"),
    ("<user-prompt-submit-hook", "command-wrapper"),
    ("<task-notification", "task-notification"),
    ("Caveat: The messages below were generated", "command-wrapper"),
    ("[Request interrupted by user", "interrupt-notice"),
    ("This session is being continued from a previous conversation", "compaction-summary"),
    ("Your task is to create a detailed summary of the conversation", "compaction-summary"),
    ("# AGENTS.md", "instructions"),
    ("# CLAUDE.md", "instructions"),
    ("<INSTRUCTIONS>", "instructions"),
    ("<user_instructions", "instructions"),
    ("<permissions instructions", "instructions"),
    ("<environment_context", "environment"),
    ("<turn_aborted", "interrupt-notice"),
    ("<context_ref", "environment"),
    ("<user_shell_command", "command-wrapper"),
    ("I ran the following shell command:\n```", "command-wrapper"),
    ("<subagent_notification", "task-notification"),
    ("<state_snapshot", "compaction-summary"),
    ("<collaboration_mode", "instructions"),
    ("<multi_agent_mode", "instructions"),
    ("<apps_instructions", "instructions"),
    ("<skills_instructions", "instructions"),
    ("<plugins_instructions", "instructions"),
    ("<ide_", "environment"),
)
_HEADS = tuple(prefix for prefix, _ in _PREFIXES)
# A block is cut to its end, or to the end of the text where the end is missing.
_BLOCKS = (
    ("<system-reminder>", "</system-reminder>", "system-reminder"),
    (OPEN_MARK, CLOSE_MARK, "own-injection"),
    (DIGEST_OPEN, DIGEST_CLOSE, "own-injection"),
)
_SPACE = re.compile(r"\n{3,}")


def strip_injected(text: str) -> tuple[str, list[str]]:
    """Return `text` without injected blocks, and one reason a block; linear in its length."""
    reasons: list[str] = []
    for opening, closing, reason in _BLOCKS:
        if opening not in text:
            continue
        parts: list[str] = []
        at = 0
        while (start := text.find(opening, at)) >= 0:
            parts.append(text[at:start])
            reasons.append(reason)
            end = text.find(closing, start)
            at = len(text) if end < 0 else end + len(closing)
        text = _SPACE.sub("\n\n", "".join((*parts, text[at:])))
    return text, reasons


def injected_row(text: str) -> str | None:
    """Return why a whole user row is not a person's word, or None where it is one."""
    head = text.lstrip()[:80]
    if not head.startswith(_HEADS):
        return None
    return next(reason for prefix, reason in _PREFIXES if head.startswith(prefix))
