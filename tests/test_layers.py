"""The import order: who may import whom, at the top of a module and inside its functions."""

from __future__ import annotations

import pytest
from helpers.tree import PACKAGE, area, imports, module_name, python_files

# A module may import what stands in an earlier group, and its own area.
ORDER = (
    {"records"},
    {"errors"},
    {"config", "shipped"},
    {"sources"},
    {"models", "store"},
    {"match", "draft"},
    # A lesson skill is a draft: it keeps to the draft's rules on hostile text.
    {"lessons"},
    {"pipeline"},
    {"train"},
    {"web", "explore"},
    # Tools give what HTTP gives, by the same schemas.
    {"mcp"},
    # `mem serve` starts the server.
    {"cli"},
)
RANK = {name: rank for rank, group in enumerate(ORDER) for name in group}
# The verbs that train reach it inside their functions; nothing else does.
ALLOWED = {("pipeline", "train")}


def _own_imports():
    for path in python_files():
        here = area(module_name(path))
        for target, line in imports(path):
            if target.startswith("memskill.") and area(target) in RANK:
                yield path, line, here, area(target)


def test_every_area_has_a_place_in_the_order():
    areas = {area(module_name(path)) for path in python_files()} - {"", "__main__"}
    assert areas <= set(RANK)


def test_imports_follow_the_order():
    wrong = sorted(
        {
            f"{path.relative_to(PACKAGE)}:{line}: {here} imports {there}"
            for path, line, here, there in _own_imports()
            if here in RANK
            and here != there
            and RANK[there] >= RANK[here]
            and (here, there) not in ALLOWED
        }
    )
    assert wrong == []


def test_the_package_itself_imports_nothing_by_being_imported():
    import ast

    top = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8")).body
    assert [node for node in top if isinstance(node, ast.Import | ast.ImportFrom)] == []


def test_train_is_imported_inside_functions_only():
    import ast

    for path in sorted((PACKAGE / "pipeline").glob("*.py")):
        top = ast.parse(path.read_text(encoding="utf-8")).body
        named = [n.module for n in top if isinstance(n, ast.ImportFrom)]
        assert not [name for name in named if name and name.startswith("memskill.train")], path


def test_only_the_store_imports_duckdb():
    outside = {
        str(path.relative_to(PACKAGE))
        for path in python_files()
        for target, _ in imports(path)
        if target.split(".")[0] == "duckdb" and area(module_name(path)) != "store"
    }
    assert outside == set()


@pytest.mark.parametrize("package", ["torch", "transformers", "sentence_transformers", "sklearn"])
def test_optional_packages_stay_in_models_and_train(package):
    outside = {
        str(path.relative_to(PACKAGE))
        for path in python_files()
        for target, _ in imports(path)
        if target.split(".")[0] == package and area(module_name(path)) not in ("models", "train")
    }
    assert outside == set()
