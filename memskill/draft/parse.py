"""A model's reply as a draft body, or every fault of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from memskill.draft.bodies import DraftBody, Step
from memskill.draft.sentences import split_sentences

_TEXT = {"type": "string"}
_TEXTS = {"type": "array", "items": _TEXT}
_STEP_KEYS = ("do", "code", "language", "check", "on_failure")
# Sent to the model and to servers that can enforce it.
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {
        "not_skill_worthy": _TEXT,
        "title": _TEXT,
        "description": _TEXT,
        "when_to_use": _TEXT,
        "steps": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": dict.fromkeys(_STEP_KEYS, _TEXT),
                "required": list(_STEP_KEYS),
                "additionalProperties": False,
            },
        },
        "failures": _TEXTS,
        "pitfalls": _TEXTS,
        "verification": _TEXTS,
    },
    "required": [
        "not_skill_worthy", "title", "description", "when_to_use",
        "steps", "failures", "pitfalls", "verification",
    ],
    "additionalProperties": False,
}  # fmt: skip
MAX_ITEMS, MAX_TEXT, MAX_CODE, MAX_TITLE = 30, 2_000, 8_000, 100
_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*?)\n[ \t]*```", re.S | re.I)
_LANGUAGE = re.compile(r"[a-z0-9+#-]{0,20}")
_NUMBERED = re.compile(r"^\d{1,3}[.)]\s+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """What a reply says: a body, a refusal with its reason, or faults."""

    body: DraftBody | None = None
    refusal: str | None = None
    faults: tuple[str, ...] = ()


def parse_reply(text: str) -> Parsed:
    """Return what a reply says; never raises, whatever the text.

    Unknown fields are dropped: only what the schema names can reach a file. Texts of one line
    have their line ends made blanks.
    """
    found = _find_object(text)
    if found is None:
        return Parsed(faults=("the reply is not one JSON object",))
    reason = found.get("not_skill_worthy")
    if reason:
        said = " ".join(reason.split()) if isinstance(reason, str) else ""
        return Parsed(refusal=said or "the model gave no reason")
    reader = _Reader(found)
    description = reader.line("description", required=True)
    body = DraftBody(
        title=reader.line("title") or _title(description),
        description=description,
        when_to_use=reader.line("when_to_use"),
        steps=reader.steps(),
        failures=reader.lines("failures"),
        pitfalls=reader.lines("pitfalls"),
        verification=reader.lines("verification"),
    )
    if reader.faults:
        return Parsed(faults=tuple(reader.faults))
    return Parsed(body=body)


def _title(description: str) -> str:
    """Return a title for a reply without one: what the description says that the skill does."""
    first = next(iter(split_sentences(description)), "").rstrip(". ")
    return first if len(first) <= MAX_TITLE else first[:MAX_TITLE].rsplit(" ", 1)[0].rstrip(",;:")


def _find_object(text: str) -> Mapping[str, object] | None:
    """Return the reply's JSON object: alone, in a fence, or the outermost braces."""
    candidates = [text, *(m[1] for m in _FENCED.finditer(text))]
    start, end = text.find("{"), text.rfind("}")
    if 0 <= start < end:
        candidates.append(text[start : end + 1])
    for candidate in candidates:
        try:
            loaded: object = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(loaded, dict):
            return cast("dict[str, object]", loaded)
    return None


class _Reader:
    """Reads fields and gathers the faults of all of them."""

    def __init__(self, found: Mapping[str, object]) -> None:
        self._found = found
        self.faults: list[str] = []

    def line(self, key: str, *, required: bool = False) -> str:
        return self._line(self._found.get(key, ""), key, required=required)

    def lines(self, key: str) -> tuple[str, ...]:
        values = self._list(key)
        texts = (self._line(value, f"{key}[{i}]") for i, value in enumerate(values))
        return tuple(text for text in texts if text)

    def steps(self) -> tuple[Step, ...]:
        values = self._list("steps")
        if not values and "steps" not in str(self.faults):
            self.faults.append("steps is empty; say why in not_skill_worthy")
        return tuple(self._step(value, f"steps[{i}]") for i, value in enumerate(values))

    def _step(self, value: object, where: str) -> Step:
        if not isinstance(value, dict):
            self.faults.append(f"{where} is not an object")
            return Step(do="")
        step = cast("dict[str, object]", value)
        code = self._text(step.get("code", ""), f"{where}.code", MAX_CODE)
        language = self._line(step.get("language", ""), f"{where}.language").lower()
        return Step(
            do=_NUMBERED.sub("", self._line(step.get("do", ""), f"{where}.do", required=True)),
            code=_bare_code(code),
            language=language if _LANGUAGE.fullmatch(language) else "",
            check=self._line(step.get("check", ""), f"{where}.check"),
            on_failure=self._line(step.get("on_failure", ""), f"{where}.on_failure"),
        )

    def _list(self, key: str) -> list[object]:
        value = self._found.get(key, [])
        if value is None:
            return []
        if not isinstance(value, list):
            self.faults.append(f"{key} is not a list")
            return []
        items = cast("list[object]", value)
        if len(items) > MAX_ITEMS:
            self.faults.append(f"{key} has {len(items)} items, at most {MAX_ITEMS} are taken")
        return items[:MAX_ITEMS]

    def _line(self, value: object, where: str, *, required: bool = False) -> str:
        text = " ".join(self._text(value, where, MAX_TEXT).split())
        if required and not text and isinstance(value, str):
            self.faults.append(f"{where} is empty")
        return text

    def _text(self, value: object, where: str, limit: int) -> str:
        if value is None:
            return ""
        if not isinstance(value, str):
            self.faults.append(f"{where} is not a text")
            return ""
        if len(value) > limit:
            self.faults.append(f"{where} has {len(value)} characters, at most {limit} are taken")
        # A lone surrogate fits no file.
        return value[:limit].encode("utf-8", "replace").decode("utf-8")


def _bare_code(code: str) -> str:
    """Return code without a fence that the model put around it."""
    lines = code.strip("\n").split("\n")
    if len(lines) > 1 and lines[0].startswith("```") and lines[-1].strip() == "```":
        lines = lines[1:-1]
    return "\n".join(line.rstrip() for line in lines).strip("\n")
