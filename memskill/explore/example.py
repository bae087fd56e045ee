"""The invented team's vault in a folder of its own, to try things on."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from importlib import resources
from pathlib import Path

from memskill.explore.knowing import TRANSCRIPTS
from memskill.explore.labels import FOLDER, QUESTIONS
from memskill.explore.vault import REPLIES, Vault, open_vault
from memskill.shipped import shipped


def open_example(*, larger: bool = False) -> Vault:
    """Return a fresh copy of the example vault; it goes when Python ends.

    It holds labelled tasks and scripted replies too, as a vault of your own may. Settings come
    from the environment as everywhere; nothing of yours is touched.

    Args:
        larger: With the notes of five more projects, agents' transcripts, and labelled questions
            to notes search.
    """
    home = Path(tempfile.mkdtemp(prefix="memskill-example-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    vault = home / "vault"
    with resources.as_file(shipped("data")) as data:
        shutil.copytree(data / "vault", vault, ignore=shutil.ignore_patterns(".memskill"))
        shutil.copytree(data / "replies", vault / REPLIES)
        (vault / FOLDER).mkdir()
        shutil.copy(data / "tasks" / "fixture.jsonl", vault / FOLDER)
        if larger:
            more = data / "notes_eval"
            shutil.copytree(more / "notes", vault / "notes", dirs_exist_ok=True)
            for source in (data / "transcripts", more / "transcripts"):
                shutil.copytree(source, vault / TRANSCRIPTS, dirs_exist_ok=True)
            (vault / QUESTIONS).mkdir()
            shutil.copy(data / "tasks" / "notes_queries.jsonl", vault / QUESTIONS)
    return open_vault(vault)
