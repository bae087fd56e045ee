"""Folders that lie at the top of a checkout and inside the installed package: sql/, data/."""

from __future__ import annotations

from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from memskill.errors import FilesMissing


def shipped(name: str) -> Traversable:
    """Return the folder `name`: inside the installed package, else beside it in a checkout.

    Raises:
        FilesMissing: Neither exists; the message names both places.
    """
    packaged = resources.files("memskill") / name
    if packaged.is_dir():
        return packaged
    beside = Path(__file__).resolve().parents[1] / name
    if beside.is_dir():
        return beside
    raise FilesMissing(
        f"no {name}/ folder at {packaged} or {beside}",
        hint="Reinstall: pip install --force-reinstall memskill",
    )
