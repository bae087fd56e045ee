"""Other shapes of labelled tasks, each row turned into rows of the schema of `tasks`.

A converter passes values on as it finds them; the schema's validator judges them. Where a label
says only "not this skill", the task forbids that skill and judges no other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeAlias, cast

Row: TypeAlias = Mapping[str, object]
# (rows of the schema, why there are none).
Converted: TypeAlias = tuple[list[Row], str]


class FormFault(ValueError):
    """A field of a row is not what its shape needs."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def form_of(row: Row) -> str:
    """Return the shape of a file by the keys of its first row; "tasks" for our own or unknown."""
    if "task" in row:
        return "tasks"
    return next((form for form, keys in _KEYS.items() if keys <= row.keys()), "tasks")


def folder_name(skill_id: str) -> str:
    """Return the last part of `owner/repository:path/to/skill`: the folder, which is the name.

    A skill at the root of its repository (`:.`) has the repository's name.
    """
    return skill_id.removesuffix(":.").rstrip("/").rsplit("/", 1)[-1].rsplit(":", 1)[-1]


def convert(form: str, row: Row, skill: str, name_of: Callable[[str], str]) -> Converted:
    """Return the rows of the schema that say what `row` says.

    Args:
        form: What `form_of` gave.
        row: A row of that shape.
        skill: The skill that a trigger set was written for.
        name_of: Turns a skill id into a name.

    Raises:
        FormFault: A field is missing or of the wrong type.
    """
    try:
        return _CONVERTERS[form](row, skill, name_of)
    except KeyError as error:
        raise FormFault(str(error.args[0]), "is missing") from error


def _trigger(row: Row, skill: str, name_of: Callable[[str], str]) -> Converted:
    """`{query, should_trigger}`: a set written for one skill, as skill authors keep them."""
    if not skill:
        raise FormFault("should_trigger", "the set's skill must be named (--skill NAME)")
    return [_for_one(row["query"], skill, _truth(row, "should_trigger"), [])], ""


def _labelled(row: Row, skill: str, name_of: Callable[[str], str]) -> Converted:
    """Published trigger evaluations: several right skills, or none among `negative_for`."""
    own = row["skill_id"]
    if own is None:
        against = [name_of(one) for one in _ids(row, "negative_for")]
        plain = {"task": row["query"], "expected": [], "forbidden": _once(against), "kind": "none"}
        return [plain | _split(row)], ""
    name = name_of(_text(row, "skill_id"))
    fires = _truth(row, "should_trigger")
    keys = ("all_expected", "also_ok") if fires else ("better_skill",)
    others = [name_of(one) for key in keys for one in _ids(row, key)]
    return [_for_one(row["query"], name, fires, others) | _split(row)], ""


def _queries(row: Row, skill: str, name_of: Callable[[str], str]) -> Converted:
    """Tasks written for one skill: terse, natural and indirect fit it, a near miss does not."""
    kind, name = _text(row, "kind"), name_of(_text(row, "skill_id"))
    plain = _for_one(row["query"], name, kind != "near_miss", [])
    return [plain | ({"kind": "indirect"} if kind == "indirect" else {}) | _split(row)], ""


def _judged(row: Row, skill: str, name_of: Callable[[str], str]) -> Converted:
    """Graded candidates: 2 is right, 0 is wrong, 1 (related) stays unjudged."""
    names: dict[int, list[str]] = {0: [], 1: [], 2: []}
    for one in _list(row, "candidates"):
        candidate: Row = cast(Row, one) if isinstance(one, dict) else {}
        grade = candidate.get("grade")
        if not isinstance(grade, int) or grade not in names:
            raise FormFault("candidates", "each needs a skill_id and a grade 0, 1 or 2")
        names[grade].append(name_of(_text(candidate, "skill_id")))
    right = _once(names[2])
    # Names are folders: two skills of one name are one answer, and the better grade counts.
    wrong = [name for name in _once(names[0]) if name not in right and name not in names[1]]
    own, near_miss = name_of(_text(row, "written_for")), row.get("kind") == "near_miss"
    if not right and not (near_miss and wrong):
        return [], "no candidate was graded 2: nothing says what must come back"
    kind = "near_miss" if near_miss and wrong else "match"
    plain = {"task": row["query"], "expected": right, "forbidden": wrong, "group": own}
    return [plain | {"kind": kind} | _split(row)], ""


