"""The verbs: all that the CLI, the web app and notebooks call. Models load when first needed."""

from __future__ import annotations

from memskill.pipeline.verbs import (
    IngestReport,
    ingest,
    init_vault,
    list_skills,
    match,
    query_notes,
    summary_line,
)

__all__ = [
    "IngestReport",
    "ingest",
    "init_vault",
    "list_skills",
    "match",
    "query_notes",
    "summary_line",
]
