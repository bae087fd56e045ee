"""`mem skill list`."""

from __future__ import annotations

import click

from memskill.cli.boundary import json_option, with_settings
from memskill.cli.output import print_json, report_skipped, table
from memskill.config import Settings


@click.command("list")
@click.option("--drafts", is_flag=True, help="The drafts instead of the promoted skills.")
@click.option("--project", help="Only those that this project may see.")
@json_option
@with_settings
def list_command(settings: Settings, drafts: bool, project: str | None, as_json: bool) -> None:
    """List the vault's skills (promoted, or the drafts) by name; the unreadable are reported."""
    from memskill.pipeline.vault import list_skills

    skills, skipped = list_skills(settings, "draft" if drafts else "promoted", project)
    report_skipped(skipped, "skipped")
    if as_json:
        print_json(skills)
        return
    rows = [(s.name, ", ".join(s.projects) or "all", s.description) for s in skills]
    table(rows, ("name", "projects", "description"))
