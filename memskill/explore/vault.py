"""A vault as notebooks see it: the verbs of the pipeline, with results that show themselves."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from memskill.config import Settings, load_settings
from memskill.explore.chart import Chart
from memskill.explore.charts import evidence_chart
from memskill.explore.knowing import Knowing
from memskill.explore.markup import counted
from memskill.explore.shown import Rows, Shown
from memskill.pipeline.draft import DraftReport, DraftRequest, draft_prompt, draft_skill
from memskill.pipeline.ingest import IngestReport, ingest
from memskill.pipeline.lint import LintReport, lint_paths
from memskill.pipeline.matching import MatchResult
from memskill.pipeline.notes import query_notes
from memskill.pipeline.vault import list_skills
from memskill.records import Candidate, Level, Match, Node, NoteHit, Skill, State
from memskill.sources.slug import slug
from memskill.store import open_store, private_copy

if TYPE_CHECKING:
    import duckdb

    from memskill.draft.prompt import Prompt

# The folder of a vault with scripted replies, each named for its note.
REPLIES = "replies"


def open_vault(path: str | os.PathLike[str] | None = None) -> Vault:
    """Return a vault to look around in; nothing is read before a verb is called.

    Args:
        path: The vault's folder; found as `mem` finds it where it is left out.

    Raises:
        ConfigError: A setting cannot be.
    """
    return Vault(load_settings({"vault": None if path is None else os.fspath(path)}))


class Vault(Knowing):
    """A vault with its verbs; `settings` are those in force, but nothing asked here is logged."""

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self._copy: tuple[object, duckdb.DuckDBPyConnection] | None = None

    def __repr__(self) -> str:
        return f"vault {self.settings.vault.name!r}"

    def ingest(self) -> Shown[IngestReport]:
        """Read the vault into the database and return what changed."""
        report = ingest(self.settings)
        self._deciding.clear()
        return Shown(report)

    def notes(self, *, level: Level | None = None, project: str | None = None) -> Rows[Node]:
        """Return the notes that hold now, by address and level.

        Raises:
            NotFound: There is no database yet.
        """
        with open_store(self.settings) as store:
            valid = store.valid_shas()
            found = [
                node
                for node in store.all_nodes()
                if node.sha in valid and level in (None, node.level) and node.level != "L0"
                and project in (None, node.project)
            ]  # fmt: skip
        found.sort(key=lambda node: (node.address, node.level, node.sha))
        return Rows(Node, found, counted(len(found), "note"))

    def search(
        self,
        question: str,
        *,
        project: str | None = None,
        level: Level | None = None,
        limit: int = 5,
    ) -> Rows[NoteHit]:
        """Return the notes nearest to a question, best first."""
        hits = query_notes(self.settings, question, project=project, level=level, limit=limit)
        return Rows(NoteHit, hits, f"{counted(len(hits), 'note')} near: {question}")

    def skills(self, *, project: str | None = None) -> Rows[Skill]:
        """Return the promoted skills by name."""
        return self._skills("promoted", project)

    def drafts(self) -> Rows[Skill]:
        """Return the drafts by name."""
        return self._skills("draft", None)

    def match(self, task: str, *, project: str | None = None, limit: int = 3) -> Rows[Match]:
        """Return the few promoted skills that fit a task, best first, or none.

        Raises:
            FloorMissing: No floor was fitted for the models in use.
        """
        found = self.matching.match(task, project=project, limit=limit)
        return Rows(Match, found.matches, f"{counted(len(found.matches), 'skill')} for: {task}")

    def explain(self, task: str, *, project: str | None = None) -> Shown[MatchResult]:
        """Return what `match` decides, with every candidate and what its place rests on."""
        return Shown(self.matching.match(task, project=project, explain=True))

    def evidence(self, task: str, *, project: str | None = None) -> Chart:
        """Return the candidates' evidence and scores as a chart, with the floor drawn in."""
        result = self.explain(task, project=project).record
        return evidence_chart(result.answer.candidates[:3], result.floor.value)

    def shortlist(self, task: str, *, project: str | None = None) -> Rows[Candidate]:
        """Return the candidates as the shortlist orders them, before any reranking."""
        found = self.matching.match(task, project=project, explain=True).answer.candidates
        ordered = sorted(found, key=lambda one: (-one.hybrid, one.name))
        return Rows(
            Candidate,
            ordered,
            f"{counted(len(ordered), 'candidate')}, by the shortlist's own score",
        )

    def prompt(self, address: str, *, level: Level | None = None) -> Shown[Prompt]:
        """Return the exact prompt that a chat model would get for a note."""
        return Shown(draft_prompt(self.settings, address, level))

    def model_for(self, address: str) -> str:
        """Return what drafts from a note: a reply that lies in `replies/`, else the chat model.

        The reply of `<project>/<query-id>` is `replies/<project>-<query-id>.json`.
        """
        project, _, query_id = address.partition("/")
        reply = self.settings.vault / REPLIES / f"{slug(project, query_id)}.json"
        return f"scripted:{reply}" if reply.is_file() else self.settings.chat_model

    def draft(
        self,
        address: str,
        *,
        model: str | None = None,
        level: Level | None = None,
        dry_run: bool = False,
        force: bool = False,
    ) -> Shown[DraftReport]:
        """Return the draft made from a note; it is written below `_drafts` unless `dry_run`.

        Raises:
            NotFound: No such note; the hint names the nearest.
            NotSkillWorthy, DraftRejected: See `pipeline.draft.draft_skill`.
        """
        request = DraftRequest(model=model, level=level, dry_run=dry_run, force=force)
        return Shown(draft_skill(self.settings, address, request))

    def lint(self, *paths: str | os.PathLike[str]) -> Rows[LintReport]:
        """Return what lint says of the given files and folders of the vault, or of all its skills.

        Args:
            paths: Relative to the vault, or absolute.
        """
        vault = self.settings.vault
        reports = lint_paths(self.settings, [str(vault / path) for path in paths])
        found = [replace(report, path=_relative(report.path, vault)) for report in reports]
        return Rows(LintReport, found, f"{counted(len(found), 'file')} looked at")

    def sql(self, query: str, **params: object) -> duckdb.DuckDBPyRelation:
        """Return a DuckDB relation over a private copy of the database as it is now.

        Tables stand under their names, views under `derived.`; `mem help sql` tells of them. The
        copy is made anew when the database has changed, and keeps no writer waiting.

        Raises:
            NotFound: There is no database yet.
        """
        stat = self.settings.database.stat() if self.settings.database.exists() else None
        key = (stat.st_ino, stat.st_size, stat.st_mtime_ns) if stat else None
        if self._copy is None or self._copy[0] != key:
            self._copy = (key, private_copy(self.settings))
        return self._copy[1].sql(query, params=params)

    def _skills(self, state: State, project: str | None) -> Rows[Skill]:
        found, _ = list_skills(self.settings, state, project)
        noun = "skill" if state == "promoted" else "draft"
        return Rows(Skill, found, counted(len(found), noun))


def _relative(path: str, folder: Path) -> str:
    return str(Path(path).relative_to(folder)) if Path(path).is_relative_to(folder) else path
