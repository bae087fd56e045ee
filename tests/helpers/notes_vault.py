"""The vault that notes search is measured on, and its fit.

`PYTHONPATH=. python tests/helpers/notes_vault.py` makes the vault in a temporary folder, fits the
shipped weights, calibration and floor on train and valid, reports on final, compares ways to rank,
and writes memskill/models/weights/notes.json and the table in memskill/docs/query.md. Run it again
whenever the shipped encoder changes: it takes a minute.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from memskill.config import Settings

ROOT = Path(__file__).resolve().parents[2]
QUERIES = ROOT / "data" / "tasks" / "notes_queries.jsonl"
PAGE = ROOT / "memskill" / "docs" / "query.md"


def write_notes_vault(vault: Path) -> Settings:
    """Write and ingest a vault of all fixture notes and lessons; return its settings."""
    from memskill.config import load_settings
    from memskill.pipeline.ingest import ingest
    from memskill.pipeline.transcripts import ingest_transcripts

    data = ROOT / "data"
    shutil.copytree(data / "vault" / "notes", vault / "notes")
    shutil.copytree(data / "notes_eval" / "notes", vault / "notes", dirs_exist_ok=True)
    settings = load_settings({"vault": str(vault)})
    ingest(settings)
    ingest_transcripts(settings, [data / "transcripts", data / "notes_eval" / "transcripts"])
    return settings


def main() -> None:
    """Fit, compare, and write the shipped file and the page; `--dry-run` writes neither."""
    sys.path.insert(0, str(ROOT / "tests"))
    from helpers.notes_figures import TARGET, compare, page, rounded
    from memskill.match.notepolicy import SHIPPED, write_policy
    from memskill.pipeline.notefloor import tune_notes

    with tempfile.TemporaryDirectory() as folder:
        settings = write_notes_vault(Path(folder) / "vault")
        tuned = tune_notes(
            settings,
            [QUERIES],
            TARGET,
            fit_on=("train", "valid"),
            report_on=("final",),
            dry_run=True,
        )
        compared = rounded(compare(settings, QUERIES))
    told = page(PAGE.read_text(encoding="utf-8"), compared)
    if "--dry-run" not in sys.argv:
        report = {**tuned.policy.report, "compared": compared}
        # Only the shipped encoder's fit is shipped.
        SHIPPED.write_text("[]\n", encoding="utf-8")
        write_policy(SHIPPED, replace(tuned.policy, report=report))
        PAGE.write_text(told, encoding="utf-8")
    for name, one in (*tuned.order.items(), *tuned.fit.held_out.measures.items()):
        sys.stdout.write(f"final {name}: {one.value} ({one.low} to {one.high}), {one.count}\n")
    for warning in tuned.fit.warnings:
        sys.stdout.write(f"warning: {warning}\n")
    for case in tuned.fit.wrong:
        sys.stdout.write(f"wrong: {case.cause}: {case.task[:80]!r} -> {case.returned}\n")
    sys.stdout.write(f"weights {dict(tuned.policy.weights)}, floor {tuned.policy.floor}\n")
    sys.stdout.writelines(f"{line}\n" for line in told.splitlines() if line.startswith("| "))


if __name__ == "__main__":
    main()
