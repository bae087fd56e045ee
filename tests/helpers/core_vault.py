"""A vault of the 601 core skills of ../shared/data/skills.jsonl, where that file is at hand.

`python tests/helpers/core_vault.py` ingests it twice, matches a few tasks and prints the figures.
The texts are other people's: they are read from there, written to a temporary folder and kept
nowhere else.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memskill.config import Settings

ROOT = Path(__file__).resolve().parents[2]
SKILLS = ROOT.parent / "shared" / "data" / "skills.jsonl"


def write_core_vault(vault: Path, source: Path = SKILLS) -> dict[str, str]:
    """Write one promoted skill a core row; return the row's id -> folder.

    Folder and name are the slug of the row's name, with -2, -3 and so on where names clash.
    """
    from memskill.sources.slug import slug

    folders: dict[str, str] = {}
    seen: Counter[str] = Counter()
    for line in source.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if not row["core"]:
            continue
        # slug() joins two parts; a name alone is what stands behind its first hyphen.
        name = slug("x", row["name"]).removeprefix("x-")
        seen[name] += 1
        folder = name if seen[name] == 1 else f"{name}-{seen[name]}"
        folders[row["id"]] = folder
        front = {"name": folder, "description": row["description"]}
        if row.get("when_to_use"):
            front["when_to_use"] = row["when_to_use"]
        # A JSON string is a YAML string, whatever the text holds.
        head = "".join(f"{k}: {json.dumps(v, ensure_ascii=False)}\n" for k, v in front.items())
        file = vault / "skills" / folder / "SKILL.md"
        file.parent.mkdir(parents=True)
        file.write_text(f"---\n{head}---\n{row.get('body_head', '')}\n", encoding="utf-8")
    (vault / "notes").mkdir(exist_ok=True)
    return folders


def main() -> None:
    """Print counts and times of ingest, second ingest and match."""
    from memskill.config import load_settings
    from memskill.pipeline.ingest import ingest
    from memskill.pipeline.summary import summary_line

    with tempfile.TemporaryDirectory() as folder:
        vault = Path(folder) / "vault"
        vault.mkdir()
        sys.stdout.write(f"{len(write_core_vault(vault))} skills written\n")
        settings = load_settings({"vault": str(vault)})
        for _ in range(2):
            sys.stdout.write(summary_line(ingest(settings)) + "\n")
        sys.stdout.write(f"database: {settings.database.stat().st_size:,} bytes\n")
        _match(settings)


def _match(settings: Settings) -> None:
    from memskill.pipeline.matching import Matching

    started = time.perf_counter()
    matching = Matching(settings)
    for task in ("tidy up the git history of a branch", "write a poem about the sea") * 2:
        found = [(m.name, m.score) for m in matching.match(task).matches]
        sys.stdout.write(f"{time.perf_counter() - started:.2f} s: {task}: {found}\n")
        started = time.perf_counter()


if __name__ == "__main__":
    main()
