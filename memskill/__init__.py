"""memskill: agent memory in one DuckDB file that drafts skills and matches them to tasks."""

__version__ = "0.1.0"
__all__ = ["__version__", "open_example", "open_vault"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memskill.explore import open_example, open_vault


def __getattr__(name: str) -> object:
    """Return what notebooks start with; loaded when it is asked for (PEP 562)."""
    if name not in ("open_example", "open_vault"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from memskill import explore

    return getattr(explore, name)
