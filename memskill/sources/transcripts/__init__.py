"""Agent transcripts of many harnesses, read into one event record: tolerant, streaming."""
