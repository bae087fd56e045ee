"""What other code may rely on: pinned, typed and told. A change here is meant or a mistake."""

from __future__ import annotations

import ast
import dataclasses
import importlib
import inspect

import pytest
from helpers.tree import PACKAGE, ROOT, functions, module_name, python_files

import memskill
from memskill import config, errors, records

RECORDS = [
    "Node",
    "Clause",
    "Skill",
    "Skipped",
    "Redactions",
    "Match",
    "Candidate",
    "NoteHit",
    "Task",
    "Finding",
    "Floor",
]
STORE = [
    "DraftRecord",
    "NoteSource",
    "ShortlistPolicy",
    "Shortlisted",
    "SkillRows",
    "Store",
    "memory_store",
    "open_store",
    "source_id",
    "writer_lock",
]


def _records(module):
    return [
        value
        for value in vars(module).values()
        if dataclasses.is_dataclass(value) and value.__module__ == module.__name__
    ]


def test_records_are_those_that_readers_know():
    assert sorted(RECORDS) == sorted(set(RECORDS))
    assert {kind.__name__ for kind in _records(records)} >= set(RECORDS)


@pytest.mark.parametrize("kind", [*_records(records), config.Settings], ids=lambda k: k.__name__)
def test_records_are_frozen_slotted_and_keyword_only(kind):
    assert kind.__dataclass_params__.frozen
    assert "__slots__" in vars(kind)
    assert all(field.kw_only for field in dataclasses.fields(kind))


def test_the_store_offers_what_is_pinned():
    store = importlib.import_module("memskill.store")
    assert set(store.__all__) >= set(STORE)
    # Constants, classes, functions: ruff's order.
    assert store.__all__ == sorted(
        store.__all__, key=lambda name: (not name.isupper(), not name[0].isupper(), name)
    )


@pytest.mark.parametrize(
    "package",
    sorted(module_name(p) for p in PACKAGE.rglob("__init__.py")),
)
def test_a_package_names_what_exists(package):
    module = importlib.import_module(package)
    names = getattr(module, "__all__", [])
    assert len(names) == len(set(names))
    assert [name for name in names if not hasattr(module, name)] == []


def test_the_version_is_one_string():
    assert isinstance(memskill.__version__, str)
    assert memskill.__version__.count(".") == 2


def test_the_package_is_marked_as_typed():
    assert (PACKAGE / "py.typed").is_file()


def _public(name):
    return not any(part.startswith("_") or part == "<locals>" for part in name.split("."))


def test_every_module_class_and_public_function_is_told():
    untold = []
    for path in python_files():
        tree = ast.parse(path.read_text(encoding="utf-8"))
        place = str(path.relative_to(ROOT))
        if not ast.get_docstring(tree):
            untold.append(place)
        untold += [
            f"{place}:{node.name}"
            for node in tree.body
            if isinstance(node, ast.ClassDef)
            and not node.name.startswith("_")
            and not ast.get_docstring(node)
        ]
        untold += [
            f"{place}:{name}"
            for name, node in functions(path)
            if _public(name) and not ast.get_docstring(node)
        ]
    assert untold == []


def test_every_function_is_typed():
    untyped = []
    for path in python_files():
        for name, node in functions(path):
            arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
            arguments += [a for a in (node.args.vararg, node.args.kwarg) if a]
            bare = [
                a.arg for a in arguments if a.annotation is None and a.arg not in ("self", "cls")
            ]
            if bare or (node.returns is None and node.name != "__init__"):
                untyped.append(f"{path.relative_to(ROOT)}:{name}")
    # `__init__` returns nothing by definition; its arguments are looked at like all others.
    assert untyped == []


def test_errors_have_one_root():
    own = [
        v for v in vars(errors).values() if inspect.isclass(v) and v.__module__ == errors.__name__
    ]
    assert all(issubclass(kind, errors.MemskillError) for kind in own)


def test_the_library_never_prints_nor_configures_logging():
    faults = []
    for path in python_files():
        text = path.read_text(encoding="utf-8")
        place = path.relative_to(PACKAGE)
        if place.parts[0] in ("cli", "web"):
            continue
        if "basicConfig(" in text or "addHandler(" in text:
            faults.append(f"{place}: configures logging")
        faults += [
            f"{place}:{node.lineno}: print"
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "print"
        ]
    assert faults == []


def test_the_environment_is_read_in_config_only():
    readers = {
        str(path.relative_to(PACKAGE))
        for path in python_files()
        if "os.environ" in (text := path.read_text(encoding="utf-8")) or "os.getenv" in text
    }
    assert readers <= {"config.py"}
