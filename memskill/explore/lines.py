"""Every record and report as one line."""

from __future__ import annotations

import dataclasses
from functools import singledispatch

from memskill.draft.prompt import Prompt
from memskill.explore.markup import shown
from memskill.match.measures import Estimate
from memskill.match.notesearch import Hit, HitCandidate
from memskill.match.wrong import WrongCase
from memskill.pipeline.context import Context
from memskill.pipeline.draft import DraftReport
from memskill.pipeline.evaluate import Evaluation
from memskill.pipeline.floor import Tuned
from memskill.pipeline.ingest import IngestReport
from memskill.pipeline.lessons import LessonView
from memskill.pipeline.lint import LintReport
from memskill.pipeline.matching import MatchResult
from memskill.pipeline.notefloor import TunedNotes
from memskill.pipeline.summary import summary_line
from memskill.pipeline.transcripts import TranscriptReport
from memskill.records import Candidate, Floor, Lesson, Match, Node, NoteHit, Skill, Task
from memskill.sources.safety import printable


@singledispatch
def line_of(record: object) -> str:
    """Return `record` as one line fit for a terminal: no machine's path, no time."""
    return printable(str(record), 300)


@line_of.register
def _(record: IngestReport) -> str:
    # The seconds go: they are the one part that differs between two equal runs.
    return summary_line(dataclasses.replace(record, seconds=0.0)).rpartition(", ")[0]


@line_of.register
def _(record: Node) -> str:
    return printable(f"{record.level} {record.address}: {record.query}", 300)


@line_of.register
def _(record: NoteHit) -> str:
    said = f"{record.level} {record.address} (cosine {shown(record.cosine)}): {record.query}"
    return printable(said, 300)


@line_of.register
def _(record: Skill) -> str:
    return printable(f"{record.name} ({record.state}): {record.description}", 300)


@line_of.register
def _(record: Match) -> str:
    return printable(f"{record.name}: score {shown(record.score)} on {record.matched_on}", 300)


@line_of.register
def _(record: Candidate) -> str:
    kept = "kept" if record.kept else "dropped"
    return printable(f"{record.name}: {kept}, score {shown(record.score)}", 300)


@line_of.register
def _(record: Task) -> str:
    wanted = ", ".join(record.expected) or "no skill"
    return printable(f"{record.kind} task: {record.text} -> {wanted}", 300)


@line_of.register
def _(record: Floor) -> str:
    return f"floor {shown(record.value)} ({record.origin})"


@line_of.register
def _(record: MatchResult) -> str:
    candidates = record.answer.candidates
    fits = ", ".join(f"{one.name} ({shown(one.score)})" for one in record.matches) or "none"
    reached = sum(one.kept for one in candidates)
    return printable(
        f"{reached} of {len(candidates)} candidates reach the floor "
        f"{shown(record.floor.value)}: {fits}",
        400,
    )


@line_of.register
def _(record: Evaluation) -> str:
    report = record.report
    names = ("recall@1", "recall", "false_fire", "decision_right")
    said = [f"{name} {_value(report.measures.get(name))}" for name in names]
    floor = "no floor" if report.floor is None else f"floor {shown(report.floor)}"
    return f"{report.tasks} tasks in {report.groups} groups, {floor}: {', '.join(said)}"


@line_of.register
def _(record: Tuned | TunedNotes) -> str:
    fit = record.fit
    held = fit.held_out.measures
    said = [f"{name} {_value(held.get(name))}" for name in ("recall", "false_fire")]
    state = "in force" if record.written else "not written"
    return (
        f"floor {shown(fit.floor.value)} for {fit.target} ({state}), fitted on "
        f"{fit.fitted.tasks} tasks; on {fit.held_out.tasks} others: {', '.join(said)}"
    )


@line_of.register
def _(record: Prompt) -> str:
    return f"prompt of {len(record.text)} characters, {len(record.text.splitlines())} lines"


@line_of.register
def _(record: DraftReport) -> str:
    return printable(
        f"{record.level} {record.address} -> {record.path} ({record.action}) by {record.model}: "
        f"{len(record.text.splitlines())} lines, {len(record.findings)} remarks of lint, "
        f"{record.repairs} repairs",
        400,
    )


@line_of.register
def _(record: LintReport) -> str:
    errors = sum(finding.severity == "error" for finding in record.findings)
    return printable(f"{record.path}: {errors} errors of {len(record.findings)} findings", 300)


@line_of.register
def _(record: TranscriptReport) -> str:
    sums = {
        name: sum(getattr(one, name) for one in record.files)
        for name in ("events", "commands", "failures")
    }
    said = ", ".join(f"{count} {name}" for name, count in sums.items())
    return f"{len(record.files)} transcripts: {said}; {record.lessons} lessons"


@line_of.register
def _(record: Lesson) -> str:
    said = f"{record.tool} {record.subcommand}".strip()
    sure = f"{record.state}, confidence {shown(record.confidence)}"
    return printable(f"{said}: {record.symptom} ({sure})", 300)


@line_of.register
def _(record: LessonView) -> str:
    return line_of(record.lesson)


@line_of.register
def _(record: Hit) -> str:
    said = f"{record.kind} {record.title} (score {shown(record.score)})"
    return printable(said, 300)


@line_of.register
def _(record: HitCandidate) -> str:
    kept = "kept" if record.kept else "dropped"
    return printable(f"{kept}: {line_of(record.hit)}", 300)


@line_of.register
def _(record: Context) -> str:
    parts = {"skills": record.skills, "lessons": record.lessons, "notes": record.notes}
    said = ", ".join(f"{len(items)} {part}" for part, items in parts.items())
    return f"{said}; {len(record.text)} of {record.max_chars} characters"


@line_of.register
def _(record: WrongCase) -> str:
    wanted, given = (", ".join(names) or "nothing" for names in (record.expected, record.returned))
    said = f"{record.cause} ({record.kind}): {record.task}; expected {wanted}, returned {given}"
    return printable(said, 500)


def _value(one: Estimate | None) -> str:
    return shown(one.value if one else None)
