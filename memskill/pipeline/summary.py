"""Reports as lines for people."""

from __future__ import annotations

from memskill.pipeline.ingest import IngestReport


def summary_line(report: IngestReport) -> str:
    """Return an ingest as one line: what was read, what changed, what was passed over."""
    notes = _changes(report.notes_new, report.notes_changed, report.notes_removed)
    skills = _changes(report.skills_new, report.skills_changed, report.skills_removed)
    parts = [
        f"{report.notes_read} notes ({notes})",
        f"{report.skills_read} skills and {report.drafts_read} drafts ({skills})",
        f"{report.texts_encoded} texts {'to encode' if report.dry_run else 'encoded'}",
        f"{len(report.skipped)} skipped",
        f"{len(report.warnings)} warnings",
        f"{report.seconds:.1f} s",
    ]
    if report.log_new:
        parts.insert(3, f"{report.log_new} records of the log")
    head = "would ingest" if report.dry_run else "ingested" if report.changed else "no change"
    return f"{head}: {', '.join(parts)}"


def _changes(new: int, changed: int, removed: int) -> str:
    return f"{new} new, {changed} changed, {removed} removed"
