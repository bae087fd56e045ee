"""The project's own files and what they import, read from their text."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "memskill"

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


def python_files() -> list[Path]:
    """Return every Python file of the package, in order."""
    return sorted(PACKAGE.rglob("*.py"))


def module_name(path: Path) -> str:
    """Return the dotted name of a file of the package."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def area(module: str) -> str:
    """Return the part below `memskill` that a module belongs to; "" for the package itself."""
    return ([*module.split("."), ""])[1]


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """Yield (module, line) of all that a file imports, in functions too, for typing alone not."""
    for node in _running_nodes(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(path, node)
            yield base, node.lineno
            # `from memskill import cli` imports a module of the package.
            yield from ((f"{base}.{alias.name}", node.lineno) for alias in node.names)


def _base(path: Path, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = module_name(path.parent / "__init__.py").split(".")
    above = package[: len(package) - node.level + 1]
    return ".".join([*above, *([node.module] if node.module else [])])


def _running_nodes(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            yield from itertools.chain.from_iterable(map(_with_itself, node.orelse))
        else:
            yield from _with_itself(node)


def _with_itself(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    yield from _running_nodes(node)


def functions(path: Path) -> Iterator[tuple[str, FunctionNode]]:
    """Yield (dotted name within the file, node) of all functions and methods of a file."""
    yield from _functions(ast.parse(path.read_text(encoding="utf-8")), "")


def _functions(tree: ast.AST, prefix: str) -> Iterator[tuple[str, FunctionNode]]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield prefix + node.name, node
            yield from _functions(node, f"{prefix}{node.name}.<locals>.")
        elif isinstance(node, ast.ClassDef):
            yield from _functions(node, f"{prefix}{node.name}.")
        else:
            yield from _functions(node, prefix)
