"""memskill: agent memory in one DuckDB file that drafts skills and matches them to tasks."""

__version__ = "0.1.0"
