"""The files of sql/: headers that tell the truth, each used, all building on an empty database."""

from __future__ import annotations

import ast
import re
from collections import Counter

import duckdb
import pytest
from helpers.sqlcheck import prepare_fault
from helpers.tree import PACKAGE, ROOT, python_files

from memskill.store import memory_store
from memskill.store.migrate import step_number
from memskill.store.sqlfiles import sql_files

FOLDERS = ("migrations", "views", "macros", "queries", "checks")
NEEDED = {
    "migrations": {"purpose"},
    "views": {"purpose", "grain", "source"},
    "macros": {"purpose", "params"},
    "queries": {"purpose", "params"},
    "checks": {"purpose"},
}
KNOWN = {"purpose", "grain", "params", "units", "source"}
VERBS = re.compile(
    r"\b(?:select\b.+\bfrom|insert\s+(?:or\s+\w+\s+)?into|delete\s+from|update\s+\w+\s+set"
    r"|create\s+(?:or\s+replace\s+)?(?:table|view|macro|schema|index)|drop\s+\w+|alter\s+table"
    r"|begin\s+transaction|pragma\s|attach\s|copy\s.+\bto\b)",
    re.IGNORECASE | re.DOTALL,
)


def _files(*folders):
    return [
        pytest.param(folder, name, id=f"{folder}/{name}")
        for folder in folders
        for name in sql_files(folder)
    ]


@pytest.mark.parametrize(("folder", "name"), _files(*FOLDERS))
def test_header_says_what_the_kind_of_file_must_say(folder, name):
    header = sql_files(folder)[name].header
    assert NEEDED[folder] <= set(header)
    assert set(header) <= KNOWN
    assert header["purpose"]


@pytest.mark.parametrize(("folder", "name"), _files(*FOLDERS))
def test_a_file_ends_in_one_newline_and_holds_no_tab(folder, name):
    text = sql_files(folder)[name].text
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    assert "\t" not in text


@pytest.mark.parametrize(("folder", "name"), _files("queries"))
def test_declared_parameters_are_the_used_ones(folder, name):
    file = sql_files(folder)[name]
    statements = duckdb.connect().extract_statements(file.text)
    used = {str(p) for statement in statements for p in statement.named_parameters}
    assert len(file.params) == len(set(file.params))
    assert set(file.params) == used


@pytest.mark.parametrize(("folder", "name"), _files("macros"))
def test_a_macro_declares_its_arguments_in_order(folder, name):
    file = sql_files(folder)[name]
    found = re.search(rf"macro derived\.{name}\(([^)]*)\)", file.text)
    assert found
    assert file.params == tuple(arg.strip() for arg in found[1].split(","))


@pytest.mark.parametrize(("folder", "name"), _files("views", "checks"))
def test_a_view_or_check_is_one_bare_select(folder, name):
    statements = duckdb.connect().extract_statements(sql_files(folder)[name].text)
    assert [s.type for s in statements] == [duckdb.StatementType.SELECT]


def test_migrations_are_numbered_from_one_without_gaps_or_doubles():
    numbers = [step_number(step) for step in sql_files("migrations").values()]
    assert numbers == list(range(1, len(numbers) + 1))


@pytest.mark.parametrize("folder", FOLDERS)
def test_names_are_plain_words(folder):
    pattern = r"\d{4}_[a-z_]+" if folder == "migrations" else r"[a-z][a-z0-9_]*"
    assert [name for name in sql_files(folder) if not re.fullmatch(pattern, name)] == []


def test_folders_hold_nothing_but_sql():
    odd = [p for p in (ROOT / "sql").rglob("*") if p.is_file() and p.suffix != ".sql"]
    assert [p for p in odd if p.name != "README.md"] == []


def test_no_view_takes_the_name_of_a_table():
    store = memory_store()
    assert set(sql_files("views")) & set(store.counts()) == set()


@pytest.mark.parametrize(("folder", "name"), _files("views"))
def test_a_view_answers_on_an_empty_database(folder, name):
    con = memory_store()._con
    assert isinstance(con.execute(f"select * from derived.{name}").fetchall(), list)


@pytest.mark.parametrize(("folder", "name"), _files("checks"))
def test_a_check_is_clean_on_an_empty_database(folder, name):
    assert memory_store()._con.execute(sql_files(folder)[name].text).fetchall() == []


@pytest.mark.parametrize(("folder", "name"), _files("queries"))
def test_a_query_names_what_the_schema_has(folder, name):
    store = memory_store()
    if name.startswith("refresh_"):
        store.freeze()  # what they write to exists in a frozen snapshot only
    assert prepare_fault(store._con, sql_files(folder)[name]) == ""


def _strings(path):
    """Return every string of a file that is not a docstring, f-strings' literal parts included."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    told = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in told
    ]


def test_every_query_is_run_from_exactly_one_place():
    places = Counter(
        name
        for path in sorted((PACKAGE / "store").glob("*.py"))
        for used in _queries_run_by(ast.parse(path.read_text(encoding="utf-8")))
        for name in sql_files("queries")
        if name == used or (used.endswith("*") and name.startswith(used[:-1]))
    )
    assert {n: places[n] for n in sql_files("queries") if places[n] != 1} == {}


RUNNERS = {"_rows", "_run", "_frame", "_load", "_load_frame"}


def _queries_run_by(tree):
    """Yield the names of query files that code runs; `freeze_*` for f"freeze_{name}"."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in RUNNERS and node.args:
            named = node.args[0]
        elif isinstance(node, ast.Subscript) and "queries" in ast.unparse(node.value):
            named = node.slice
        elif isinstance(node, ast.For) and ast.unparse(node.target) == "query":
            yield from (e.value for e in node.iter.elts)
            continue
        else:
            continue
        if isinstance(named, ast.Constant):
            yield named.value
        elif isinstance(named, ast.JoinedStr):
            yield f"{named.values[0].value}*"


def test_no_sql_stands_in_python():
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno}: {node.value[:60]}"
        for path in python_files()
        for node in _strings(path)
        if VERBS.search(node.value) and path.name != "migrate.py"
    ]
    # Prose may say "Select ... from": only what reaches DuckDB counts, and that is in store/.
    assert [place for place in found if place.startswith("store/")] == []


def test_migrate_builds_the_one_statement_that_cannot_be_a_file():
    nodes = [n.value for n in _strings(PACKAGE / "store" / "migrate.py") if VERBS.search(n.value)]
    assert nodes == ["create view derived."]
