"""Writes memskill/docs/commands.md from the commands themselves: `python tests/helpers/manual.py`.

A test holds the file equal, so that no command or option goes untold.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

PAGE = Path(__file__).resolve().parents[2] / "memskill" / "docs" / "commands.md"
HEAD = """\
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


def page() -> str:
    """Return the text of the page."""
    parts = [HEAD]
    main, context = root()
    parts.append(_section("mem", _rows(main, context), main.help))
    parts += [
        _section(
            " ".join([where.command_path, *command.collect_usage_pieces(where)[1:]]),
            _rows(command, where),
            command.help,
        )
        for command, where in commands(main, context)
    ]
    return "\n".join(parts)


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
    PAGE.write_text(page(), encoding="utf-8")
