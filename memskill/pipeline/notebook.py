"""The notebooks that come with memskill, and a copy of one for a vault of your own."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memskill.config import Settings
from memskill.errors import NotFound, PathRefused
from memskill.shipped import shipped
from memskill.sources.atomic import write_atomic
from memskill.sources.safety import printable

# What a shipped notebook opens, once, and a copy replaces by the vault.
OPENS = re.compile(r"memskill\.open_example\([^()]*\)")
_ENDING = ".ipynb"


@dataclass(frozen=True, slots=True, kw_only=True)
class Notebook:
    """A shipped notebook."""

    name: str
    # Its first heading.
    title: str


def list_notebooks() -> list[Notebook]:
    """Return the shipped notebooks by name."""
    files = sorted(shipped("notebooks").iterdir(), key=lambda file: file.name)
    return [
        Notebook(name=file.name.removesuffix(_ENDING), title=_title(json.loads(file.read_bytes())))
        for file in files
        if file.name.endswith(_ENDING)
    ]


def copy_notebook(settings: Settings, name: str, folder: Path | None = None) -> Path:
    """Copy a shipped notebook, so that it opens the vault of `settings`; return where it lies.

    The copy holds no outputs: they are of the example vault.

    Args:
        settings: Names the vault.
        name: A shipped notebook, or how its name begins or ends ("02", "floor").
        folder: Where the copy goes; beside the vault by default.

    Raises:
        NotFound: No such notebook, vault or folder.
        PathRefused: There is a file of that name already.
    """
    found = _find(name)
    folder = folder or settings.vault.parent
    for needed, hint in ((settings.vault, "`mem init` makes one."), (folder, "Make it first.")):
        if not needed.is_dir():
            raise NotFound(f"no folder {needed}", hint=hint)
    target = folder / f"{found}{_ENDING}"
    if target.exists() or target.is_symlink():
        raise PathRefused(f"{target} exists", hint="Name another folder: --to DIR.")
    text = (shipped("notebooks") / f"{found}{_ENDING}").read_text(encoding="utf-8")
    write_atomic(target, _for_vault(json.loads(text), settings.vault).encode())
    return target


def _find(name: str) -> str:
    names = [notebook.name for notebook in list_notebooks()]
    if name in names:
        return name
    near = [one for one in names if name and (one.startswith(name) or one.endswith(f"_{name}"))]
    if len(near) == 1:
        return near[0]
    shown = ", ".join(near or difflib.get_close_matches(name, names, n=1, cutoff=0.4) or names)
    raise NotFound(f"no notebook {printable(name, 60)!r}", hint=f"There is: {shown}.")


def _for_vault(notebook: dict[str, Any], vault: Path) -> str:
    opening = f"memskill.open_vault({str(vault.absolute())!r})"
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            # A function: a path may hold what a pattern takes for a back reference.
            cell["source"] = [OPENS.sub(lambda _: opening, line) for line in cell["source"]]
            cell |= {"outputs": [], "execution_count": None}
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def _title(notebook: Mapping[str, Any]) -> str:
    return "".join(notebook["cells"][0]["source"]).split("\n")[0].lstrip("# ")