def _nomatch(row: Row, skill: str, name_of: Callable[[str], str]) -> Converted:
    """Tasks that nothing fits; a borderline one belongs to the skill that it lies beside."""
    near = [name_of(one) for one in _ids(row, "nearest")] if row.get("kind") == "borderline" else []
    plain: Row = {"task": row["query"], "expected": [], "group": near[0] if near else ""}
    return [{**plain, "kind": row.get("kind"), **_split(row)}], ""


def _authored(row: Row, skill: str, name_of: Callable[[str], str]) -> Converted:
    """Tasks written against a catalogue, with all that is right or nothing."""
    right = _once([name_of(one) for one in _ids(row, "expected")])
    plain = {"task": row["query"], "expected": right, "group": right[0] if right else ""}
    return [plain | {"kind": row.get("kind")} | _split(row)], ""


def _routing(row: Row, skill: str, name_of: Callable[[str], str]) -> Converted:
    """Families of skills that send tasks to each other."""
    plain = {"task": row["query"], "expected": row.get("expected"), "group": row["family"]}
    return [plain | {"kind": row.get("kind")} | _split(row)], ""


def _when_to_use(row: Row, skill: str, name_of: Callable[[str], str]) -> Converted:
    """Two tasks a skill: `d` fits its description, `w` mainly its when_to_use."""
    name = name_of(_text(row, "id"))
    plain = {"expected": [name], "group": name, "kind": "match"} | _split(row)
    return [
        plain | {"task": row["d"], "matched_on": "description"},
        plain | {"task": row["w"], "matched_on": "when_to_use"},
    ], ""


def _for_one(text: object, name: str, fires: bool, others: list[str]) -> dict[str, object]:
    """Return the row of a task that does or does not fit the skill `name`."""
    right = _once([name, *others] if fires else [one for one in others if one != name])
    row: dict[str, object] = {"task": text, "expected": right, "group": name}
    return row | ({"kind": "match"} if fires else {"kind": "near_miss", "forbidden": [name]})


def _split(row: Row) -> dict[str, object]:
    return {"split": row.get("split")}


def _once(names: list[str]) -> list[str]:
    return list(dict.fromkeys(names))


def _text(row: Row, key: str) -> str:
    value = row.get(key)
    if not isinstance(value, str):
        raise FormFault(key, "must be a text" if key in row else "is missing")
    return value


def _truth(row: Row, key: str) -> bool:
    value = row[key]
    if isinstance(value, str) and value.lower() in ("true", "false"):  # CSV has only texts
        return value.lower() == "true"
    if not isinstance(value, bool):
        raise FormFault(key, "must be true or false")
    return value


def _list(row: Row, key: str) -> list[object]:
    value = row.get(key)
    if value is None:
        return []
    if not isinstance(value, list):
        raise FormFault(key, "must be a list")
    return cast("list[object]", value)


def _ids(row: Row, key: str) -> list[str]:
    ids = _list(row, key)
    if not all(isinstance(one, str) for one in ids):
        raise FormFault(key, "must be a list of texts")
    return cast("list[str]", ids)


# Told apart by keys, the most particular first.
_KEYS: Mapping[str, frozenset[str]] = {
    "labelled": frozenset({"query", "should_trigger", "skill_id"}),
    "trigger": frozenset({"query", "should_trigger"}),
    "judged": frozenset({"query", "candidates", "written_for"}),
    "queries": frozenset({"query", "kind", "skill_id"}),
    "routing": frozenset({"query", "kind", "family"}),
    "nomatch": frozenset({"query", "kind", "nearest"}),
    "authored": frozenset({"query", "kind", "expected"}),
    "when_to_use": frozenset({"id", "d", "w"}),
}
_CONVERTERS: Mapping[str, Callable[[Row, str, Callable[[str], str]], Converted]] = {
    "labelled": _labelled,
    "trigger": _trigger,
    "judged": _judged,
    "queries": _queries,
    "routing": _routing,
    "nomatch": _nomatch,
    "authored": _authored,
    "when_to_use": _when_to_use,
}
