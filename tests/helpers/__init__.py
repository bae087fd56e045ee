"""What several test folders share; found through `pythonpath` in pyproject.toml."""
