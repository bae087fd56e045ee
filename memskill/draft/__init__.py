"""From a memory note to a draft SKILL.md: prompt, parse, lint, render, publish."""
