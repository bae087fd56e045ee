"""`mem serve` as people start and stop it: in a process of its own, over real sockets."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import closing

import pytest
from helpers.tree import ROOT
from helpers.vaults import run_mem, write_skill

# Starts `mem serve` with models that load nothing; one task makes the encoder slow.
SCRIPT = textwrap.dedent(
    """
    import sys, time
    sys.path.insert(0, sys.argv[1])
    from helpers.serving import fake_matching
    from memskill.cli import main
    from memskill.models.fakes import HashEncoder
    from memskill.pipeline import matching

    class Slow(HashEncoder):
        def encode(self, texts):
            if texts == ["slow"]:
                print("slow task begins", file=sys.stderr, flush=True)
                time.sleep(3)
            return super().encode(texts)

    matching.Matching = lambda settings: fake_matching(settings, encoder=Slow())
    main(["--vault", sys.argv[2], "serve", "--port", "0", *sys.argv[3:]])
    """
)


class Served:
    """A server process and what it says."""

    def __init__(self, settings, *options: str) -> None:
        arguments = [sys.executable, "-c", SCRIPT, ROOT / "tests", settings.vault, *options]
        self.process = subprocess.Popen(
            list(map(str, arguments)),
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stderr=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.line = self.wait_for("serves")
        self.port = int(re.search(r":(\d+)$", self.line)[1])

    def wait_for(self, words: str) -> str:
        for line in self.process.stderr:
            if words in line:
                return line.strip()
        raise AssertionError(f"the server ended without saying {words!r}")

    def get(self, url: str):
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)) as asked:
            asked.request("GET", url)
            reply = asked.getresponse()
            return reply.status, dict(reply.getheaders()), reply.read()

    def end(self) -> tuple[int, str]:
        _, said = self.process.communicate(timeout=120)
        return self.process.returncode, said


@pytest.fixture
def serve(team):
    started: list[Served] = []

    def start(*options: str) -> Served:
        started.append(Served(team, *options))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.communicate()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_finishes_what_is_in_flight_and_takes_nothing_new(serve, number):
    served = serve()
    answers: list[tuple[int, dict[str, str], bytes]] = []
    slow = threading.Thread(target=lambda: answers.append(served.get("/memory/skills?task=slow")))
    idle = http.client.HTTPConnection("127.0.0.1", served.port, timeout=120)
    idle.request("GET", "/healthz")
    assert idle.getresponse().read() == b'{"status":"ok"}'
    slow.start()
    served.wait_for("slow task begins")
    served.process.send_signal(number)
    _wait_until_refused(served.port)
    assert slow.is_alive()  # the port closed first, the request goes on
    slow.join(120)
    idle.close()
    status, said = served.end()
    assert (answers[0][0], answers[0][2]) == (200, b"[]")
    assert (status, "has stopped" in said) == (0, True)
    assert "Traceback" not in said


def test_one_line_says_where_and_what_is_served(serve, team):
    served = serve()
    assert served.line == f"memskill serves {team.vault} at http://127.0.0.1:{served.port}"
    status, headers, body = served.get("/memory/skills?task=roll+back+the+bad+release")
    assert (status, headers["Server"]) == (200, "memskill")
    assert [one["name"] for one in json.loads(body)] == ["rollback-release"]
    write_skill(team, "paint-fences", "Paints the fence white.")
    assert b"paint-fences" in served.get("/memory/skills?task=paint+the+fence+white")[2]


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET /healthz HTTP/1.1\r\nHost: evil.example\r\n\r\n", 421),
        (b"GET /healthz HTTP/1.1\r\n\r\n", 421),
        (b"POST /memory/skills/match HTTP/1.1\r\nHost: localhost\r\n"
         b"Content-Length: 99999999999\r\n\r\n", 413),
        (b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nContent-Length: x\r\n\r\n", 400),
        (b"GET /" + b"x" * 300_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 431),
        (b"nonsense\r\n\r\n", 400),
    ],
)  # fmt: skip
def test_broken_and_hostile_requests_are_problems_too(shared, sent, status):
    with socket.create_connection(("127.0.0.1", shared.port), timeout=60) as connection:
        connection.sendall(sent)
        reply = http.client.HTTPResponse(connection)
        reply.begin()
        assert reply.status == status
        assert reply.headers["Content-Type"] == "application/problem+json"
        assert json.loads(reply.read())["status"] == status


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    from helpers.serving import copy_vault

    served = Served(copy_vault(tmp_path_factory.mktemp("serve") / "vault"))
    yield served
    served.process.kill()
    served.process.communicate()


def test_a_port_that_is_taken_is_told(shared, team):
    arguments = [sys.executable, "-c", SCRIPT, str(ROOT / "tests"), str(team.vault)]
    done = subprocess.run(
        [*arguments, "--port", str(shared.port)],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 78
    assert f"cannot listen on 127.0.0.1 port {shared.port}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("env", "status", "said"),
    [
        ({"MEMSKILL_ENCODER": "onnx:/no/such/folder"}, 69, "/no/such/folder"),
        ({"MEMSKILL_RERANKER": "onnx:/no/such/folder"}, 69, "/no/such/folder"),
        ({"MEMSKILL_RERANKER": "nonsense"}, 78, "reranker"),
    ],
)
def test_a_model_that_cannot_load_stops_the_start(team, env, status, said):
    done = run_mem("--vault", team.vault, "serve", "--port", "0", cwd=team.vault, **env)
    assert (done.returncode, done.stdout) == (status, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("option", "value"), [("--port", "70000"), ("--port", "-1"), ("--threads", "0")]
)
def test_an_option_out_of_range_is_told(team, option, value):
    done = run_mem("--vault", team.vault, "serve", option, value, cwd=team.vault)
    assert done.returncode == 78
    assert f"not {value}" in done.stderr


def _wait_until_refused(port: int) -> None:
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except ConnectionRefusedError:
            return
        except ConnectionResetError:
            pass  # met the port in the very moment of its closing
        time.sleep(0.05)
    raise AssertionError("the port stayed open")
