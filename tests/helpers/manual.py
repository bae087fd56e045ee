"""Writes the pages of the manual that are lists: `python tests/helpers/manual.py`.

Commands come from click, endpoints from openapi.json, relations from the headers of sql/. A test
holds the files equal, so that nothing goes untold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import click

PACKAGE = Path(__file__).resolve().parents[2] / "memskill"
DOCS = PACKAGE / "docs"
COMMANDS_HEAD = """\
# Commands: every command and option

Data goes to stdout, everything else to stderr; `--json` prints records as JSON. `--vault DIR`
may stand before or after the command. Exit statuses: `mem help errors`.
"""


def commands(
    command: click.Command, context: click.Context
) -> Iterator[tuple[click.Command, click.Context]]:
    """Yield every command that does something, with the context that names it, in order."""
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None, name
            yield from commands(below, click.Context(below, info_name=name, parent=context))
    else:
        yield command, context


def root() -> tuple[click.Command, click.Context]:
    """Return `mem` itself."""
    from memskill.cli import main

    return main, click.Context(main, info_name="mem", max_content_width=96, terminal_width=96)


def commands_page() -> str:
    """Return the text of `mem help commands`."""
    main, context = root()
    parts = [COMMANDS_HEAD, _section("mem", _rows(main, context), main.help)]
    parts += [
        _section(
            " ".join([where.command_path, *command.collect_usage_pieces(where)[1:]]),
            _rows(command, where),
            command.help,
        )
        for command, where in commands(main, context)
    ]
    return "\n".join(parts)


HTTP_HEAD = """\
# HTTP: every endpoint

`mem serve` answers at `http://127.0.0.1:8765` (settings `host`, `port`). `GET /openapi.json` has
every field and an example; errors are problem details (RFC 9457), see `mem help errors`.

    $ curl 'localhost:8765/memory/skills?task=pods+cannot+resolve+hosts&limit=3'
"""


def http_page() -> str:
    """Return the text of `mem help http`."""
    spec = json.loads((PACKAGE / "web" / "openapi.json").read_text(encoding="utf-8"))
    parts = [HTTP_HEAD]
    for path, methods in spec["paths"].items():
        for method, what in methods.items():
            rows = [
                (found["name"], " ".join(found.get("description", "").split()))
                for found in what.get("parameters", [])
                if "name" in found
            ]
            parts.append(_section(f"{method.upper()} {path}", rows, what["summary"]))
    return "\n".join(parts)


SQL_HEAD = """\
# SQL: every relation of the database

Open `.memskill/memory.duckdb` with any DuckDB of version 1.5.5 or newer, read-only while memskill
is at work. Tables are made by `sql/migrations/`; `derived` is built from `sql/views/` and
`sql/macros/`. A view takes no arguments, a macro does: `from derived.nearest_nodes(...)`.
"""


def sql_page() -> str:
    """Return the text of `mem help sql`."""
    from memskill.store.sqlfiles import sql_files

    parts = [SQL_HEAD]
    for step in sql_files("migrations").values():
        tables = re.findall(r"^create table (\w+)", step.text, re.MULTILINE)
        parts.append(_section(f"{', '.join(tables) or step.name}", [], step.header["purpose"]))
    for folder in ("views", "macros"):
        for file in sql_files(folder).values():
            call = f"({', '.join(file.params)})" if folder == "macros" else ""
            keys = ("grain", "units", "source")
            rows = [(key, file.header[key]) for key in keys if key in file.header]
            parts.append(_section(f"derived.{file.name}{call}", rows, file.header["purpose"]))
    return "\n".join(parts)


PAGES = {"commands": commands_page, "http": http_page, "sql": sql_page}


def _rows(command: click.Command, context: click.Context) -> list[tuple[str, str]]:
    records = [
        param.get_help_record(context)
        for param in command.get_params(context)
        if isinstance(param, click.Option)
        and (context.parent is None or not {"--help", "--vault"} & set(param.opts))
    ]
    return [record for record in records if record]


def _section(usage: str, rows: list[tuple[str, str]], told: str | None) -> str:
    lines = [f"## {usage}", "", " ".join((told or "").split("\b")[0].split()), ""]
    lines += [f"- `{option}`: {text}" for option, text in rows]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / f"{name}.md").write_text(page(), encoding="utf-8")
