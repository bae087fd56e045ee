"""What is there is told, and what is told is there: commands, settings, errors, endpoints."""

from __future__ import annotations

import inspect
import json
import re

import click
import pytest
from click.testing import CliRunner
from helpers import manual
from helpers.tree import PACKAGE, ROOT

from memskill import errors
from memskill.cli import main
from memskill.cli.topics import topics
from memskill.config import SETTING_NAMES, Settings, load_settings

DOCS = PACKAGE / "docs"
ALL_COMMANDS = [where.command_path for _, where in manual.commands(*manual.root())]


def _rows(page):
    """Return the tables' rows of a page as lists of cells, code marks taken off."""
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    rows = [line.strip("|").split("|") for line in lines if line.startswith("| `")]
    return [[cell.strip().strip("`") for cell in row] for row in rows]


def _prose():
    pages = [*sorted(DOCS.glob("*.md")), ROOT / "README.md"]
    return {page.name: page.read_text(encoding="utf-8") for page in pages}


@pytest.mark.parametrize("page", manual.PAGES)
def test_a_page_that_is_a_list_says_what_is_there(page):
    told = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    assert told == manual.PAGES[page](), "write it anew: python tests/helpers/manual.py"


def _words(text):
    return set(re.findall(r"[a-z]+", text.lower())) - {"a", "an", "the", "or"}


def test_a_group_says_of_a_command_what_the_command_says_of_itself():
    def differing(group, context):
        for name in group.list_commands(context):
            command = group.get_command(context, name)
            told = " ".join((command.help or "").split())
            line = getattr(group, "_table", {}).get(name, ("", told))[1]
            # Told in fewer words, never in others.
            if strange := _words(line) - _words(told):
                yield f"{context.command_path} {name}", line, strange
            if isinstance(command, click.Group):
                yield from differing(
                    command, click.Context(command, parent=context, info_name=name)
                )

    main, context = manual.root()
    assert list(differing(main, context)) == []


@pytest.mark.parametrize("command", ALL_COMMANDS)
def test_every_command_answers_to_help(command):
    done = CliRunner().invoke(main, [*command.split()[1:], "--help"])
    assert done.exit_code == 0
    assert done.output.startswith("Usage:")


def test_every_command_and_option_says_what_it_does():
    untold = []
    for command, where in manual.commands(*manual.root()):
        if not command.help:
            untold.append(where.command_path)
        untold += [
            f"{where.command_path} {param.opts[0]}"
            for param in command.get_params(where)
            if isinstance(param, click.Option) and not param.help
        ]
    assert untold == []


def test_no_page_tells_of_a_command_that_is_not_there():
    groups = {command.rsplit(" ", 1)[0] for command in ALL_COMMANDS}
    known = {*ALL_COMMANDS, *groups, "mem"}
    strange = {}
    for page, text in _prose().items():
        for found in re.finditer(r"(?:^    (?:\$ )?|`)(mem(?: [a-z][a-z-]*)*)", text, re.MULTILINE):
            words = found[1].split()
            # As many words as name a command; what follows is its argument.
            if not any(" ".join(words[:n]) in known for n in (3, 2)) and len(words) > 1:
                strange.setdefault(page, set()).add(found[1])
    assert strange == {}


def test_no_page_tells_of_an_option_that_is_not_there():
    known = {opt for c, where in manual.commands(*manual.root()) for p in c.get_params(where)
             for opt in (*p.opts, *p.secondary_opts)} | {"--version", "--verbose"}  # fmt: skip
    strange = {
        page: missing
        for page, text in _prose().items()
        for line in text.splitlines()
        if re.match(r"    (?:\$ )?mem ", line)
        and (missing := set(re.findall(r"(?<=\s)--[a-z][a-z-]+", line.split("#")[0])) - known)
    }
    assert strange == {}


def test_every_setting_is_told_with_its_default():
    defaults = load_settings({"vault": "/nowhere"}, environ={})
    expected = {}
    for name in SETTING_NAMES:
        value = getattr(defaults, name)
        expected[name] = str(value).lower() if isinstance(value, bool) else str(value)
    assert {row[0]: row[1] for row in _rows("settings.md")} == expected
    assert [row[0] for row in _rows("settings.md")] == list(SETTING_NAMES)


def test_every_setting_has_a_comment_where_it_is_made():
    lines = inspect.getsource(Settings).splitlines()
    bare = [
        name
        for name in SETTING_NAMES
        for number, line in enumerate(lines)
        if line.strip().startswith(f"{name}:")
        and not lines[number - 1].strip().startswith("#")
        and name != "port"  # told together with host
    ]
    assert bare == []


def _tree():
    kinds = [v for v in vars(errors).values() if inspect.isclass(v)]
    return [kind for kind in kinds if issubclass(kind, errors.MemskillError)]


def test_every_error_is_told_with_its_statuses():
    told = {row[0]: (row[1], row[2]) for row in _rows("errors.md")}
    assert told == {k.code: (str(k.exit_status), str(k.http_status)) for k in _tree()}


def test_the_tree_on_top_of_errors_is_the_tree_of_the_classes():
    line = r"^( +)(\w+) +([a-z-]+) +(\d+) +(\d{3})"
    drawn = re.findall(line, inspect.getdoc(errors), re.MULTILINE)
    expected = {
        (kind.__name__, kind.code, str(kind.exit_status), str(kind.http_status))
        for kind in _tree()
        if kind is not errors.MemskillError
    }
    assert {row[1:] for row in drawn} == expected
    assert len(drawn) == len(expected)
    above = ["MemskillError"]
    for indent, name, *_ in drawn:
        above[len(indent) // 2 :] = [name]
        assert getattr(errors, name).__base__.__name__ == above[-2]


@pytest.mark.skipif(not (PACKAGE / "web" / "openapi.json").is_file(), reason="no server yet")
def test_every_endpoint_is_told():
    paths = json.loads((PACKAGE / "web" / "openapi.json").read_text(encoding="utf-8"))["paths"]
    prose = "\n".join(_prose().values())
    untold = [
        path
        for path in paths
        if not re.search(re.sub(r"\\\{\w+\\\}", r"[<{]\\w+[>}]", re.escape(path)), prose)
    ]
    assert untold == []


@pytest.mark.parametrize("topic", sorted(topics()))
def test_every_topic_can_be_read(topic):
    done = CliRunner().invoke(main, ["help", topic])
    assert done.exit_code == 0
    assert done.output == (DOCS / f"{topic}.md").read_text(encoding="utf-8")
    assert done.output.startswith("# ")
    assert done.output.endswith("\n")


def test_the_list_of_topics_names_each_once():
    lines = CliRunner().invoke(main, ["help"]).output.splitlines()
    assert [line.split()[0] for line in lines] == sorted(topics())


def test_an_unknown_topic_names_the_nearest():
    done = CliRunner().invoke(main, ["help", "eror"])
    assert done.exit_code == 66
    assert "'errors'" in done.output


def test_topics_that_are_spoken_of_exist():
    named = {t for text in _prose().values() for t in re.findall(r"mem help ([a-z]+)", text)}
    sources = "\n".join(p.read_text(encoding="utf-8") for p in PACKAGE.rglob("*.py"))
    named |= set(re.findall(r"mem help ([a-z]+)", sources))
    assert named <= set(topics())
