"""Making a vault, and listing what is in one without a database."""

from __future__ import annotations

from pathlib import Path

from memskill.config import CONFIG_NAME, Settings
from memskill.errors import NotFound, PathRefused
from memskill.records import Skill, Skipped, State
from memskill.sources.atomic import write_atomic
from memskill.sources.skills import scan_skills

_CONFIG = """\
# Settings of this vault; every line is optional. `mem config` shows what is in force and
# `mem help settings` explains each one.

# encoder = "default"
# reranker = "default"
# chat_model = "extractive"
"""

_README = """\
# This is a memskill vault

- `notes/<project>/<query-id>.md`: what was found out, one question a note (Markdown, with
  optional frontmatter: level, project, query_id, query, parents, tags).
- `skills/<name>/SKILL.md`: promoted skills, the only ones that are ever matched to a task.
- `skills/_drafts/<project>-<query-id>/SKILL.md`: drafts. A person reviews one and promotes it:
  `git mv skills/_drafts/NAME skills/NAME`. Nothing else does.
- `.memskill/`: the database and what belongs to it. `mem db rebuild` makes it again; keep
  `.memskill/nodes/` in your backup.

Start with `mem ingest`.
"""


def init_vault(folder: Path) -> list[str]:
    """Make the skeleton of a vault in `folder` and return what was made, as relative paths.

    What exists is left as it is, so a second run makes nothing.

    Raises:
        PathRefused: `folder`, or a folder of the skeleton, exists and is no folder, or may not
            be written.
    """
    try:
        return _make_skeleton(folder)
    except OSError as error:
        raise PathRefused(f"{folder} cannot be made: {error.strerror}") from error


def _make_skeleton(folder: Path) -> list[str]:
    made: list[str] = []
    for name in ("notes", "skills", "skills/_drafts"):
        target = folder / name
        if target.exists() and not target.is_dir():
            raise PathRefused(f"{target} exists and is not a folder")
        if not target.exists():
            target.mkdir(parents=True)
            made.append(name + "/")
    for name, text in ((CONFIG_NAME, _CONFIG), ("README.md", _README)):
        if not (folder / name).exists():
            write_atomic(folder / name, text.encode())
            made.append(name)
    return made


def list_skills(
    settings: Settings, state: State = "promoted", project: str | None = None
) -> tuple[list[Skill], list[Skipped]]:
    """Return the vault's skills of one state by name, and what was passed over.

    Args:
        settings: Names the vault; no database is needed.
        state: Promoted skills or drafts.
        project: Only those that this project may see; None: all.

    Raises:
        NotFound: The vault does not exist.
    """
    if not settings.vault.is_dir():
        raise NotFound(f"no vault at {settings.vault}", hint="`mem init` makes one.")
    scan = scan_skills(settings.vault, max_bytes=settings.max_file_bytes)
    skills = [
        found.skill
        for found in scan.skills
        if found.skill.state == state
        and (project is None or not found.skill.projects or project in found.skill.projects)
    ]
    return sorted(skills, key=lambda s: (s.name, s.path)), list(scan.skipped)
