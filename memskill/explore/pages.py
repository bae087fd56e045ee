"""Every record and report as HTML for a notebook. All text goes through `markup`, which escapes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import singledispatch

from memskill.draft.duplicates import Duplicate
from memskill.draft.prompt import Prompt
from memskill.draft.rubric import Score
from memskill.explore.columns import Measure, columns_of
from memskill.explore.lines import line_of
from memskill.explore.markup import block, escaped, html_table
from memskill.match.measures import Estimate
from memskill.match.wrong import ExplainRow, WrongCase
from memskill.pipeline.context import Context, ContextItem
from memskill.pipeline.draft import DraftReport
from memskill.pipeline.evaluate import Evaluation
from memskill.pipeline.floor import Tuned
from memskill.pipeline.ingest import IngestReport
from memskill.pipeline.lessons import LessonView
from memskill.pipeline.lint import LintReport
from memskill.pipeline.matching import MatchResult
from memskill.pipeline.notefloor import TunedNotes
from memskill.pipeline.transcripts import TranscriptCounts, TranscriptReport
from memskill.records import Candidate, Finding, Lesson, Node, Skill, Skipped
from memskill.store import LessonMoment


@singledispatch
def page_of(record: object) -> str:
    """Return `record` as HTML: its line, and tables of what it holds."""
    return _head(record)


@page_of.register
def _(record: IngestReport) -> str:
    rows = [
        ("notes", record.notes_read, record.notes_new, record.notes_changed, record.notes_removed),
        (
            "skills and drafts", record.skills_read + record.drafts_read, record.skills_new,
            record.skills_changed, record.skills_removed,
        ),
    ]  # fmt: skip
    tables = html_table(("", "read", "new", "changed", "removed"), rows)
    if record.redactions:
        tables += html_table(("redacted", "times"), list(record.redactions.items()))
    return _head(record) + tables + _titled(Skipped, (*record.skipped, *record.warnings), "Told")


@page_of.register
def _(record: Node) -> str:
    rows = [
        ("parents", ", ".join(record.parents) or "-"),
        ("tags", ", ".join(record.tags) or "-"),
        ("trust", record.trust),
        ("sha", record.sha[:12]),
    ]
    return _head(record) + html_table(("", ""), rows) + block(record.body)


@page_of.register
def _(record: Skill) -> str:
    rows = [
        ("description", record.description),
        ("when to use", record.when_to_use or "-"),
        ("projects", ", ".join(record.projects) or "all"),
    ]
    return _head(record) + html_table(("", ""), rows)


@page_of.register
def _(record: MatchResult) -> str:
    why = [(one.name, one.best_clause, one.reason) for one in record.answer.candidates]
    return (
        _head(record)
        + _table(Candidate, record.answer.candidates)
        + html_table(("name", "best clause", "why"), why)
    )


@page_of.register
def _(record: Evaluation) -> str:
    parts = [_head(record), _measures(record.report.measures)]
    if record.comparison:
        said = f"{record.comparison.first} minus {record.comparison.second}"
        parts.append(f"<p>{escaped(said)}</p>{_measures(record.comparison.differences)}")
    parts.append(_titled(WrongCase, record.report.wrong, "Decided wrongly"))
    return "".join(parts + [_paragraph(remark) for remark in record.remarks])


@page_of.register
def _(record: TunedNotes) -> str:
    weights = html_table(("evidence", "weight"), list(record.policy.weights.items()))
    return _tuned(record, record.order) + weights


@page_of.register
def _(record: Tuned) -> str:
    return _tuned(record, {})


def _tuned(record: Tuned | TunedNotes, further: Mapping[str, Estimate]) -> str:
    fit = record.fit
    rows = [
        (name, _value(fit.fitted.measures.get(name)), held.value, held.low, held.high, held.count)
        for name, held in (*further.items(), *fit.held_out.measures.items())
    ]
    heads = ("measure", "fitted", "held out", "low", "high", "cases")
    told = "".join(_paragraph(f"warning: {warning}") for warning in fit.warnings)
    return _head(record) + html_table(heads, rows) + told


@page_of.register
def _(record: TranscriptReport) -> str:
    counts = {
        "dropped from transcripts": _summed(one.dropped for one in record.files),
        "failures that taught nothing": record.failures_dropped,
        "redacted": _summed(one.redactions for one in record.files),
    }
    tables = "".join(
        html_table((name, "times"), sorted(found.items()))
        for name, found in counts.items()
        if found
    )
    told = _titled(Skipped, record.skipped, "Told")
    return _head(record) + _table(TranscriptCounts, record.files) + tables + told


@page_of.register
def _(record: Lesson) -> str:
    rows = [
        ("symptom", record.symptom),
        ("resolution", record.resolution),
        ("failed", record.command),
        ("passed", record.fix_command or "the same command"),
        ("project", record.scope or "-"),
    ]
    return _head(record) + html_table(("", ""), rows)


@page_of.register
def _(record: LessonView) -> str:
    like = [one.lesson for one in record.similar]
    return (
        page_of(record.lesson)
        + _titled(LessonMoment, record.moments, "What it rests on")
        + _titled(Lesson, like, "Perhaps the same")
    )


@page_of.register
def _(record: Context) -> str:
    parts = {"Skills": record.skills, "Lessons": record.lessons, "Notes": record.notes}
    tables = "".join(_titled(ContextItem, items, part) for part, items in parts.items())
    told = "".join(_paragraph(f"warning: {warning}") for warning in record.warnings)
    return _head(record) + tables + told + (block(record.text) if record.text else "")


def _summed(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for one in counts:
        for name, count in one.items():
            found[name] = found.get(name, 0) + count
    return found


@page_of.register
def _(record: WrongCase) -> str:
    return f"{_head(record)}{_table(ExplainRow, record.candidates)}"


@page_of.register
def _(record: Prompt) -> str:
    return f"{_head(record)}{block(record.system)}{block(record.text)}"


@page_of.register
def _(record: DraftReport) -> str:
    parts = [_head(record), *map(_paragraph, record.notices), block(record.text)]
    parts += [
        _titled(Finding, record.findings, "Lint"),
        _titled(Duplicate, record.duplicates, "Nearly the same"),
    ]
    return "".join(parts)


@page_of.register
def _(record: LintReport) -> str:
    return (
        _head(record)
        + _titled(Finding, record.findings, "Findings")
        + _titled(Score, record.rubric, "Rubric (advice, never a gate)")
    )


def _head(record: object) -> str:
    return _paragraph(line_of(record))


def _paragraph(text: str) -> str:
    return f"<p>{escaped(text, 600)}</p>"


def _measures(measures: Mapping[str, Estimate]) -> str:
    return _table(Measure, [Measure(name=name, estimate=one) for name, one in measures.items()])


def _table(kind: type, records: Iterable[object]) -> str:
    columns = columns_of(kind)
    rows = [[column.value(one) for column in columns] for one in records]
    return html_table([column.name for column in columns], rows)


def _titled(kind: type, records: Iterable[object], title: str) -> str:
    found = list(records)
    return f"{_paragraph(title)}{_table(kind, found)}" if found else ""


def _value(one: Estimate | None) -> float | None:
    return one.value if one else None
