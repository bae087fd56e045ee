"""Calls that write, told from the text of a module; and five that must never be written."""

from __future__ import annotations

import ast

_METHODS = frozenset(
    (
        *("write_text", "write_bytes", "mkdir", "touch", "unlink", "rmdir", "rename"),
        *("symlink_to", "hardlink_to", "write_atomic", "copyfile", "copytree", "copy2"),
        *("makedirs", "truncate", "rmtree", "renames", "removedirs", "link", "symlink"),
    )
)
_MODULES = {
    "os": frozenset(("replace", "rename", "remove", "mkdir", "system", "open", "mkfifo")),
    "shutil": frozenset(("copy", "move")),
    "subprocess": frozenset(("run", "Popen", "call", "check_call", "check_output")),
}

OFFENDERS = {
    "write": "from pathlib import Path\np = Path(vault, 'skills', 'a')\np.mkdir()\n"
    "(p / 'SKILL.md').write_text('x')\n",
    "rename": "import os\nos.rename(vault + '/skills/_drafts/a', vault + '/skills/a')\n",
    "link": "import os\nos.link(vault + '/skills/_drafts/a/SKILL.md', vault + '/skills/x.md')\n",
    "copy": "import shutil\nshutil.copytree(vault + '/skills/_drafts/a', vault + '/skills/a')\n",
    "git": "import subprocess\nsubprocess.run(['git', '-C', vault, 'mv', 'skills/_drafts/a',"
    " 'skills/a'], capture_output=True)\n",
}


def writing_calls(tree: ast.AST) -> list[str]:
    """Return the calls of a module that may write, as `line: text`."""
    return [
        f"{node.lineno}: {ast.unparse(node)[:80]}"
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and _writes(node)
    ]


def _writes(call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return function.id == "write_atomic" or (function.id == "open" and _opens(call, 1))
    if not isinstance(function, ast.Attribute):
        return False
    owner = function.value.id if isinstance(function.value, ast.Name) else ""
    if owner in _MODULES and function.attr in _MODULES[owner]:
        # An os.open that names no writing flag only reads.
        return function.attr != "open" or any(
            flag in ast.unparse(call) for flag in ("O_WRONLY", "O_RDWR", "O_CREAT", "O_APPEND")
        )
    if function.attr == "open":
        return owner != "os" and _opens(call, 0)
    if function.attr == "replace":
        # Path.replace takes one argument, str.replace two, dataclasses.replace keywords.
        return len(call.args) == 1 and not call.keywords
    return function.attr in _METHODS


def _opens(call: ast.Call, place: int) -> bool:
    mode = next((k.value for k in call.keywords if k.arg == "mode"), None)
    if mode is None and len(call.args) > place:
        mode = call.args[place]
    if mode is None:
        return False
    return not (isinstance(mode, ast.Constant) and not set(str(mode.value)) & set("wax+"))
