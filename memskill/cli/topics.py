"""`mem help`: the manual's topics, as shipped in memskill/docs."""

from __future__ import annotations

import difflib
from importlib import resources

import click

from memskill.errors import NotFound


def topics() -> dict[str, str]:
    """Return topic -> Markdown text, by name."""
    folder = resources.files("memskill") / "docs"
    files = sorted(folder.iterdir(), key=lambda f: f.name)
    return {
        file.name.removesuffix(".md"): file.read_text(encoding="utf-8")
        for file in files
        if file.name.endswith(".md")
    }


@click.command("help")
@click.argument("topic", required=False)
def help_command(topic: str | None) -> None:
    """Show a TOPIC of the manual, or the list of topics."""
    known = topics()
    if topic is None:
        for name, text in known.items():
            click.echo(f"{name:14} {text.splitlines()[0].lstrip('# ')}")
        return
    if topic not in known:
        near = difflib.get_close_matches(topic, known, n=1)
        hint = f"Did you mean {near[0]!r}?" if near else f"Topics: {', '.join(known)}"
        raise NotFound(f"no help topic {topic!r}", hint=hint)
    click.echo(known[topic], nl=False)
