"""The wheel: built, installed in an empty environment elsewhere, run there without a network."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from helpers.tree import ROOT

pytestmark = pytest.mark.slow

# What must be inside beside the modules.
SHIPPED = (
    "memskill/sql/migrations/0001_ledger.sql",
    "memskill/sql/views/current_node.sql",
    "memskill/data/README.md",
    "memskill/data/vault/memskill.toml",
    "memskill/data/tasks/fixture.jsonl",
    "memskill/docs/settings.md",
    "memskill/docs/errors.md",
    "memskill/templates/skill.md.j2",
    "memskill/models/weights/encoder/model.onnx",
    "memskill/models/weights/encoder/tokenizer.json",
    "memskill/models/weights/encoder/LICENSE",
    "memskill/py.typed",
)
# Any use of the network fails at once: the proxy is a closed port.
OFFLINE = dict.fromkeys(
    ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9"
)
MAX_WHEEL_BYTES = 110_000_000


def _run(*command, cwd, **env):
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("MEMSKILL_", "PYTHONPATH"))}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=kept | env,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def _tracked():
    """Return the files that a clone would have; in an export without git, all but the hidden."""
    try:
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            capture_output=True,
            check=True,
        ).stdout
        return [name.decode() for name in listed.split(b"\0") if name]
    except (OSError, subprocess.CalledProcessError):
        files = (p.relative_to(ROOT) for p in ROOT.rglob("*") if p.is_file())
        return [str(p) for p in files if not any(part.startswith(".") for part in p.parts)]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel, built from a copy so that a checkout's leftovers stay out."""
    folder = tmp_path_factory.mktemp("build")
    source = folder / "source"
    for name in _tracked():
        if (ROOT / name).is_file():
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps")
    _run(*pip, "--wheel-dir", folder, source, cwd=folder)
    (found,) = folder.glob("memskill-*.whl")
    return found


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """The folder of the programs of an environment that holds the wheel and its dependencies."""
    folder = tmp_path_factory.mktemp("installed") / "env"
    venv.create(folder, with_pip=True)
    _run(folder / "bin/python", "-m", "pip", "install", "--quiet", wheel, cwd=folder)
    return folder / "bin"


def test_the_wheel_holds_what_it_must_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert set(SHIPPED) <= set(names)
    top = {name.split("/")[0] for name in names}
    assert top == {"memskill", next(n for n in top if n.endswith(".dist-info"))}
    stray = [n for n in names if "/.memskill/" in n or n.endswith(".pyc") or "/tests/" in n]
    assert stray == []
    # Every file of sql/ and data/ that a clone has.
    for folder in ("sql", "data"):
        kept = {f"memskill/{n}" for n in _tracked() if n.startswith(f"{folder}/")}
        assert kept <= set(names)


def test_the_wheel_stays_small(wheel):
    assert wheel.stat().st_size <= MAX_WHEEL_BYTES


def test_the_core_needs_no_heavy_package(installed):
    listed = _run(installed / "python", "-m", "pip", "list", "--format=freeze", cwd=installed)
    names = {line.partition("==")[0].lower() for line in listed.splitlines()}
    assert names.isdisjoint({"torch", "transformers", "sentence-transformers", "scikit-learn"})
    _run(installed / "python", "-m", "pip", "check", cwd=installed)


def test_the_demo_runs_from_the_wheel_without_a_network(installed, tmp_path):
    said = _run(installed / "mem", "demo", tmp_path / "demo", cwd=tmp_path, **OFFLINE)
    assert "ingest" in said
    assert "match" in said


def test_a_new_vault_works_from_the_wheel_without_a_network(installed, tmp_path):
    def mem(*words):
        return _run(installed / "mem", *words, cwd=tmp_path, **OFFLINE)

    mem("init")
    note = tmp_path / "vault/notes/p/q.md"
    note.parent.mkdir()
    note.write_text("# Why does the pump stall?\n\nIt is cold.\n")
    assert mem("ingest").startswith("ingested: 1 notes")
    assert mem("ingest").startswith("no change: 1 notes")
    assert "healthy, 1 nodes" in mem("db", "check")
    assert "p/q" in mem("query", "pump")
    assert mem("help", "errors").startswith("# Errors")
    assert mem("--version").startswith("memskill")


def test_python_dash_m_is_the_same_command(installed, tmp_path):
    said = _run(installed / "python", "-m", "memskill", "--help", cwd=tmp_path)
    assert said == _run(installed / "mem", "--help", cwd=tmp_path)


def test_an_editable_install_finds_sql_and_data_too(installed, tmp_path):
    """In an environment that borrows the wheel's dependencies, so that nothing is fetched twice."""
    folder = tmp_path / "env"
    venv.create(folder, with_pip=True)
    python = folder / "bin/python"
    (site,) = folder.glob("lib/python*/site-packages")
    (borrowed,) = Path(installed).parent.glob("lib/python*/site-packages")
    (site / "zz_borrowed.pth").write_text(f"{borrowed}\n")
    install = ("install", "--quiet", "--no-deps", "--force-reinstall", "--editable", ROOT)
    _run(python, "-m", "pip", *install, cwd=folder)
    code = (
        "import memskill; from memskill.shipped import shipped; from memskill.store import"
        " memory_store; print(memskill.__file__, shipped('sql'), shipped('data'));"
        " memory_store().require_healthy()"
    )
    said = _run(python, "-c", code, cwd=tmp_path).split()
    assert said == [str(ROOT / "memskill/__init__.py"), str(ROOT / "sql"), str(ROOT / "data")]
