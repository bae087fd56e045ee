"""One context for a task: the skills, lessons and notes that fit it, under one budget."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from memskill.errors import FloorMissing, MemskillError, NotFound, StoreError, UsageError
from memskill.lessons.budget import PARTS, Entry, Part, SkillNotice, entry_line, fit_parts
from memskill.lessons.budget import render_parts as render
from memskill.lessons.injection import Observation, lesson_hit
from memskill.match.noteindex import Found
from memskill.match.notesearch import Hit
from memskill.pipeline.matching import Matched, Matching
from memskill.pipeline.querying import Querying
from memskill.records import Match, Skill
from memskill.sources.safety import one_line
from memskill.store import HitKind

# Characters (code points) of the text.
MIN_CHARS, MAX_CHARS, DEFAULT_CHARS = 200, 50_000, 4_000
# Of each part: more than a few are noise, whatever room there is.
MOST: Mapping[Part, int] = {"skills": 3, "lessons": 3, "notes": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextItem:
    """A skill, lesson or note that reaches its floor and stands in the text."""

    # A skill's name, a lesson's id, a note's address.
    id: str
    # Calibrated probability in [0, 1], rounded once to 4 places.
    score: float
    # Where it comes from, by name; see `Contexts.context`.
    provenance: Mapping[str, str]
    # Its line in the text.
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Context:
    """What is known for a task; a part is empty where nothing reaches its floor."""

    # Best first each; all that stands in `text`, and nothing else.
    skills: tuple[ContextItem, ...]
    lessons: tuple[ContextItem, ...]
    notes: tuple[ContextItem, ...]
    # What to put before an agent: marked blocks, at most `max_chars` long; "" for nothing.
    text: str
    max_chars: int
    # Part -> how many reached the floor and found no room.
    left_out: Mapping[Part, int]
    # Why lessons and notes could not be searched, or not all of them.
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextResult:
    """A context as it is given out."""

    context: Context
    # Stage -> seconds.
    seconds: Mapping[str, float] = field(default_factory=dict[str, float])
    # What feedback calls the match of skills by; "" where nothing is kept of it.
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """An entry with what the answer says of it."""

    id: str
    score: float
    provenance: Mapping[str, str]
    entry: Entry


class Contexts:
    """Puts together what is known for a task; safe for several threads at once.

    Args:
        matching: Answers for skills.
        querying: Answers for lessons and notes; of the same encoder by default.
    """

    def __init__(self, matching: Matching, querying: Querying | None = None) -> None:
        self.matching = matching
        self.querying = querying or Querying(matching.settings, matching)

    def context(
        self, task: str, *, project: str | None = None, max_chars: int = DEFAULT_CHARS
    ) -> ContextResult:
        """Return what is known for `task`, at most `max_chars` characters of text.

        Skills, lessons and notes, at most three each, in this order; each part takes what fits
        into its share (50, 25, 25 of a hundred), then what room is left is given on in the same
        order. Whole items only. Provenance of a skill: path, matched_on, generated_from; of a
        lesson: project, state, last_seen, path, lines; of a note: level, sha, trust, created_at,
        path, lines.

        Without a database, or where notes cannot be searched, `warnings` says why and the
        skills stand alone.

        Raises:
            UsageError: A blank or over-long task, or `max_chars` outside 200..50000.
            FloorMissing: No floor was fitted for skills and the models in use.
        """
        if not MIN_CHARS <= max_chars <= MAX_CHARS:
            raise UsageError(
                f"max_chars must be between {MIN_CHARS} and {MAX_CHARS}, not {max_chars}"
            )
        (matched,) = self.matching.match_all([task], project=project, limit=MOST["skills"])
        warnings: list[str] = []
        seconds = dict(matched.seconds)
        known: dict[Part, list[_Known]] = {
            "skills": self._skills(matched),
            "lessons": self._found("lesson", task, project, warnings, seconds),
            "notes": self._found("note", task, project, warnings, seconds),
        }
        context = assemble(known, max_chars, tuple(dict.fromkeys(warnings)))
        return ContextResult(context=context, seconds=seconds, id=matched.id)

    def _skills(self, matched: Matched) -> list[_Known]:
        skills = self.matching.catalogue.current().skills
        found = ((match, skills.get(f"skills/{match.name}/SKILL.md")) for match in matched.matches)
        # A skill that went between two looks is not named.
        return [_skill(match, skill) for match, skill in found if skill is not None]

    def _found(
        self,
        kind: HitKind,
        task: str,
        project: str | None,
        warnings: list[str],
        seconds: dict[str, float],
    ) -> list[_Known]:
        """Return what search finds of one kind; what hinders it is added to `warnings`."""
        most = MOST["lessons" if kind == "lesson" else "notes"]
        try:
            result = self.querying.query(task, project=project, kind=kind, limit=most)
            index = self.querying.index(result.policy)
        except (NotFound, FloorMissing, StoreError) as error:
            warnings.append(_why(error))
            return []
        for stage, value in result.seconds.items():
            seconds[stage] = seconds.get(stage, 0.0) + value
        if result.unread:
            warnings.append(f"{result.unread} notes are not searched: `mem ingest` encodes them")
        keys = (hit.id if kind == "lesson" else hit.sha for hit in result.hits)
        return [
            _observed(hit, index.found.get(key)) for hit, key in zip(result.hits, keys, strict=True)
        ]


def assemble(
    known: Mapping[Part, Sequence[_Known]], max_chars: int, warnings: tuple[str, ...] = ()
) -> Context:
    """Return the context that these make, the best of each part first."""
    entries: dict[Part, list[Entry]] = {part: [one.entry for one in known[part]] for part in PARTS}
    counts = fit_parts(entries, max_chars)
    items = {
        part: tuple(
            ContextItem(
                id=one.id, score=one.score, provenance=one.provenance, text=entry_line(one.entry)
            )
            for one in known[part][: counts[part]]
        )
        for part in PARTS
    }
    return Context(
        skills=items["skills"],
        lessons=items["lessons"],
        notes=items["notes"],
        text=render({part: entries[part][: counts[part]] for part in PARTS}),
        max_chars=max_chars,
        left_out={part: len(known[part]) - counts[part] for part in PARTS},
        warnings=warnings,
    )


def _skill(match: Match, skill: Skill) -> _Known:
    return _Known(
        id=match.name,
        score=match.score,
        provenance={
            "path": skill.path,
            "matched_on": match.matched_on,
            "generated_from": skill.generated_from,
        },
        entry=SkillNotice(
            name=skill.name,
            path=skill.path,
            description=skill.description,
            when_to_use=skill.when_to_use,
        ),
    )


def _observed(hit: Hit, found: Found | None) -> _Known:
    """Return a hit as an observation; `found` is None where the index moved on meanwhile."""
    entry, facts = _lesson(hit, found) if hit.kind == "lesson" else _note(hit, found)
    lines = "-".join(map(str, hit.lines)) if hit.lines else ""
    provenance = {**facts, "path": hit.path, "lines": lines}
    return _Known(id=hit.id, score=hit.score, provenance=provenance, entry=entry)


def _lesson(hit: Hit, found: Found | None) -> tuple[Observation, dict[str, str]]:
    lesson = found.lesson if found else None
    facts = {
        "project": hit.project,
        "state": lesson.state if lesson else "",
        "last_seen": lesson.last_seen if lesson else "",
    }
    if lesson:
        return lesson_hit([lesson]).items[0], facts
    text = f"{hit.title} Then: {hit.excerpt}"
    return Observation(text=text, source=f"lesson {hit.id:.12}"), facts


def _note(hit: Hit, found: Found | None) -> tuple[Observation, dict[str, str]]:
    node = found.node if found else None
    facts = {
        "level": hit.level or "",
        "sha": hit.sha,
        "trust": node.trust if node else "",
        "created_at": node.created_at if node else "",
    }
    told = ", ".join(fact for fact in (facts["level"], facts["trust"]) if fact)
    entry = Observation(
        text=f"{hit.title} {_passage(hit, found)}",
        source=f"note {hit.id} ({told})",
        date=facts["created_at"][:10],
    )
    return entry, facts


def _passage(hit: Hit, found: Found | None) -> str:
    """Return the whole passage that the excerpt was cut from."""
    if found is None or found.node is None:
        return hit.excerpt
    start_of = hit.excerpt.removesuffix("…")
    passages = (found.node.body[start:stop] for start, stop in found.spans.values())
    return next((p for p in passages if one_line(p).startswith(start_of)), hit.excerpt)


def _why(error: MemskillError) -> str:
    return f"lessons and notes are not searched: {error.message}" + (
        f" ({error.hint})" if error.hint else ""
    )
