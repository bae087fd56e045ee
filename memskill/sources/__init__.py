"""Vault notes, SKILL.md files and transcripts, read into records: pure, tolerant, never fatal."""
