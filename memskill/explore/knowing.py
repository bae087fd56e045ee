"""The half of a vault's face that looks at lessons, and asks notes and lessons."""

from __future__ import annotations

import functools
import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from memskill.errors import NotFound
from memskill.explore.chart import Chart
from memskill.explore.charts import confidence_chart
from memskill.explore.judging import Judging
from memskill.explore.labels import QUESTIONS, TaskSource, as_file, read_source
from memskill.explore.markup import counted
from memskill.explore.shown import Rows, Shown
from memskill.match.notesearch import Hit, HitCandidate
from memskill.pipeline.context import DEFAULT_CHARS, Context, Contexts
from memskill.pipeline.lessons import LessonView, list_lessons, show_lesson
from memskill.pipeline.notefloor import TunedNotes, tune_notes
from memskill.pipeline.querying import Querying, narrowed
from memskill.pipeline.transcripts import TranscriptReport, ingest_transcripts
from memskill.records import Lesson, LessonState, Split, Task
from memskill.store import open_store

# The folder of a vault with transcripts that a notebook reads where it names none.
TRANSCRIPTS = "transcripts"


class Knowing(Judging):
    """Verbs over lessons and notes search; models load with the first question."""

    @functools.cached_property
    def contexts(self) -> Contexts:
        """What puts contexts together, as the server has it."""
        return Contexts(self.matching)

    @property
    def querying(self) -> Querying:
        """What answers questions to notes and lessons."""
        return self.contexts.querying

    def learn(self, *paths: str | os.PathLike[str]) -> Shown[TranscriptReport]:
        """Read transcripts into the database and return what they held.

        Args:
            paths: Files and folders; the vault's folder `transcripts` where none is named.

        Raises:
            NotFound: There is no such folder.
        """
        own = self.settings.vault / TRANSCRIPTS
        if not paths and not own.is_dir():
            raise NotFound(
                f"no transcripts in {own}", hint='Name some: learn("~/.claude/projects").'
            )
        found = ingest_transcripts(
            self.settings, [Path(path).expanduser() for path in paths] or [own]
        )
        # Where a file lies says nothing of what it held, and names a machine.
        files = tuple(replace(one, path=Path(one.path).name) for one in found.files)
        skipped = tuple(replace(one, path=Path(one.path).name) for one in found.skipped)
        return Shown(replace(found, files=files, skipped=skipped))

    def lessons(self, *, tool: str | None = None, state: LessonState | None = None) -> Rows[Lesson]:
        """Return lessons: pinned first, retired last, then the surest first.

        Raises:
            NotFound: There is no database yet.
        """
        found = list_lessons(self.settings, tool=tool, state=state)
        return Rows(Lesson, found, counted(len(found), "lesson"))

    def lesson(self, lesson: str | Lesson | Shown[Lesson]) -> Shown[LessonView]:
        """Return a lesson with each moment that it rests on, and those that may say the same.

        Args:
            lesson: It, or at least 4 characters of its id.

        Raises:
            NotFound, UsageError: See `pipeline.lessons.show_lesson`.
        """
        name = lesson if isinstance(lesson, str) else lesson.id
        view = show_lesson(self.settings, name, encoder=self.matching.matcher.encoder)
        moments = tuple(replace(one, path=Path(one.path).name) for one in view.moments)
        return Shown(replace(view, moments=moments))

    def confidence(self, lessons: Rows[Lesson] | Sequence[Lesson] | None = None) -> Chart:
        """Return how sure lessons were, day by day, as a chart; all lessons by default."""
        found = self.lessons() if lessons is None else lessons
        chosen = found.records if isinstance(found, Rows) else found
        with open_store(self.settings) as store:
            days = store.lesson_history()
        return confidence_chart(chosen, days)

    def query(
        self,
        question: str,
        *,
        project: str | None = None,
        level: str | None = None,
        limit: int = 5,
    ) -> Rows[Hit]:
        """Return the notes and lessons that answer a question or a pasted error, or none.

        Args:
            question: A question, some words, or a pasted error message.
            project: Only notes and lessons of this project.
            level: "L0", "L1", "L2", or "lesson".
            limit: At most this many.

        Raises:
            NotFound, FloorMissing, StoreBehind: See `Querying.query`.
        """
        number, kind = narrowed(level) if level else (None, None)
        found = self.querying.query(
            question, project=project, level=number, kind=kind, limit=limit
        ).hits
        return Rows(Hit, found, f"{counted(len(found), 'answer')} to: {question}")

    def explain_query(self, question: str, *, project: str | None = None) -> Rows[HitCandidate]:
        """Return everything that was considered for a question, and what its place rests on."""
        found = self.querying.query(question, project=project, explain=True)
        kept = sum(one.kept for one in found.candidates)
        said = f"{kept} of {counted(len(found.candidates), 'candidate')} kept for: {question}"
        return Rows(HitCandidate, found.candidates, said)

    def context(
        self, task: str, *, project: str | None = None, max_chars: int = DEFAULT_CHARS
    ) -> Shown[Context]:
        """Return what is known for a task under one budget; see `Contexts.context`."""
        found = self.contexts.context(task, project=project, max_chars=max_chars)
        return Shown(found.context)

    def questions(self, source: TaskSource = None) -> Rows[Task]:
        """Return labelled questions to notes search: of the folder `questions`, or of a file.

        Raises:
            NotFound: There is none.
            TasksInvalid: A file breaks the schema.
        """
        found = read_source(self.settings, source, folder=QUESTIONS)
        return Rows(Task, found, counted(len(found), "labelled question"))

    def tune_notes(
        self,
        questions: TaskSource = None,
        *,
        target: str = "false_fire<=0.1",
        seed: int = 0,
        share: float = 0.5,
        fit_on: Collection[Split] = (),
        report_on: Collection[Split] = (),
        dry_run: bool = False,
    ) -> Shown[TunedNotes]:
        """Return notes search fitted on one part of the questions and reported on the other.

        It is put in force unless `dry_run`; see `pipeline.notefloor.tune_notes`.
        """
        with as_file(self.settings, questions, folder=QUESTIONS) as path:
            tuned = tune_notes(
                self.settings,
                [path],
                target,
                seed=seed,
                share=share,
                fit_on=fit_on,
                report_on=report_on,
                dry_run=dry_run,
            )
        return Shown(tuned)
