"""The one place where the command line turns errors into exit codes, and options into Settings."""

from __future__ import annotations

import functools
import importlib
import logging
import os
import sys
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

import click

from memskill.errors import MemskillError

if TYPE_CHECKING:
    from memskill.config import Settings

P = ParamSpec("P")
R = TypeVar("R")


class LazyGroup(click.Group):
    """A group that knows its commands' help lines and imports a command when it runs."""

    def __init__(
        self,
        *args: Any,  # noqa: ANN401 (click's own signature)
        commands_table: Mapping[str, tuple[str, str]] | None = None,
        package: str = "",
        **kwargs: Any,  # noqa: ANN401
    ) -> None:
        super().__init__(*args, **kwargs)
        self._table = commands_table or {}
        self._package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands by name."""
        return sorted({*self._table, *super().list_commands(ctx)})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return one command, importing its module."""
        if cmd_name not in self._table:
            return super().get_command(ctx, cmd_name)
        module = importlib.import_module(f"{self._package}.{self._table[cmd_name][0]}")
        return getattr(module, cmd_name.replace("-", "_") + "_command")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands with their help lines, importing none of them."""
        lines = [(name, self._table[name][1]) for name in sorted(self._table)]
        with formatter.section("Commands"):
            formatter.write_dl(lines)

    def invoke(self, ctx: click.Context) -> object:
        """Run the command; a MemskillError becomes its message, hint and exit status."""
        try:
            return super().invoke(ctx)
        except MemskillError as error:
            if ctx.find_root().obj and ctx.find_root().obj.get("verbose"):
                logging.getLogger("memskill").exception("%s", error.code)
            raise Failure(error) from error
        except BrokenPipeError:
            # The reader went away (`| head`): nothing more can be said to it.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise click.exceptions.Exit(141) from None


class Failure(click.ClickException):
    """A MemskillError as click shows it: on stderr, with every reason and the hint."""

    def __init__(self, error: MemskillError) -> None:
        super().__init__(error.message)
        self.error = error
        setattr(self, "exit_code", error.exit_status)  # noqa: B010 (click types it as a ClassVar)

    def show(self, file: Any = None) -> None:  # noqa: ANN401 (click's own signature)
        """Write the message to stderr."""
        from memskill.sources.safety import printable

        lines = [("error: ", self.error.message), *(("  - ", r) for r in self.error.reasons)]
        if self.error.hint:
            lines.append(("hint: ", self.error.hint))
        told = "\n".join(start + printable(line, 2_000) for start, line in lines)
        click.echo(told, err=True, file=file)


def with_settings(command: Callable[..., R]) -> Callable[..., R]:
    """Give a command `--vault` and its first argument, the settings in force."""

    @click.option("--vault", metavar="DIR", help="The vault (default: see `mem help settings`).")
    @click.pass_context
    @functools.wraps(command)
    def run(context: click.Context, /, vault: str | None, **options: object) -> R:
        from memskill.config import load_settings

        outer: Mapping[str, Any] = context.find_root().obj or {}
        _log_to_stderr(verbose=bool(outer.get("verbose")))
        settings: Settings = load_settings({"vault": vault or outer.get("vault")})
        return command(settings, **options)

    return run


def json_option(command: Callable[P, R]) -> Callable[P, R]:
    """Give a command `--json`, as the parameter `as_json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON to stdout.")(command)


def _log_to_stderr(*, verbose: bool) -> None:
    """Configure the one handler; the library itself configures none."""
    log = logging.getLogger("memskill")
    if not log.handlers:
        handler = logging.StreamHandler()
        handler.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))
        log.addHandler(handler)
    log.setLevel(logging.DEBUG if verbose else logging.WARNING)
