"""Skills, their clauses and terms, as the vault holds them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from memskill.records import Clause, Skill, State
from memskill.store.base import Connection, Row


@dataclass(frozen=True, slots=True, kw_only=True)
class SkillRows:
    """All that is kept of one skill file: the skill, its matched texts and their shas."""

    skill: Skill
    text_sha: str
    clauses: tuple[tuple[Clause, str], ...]
    terms: Mapping[str, int]
    record_sha: str


class SkillQueries(Connection):
    """Reads and writes of skills. Writes belong inside `transaction()`."""

    def skills(self, state: State) -> list[Skill]:
        """Return the skills of one state, by name then path."""
        return [_skill(row) for row in self._rows("list_skills", state=state)]

    def skill_records(self) -> dict[str, str]:
        """Return path -> record sha: what is kept of each skill file."""
        return {str(path): str(sha) for path, sha in self._rows("skill_records")}

    def remove_skills(self, paths: Sequence[str]) -> None:
        """Forget skills with their clauses and terms."""
        import polars as pl

        rows = [{"path": path} for path in paths]
        for query in ("delete_skill_terms", "delete_skill_clauses", "delete_skills"):
            self._load(query, rows, {"path": pl.String})

    def add_skills(self, found: Iterable[SkillRows]) -> None:
        """Keep skills that are not kept yet (`remove_skills` first for changed ones)."""
        import polars as pl

        found = list(found)
        names = ("path", "name", "description", "when_to_use", "content_sha", "state")
        texts = ("skill_path", "field", "polarity", "text_sha", "text")
        columns = (*names, "generated_from", "text_sha", "record_sha")
        self._load(
            "insert_skills",
            [
                {name: getattr(one.skill, name) for name in (*names, "generated_from")}
                | {
                    "projects": list(one.skill.projects),
                    "text_sha": one.text_sha,
                    "record_sha": one.record_sha,
                }
                for one in found
            ],
            dict.fromkeys(columns, pl.String) | {"projects": pl.List(pl.String)},
        )
        self._load(
            "insert_skill_clauses",
            [
                {
                    "skill_path": one.skill.path,
                    "field": clause.field,
                    "polarity": clause.polarity,
                    "ordinal": clause.ordinal,
                    "text_sha": sha,
                    "text": clause.text,
                }
                for one in found
                for clause, sha in one.clauses
            ],
            dict.fromkeys(texts, pl.String) | {"ordinal": pl.Int32},
        )
        self._load(
            "insert_skill_terms",
            [
                {"skill_path": one.skill.path, "term": term, "tf": tf}
                for one in found
                for term, tf in sorted(one.terms.items())
            ],
            {"skill_path": pl.String, "term": pl.String, "tf": pl.Int32},
        )


def _skill(row: Row) -> Skill:
    path, name, description, when_to_use, projects, state, content_sha, generated_from = row
    return Skill(
        path=path,
        name=name,
        description=description,
        when_to_use=when_to_use,
        projects=tuple(projects),
        state=state,
        content_sha=content_sha,
        generated_from=generated_from,
    )
