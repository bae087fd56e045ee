"""Lessons: what a tool's failures taught, how they are shown, and how they come back."""
