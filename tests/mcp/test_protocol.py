"""`mem mcp` as agents use it: the SDK's own client, over a real process and real sockets."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import anyio
import pytest
from helpers.knowing import learned_vault, set_note_floor
from helpers.vaults import run_mem, write_skill
from mcp import Client, MCPError, StdioServerParameters, stdio_client

SCRIPT = Path(__file__).resolve().parents[1] / "helpers" / "mcp_server.py"
TOOLS = {"match_skills", "get_skill", "query_notes", "get_context"}
TASK = {"task": "roll back the bad release"}
# The handshake of earlier clients, and what the SDK finds out by itself.
MODES = ("legacy", "auto")
each = pytest.mark.parametrize("mode", MODES)


@pytest.fixture
def vault(tmp_path):
    settings = learned_vault(tmp_path / "vault")
    set_note_floor(settings)
    return settings


def stdio(vault, log):
    """Return a transport to `mem mcp` in a process of its own; its stderr goes to `log`."""
    asked = StdioServerParameters(command=sys.executable, args=[str(SCRIPT), str(vault.vault)])
    return stdio_client(asked, errlog=log)


class Listening:
    """`mem mcp --http` in a process of its own."""

    def __init__(self, vault, *options):
        command = [sys.executable, str(SCRIPT), str(vault.vault), "--http", "--port", "0", *options]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        self.url = next(
            found[0]
            for line in self.process.stderr
            if (found := re.search(r"http://\S+/mcp", line))
        )
        self.port = int(re.search(r":(\d+)/", self.url)[1])

    def end(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        out, said = self.process.communicate(timeout=120)
        return self.process.returncode, out, said

    def ask(self, path="/mcp", body=None, **headers):
        asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"} if body is None else body
        said = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port)) as connection:
            connection.request("POST", path, json.dumps(asked), said | headers)
            reply = connection.getresponse()
            return reply.status, reply.read()


@pytest.fixture
def listen(vault):
    started = []

    def start(*options):
        started.append(Listening(vault, *options))
        return started[-1]

    yield start
    for one in started:
        one.process.kill()
        one.process.communicate()


async def look_around(client, vault):
    """Call every tool, right and wrong, over one connection."""
    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    assert set(tools) == TOOLS
    for tool in tools.values():
        assert tool.annotations.read_only_hint is True
        assert tool.annotations.destructive_hint is False
        assert tool.input_schema["additionalProperties"] is False
        assert tool.output_schema["type"] == "object"
    assert tools["match_skills"].input_schema["properties"]["limit"]["maximum"] == 50
    # The client itself holds every structured answer to the tool's schema.
    matched = await client.call_tool("match_skills", TASK)
    assert [s["name"] for s in matched.structured_content["skills"]] == ["rollback-release"]
    assert json.loads(matched.content[0].text) == matched.structured_content
    skill = await client.call_tool("get_skill", {"name": "rollback-release"})
    file = vault.skills_dir / "rollback-release" / "SKILL.md"
    assert skill.content[0].text == file.read_text(encoding="utf-8")
    error = {"question": "fatal: The current branch berth has no upstream branch."}
    found = await client.call_tool("query_notes", error)
    assert [hit["kind"] for hit in found.structured_content["hits"]] == ["lesson"]
    context = await client.call_tool("get_context", {**TASK, "max_chars": 1000})
    assert "rollback-release" in context.content[0].text
    assert len(context.content[0].text) <= 1000
    await wrong_calls(client)
    write_skill(vault, "greasy-crane", "Greases the crane.")
    seen = await client.call_tool("match_skills", {"task": "grease the crane"})
    assert [s["name"] for s in seen.structured_content["skills"]] == ["greasy-crane"]


async def wrong_calls(client):
    """Make calls that fail: each is told in our words, none breaks the connection."""
    wrong = await client.call_tool("match_skills", {"task": "x", "limit": 99})
    assert (wrong.is_error, wrong.content[0].text) == (True, "error: limit: must be at most 50")
    hinted = await client.call_tool("get_skill", {"name": "rollback-releas"})
    assert hinted.is_error
    assert hinted.content[0].text.splitlines()[1] == "hint: Did you mean 'rollback-release'?"
    bug = await client.call_tool("get_skill", {"name": "bug"})
    assert bug.is_error
    assert "secret detail" not in bug.content[0].text
    with pytest.raises(MCPError, match="no tool 'rm'"):
        await client.call_tool("rm", {})


@each
def test_every_tool_works_over_stdio(vault, tmp_path, mode):
    async def talk(log):
        async with Client(stdio(vault, log), mode=mode) as client:
            assert "Before a task" in client.instructions
            await look_around(client, vault)

    with (tmp_path / "log").open("w+") as log:
        anyio.run(talk, log)
        log.seek(0)
        said = log.read()
    # What was printed meanwhile went where logs go; the trace of the bug too, under its number.
    for words in ("over MCP", "a print while", "a stray print", "a stray write", "secret detail"):
        assert words in said


@each
def test_every_tool_works_over_http(vault, listen, mode):
    served = listen()

    async def talk():
        async with Client(served.url, mode=mode) as client:
            await look_around(client, vault)

    anyio.run(talk)
    status, out, said = served.end()
    assert (status, "memskill has stopped" in said) == (0, True)
    assert "over MCP" not in out


def test_stdout_carries_the_protocol_and_nothing_else(vault):
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        },
    }
    asked = [
        hello,
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call",
         "params": {"name": "get_skill", "arguments": {"name": "rollback-release"}}},
    ]  # fmt: skip
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), str(vault.vault)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    lines = [json.dumps(one).encode() + b"\n" for one in asked]
    process.stdin.writelines([lines[0], lines[1], b"this is no JSON\n", lines[2]])
    process.stdin.flush()
    seen = []
    while not any(one.get("id") == 2 for one in seen):
        seen.append(json.loads(process.stdout.readline()))
    # The end of stdin ends the server, in order.
    rest, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert {one["jsonrpc"] for one in (*seen, *map(json.loads, rest.splitlines()))} == {"2.0"}
    assert seen[0]["result"]["serverInfo"]["name"] == "memskill"
    assert seen[-1]["result"]["structuredContent"]["name"] == "rollback-release"


def test_a_foreign_host_or_origin_is_refused(listen):
    served = listen()
    assert served.ask()[0] == 200
    assert served.ask(Host=f"localhost:{served.port}")[0] == 200
    assert served.ask(Origin=f"http://localhost:{served.port}")[0] == 200
    for host in ("evil.example", f"evil.example:{served.port}", "localhost.evil.example", ""):
        assert served.ask(Host=host)[0] == 421
    assert served.ask(Origin="http://evil.example")[0] == 403
    assert served.ask(path="/")[0] == 404


def test_a_host_of_the_settings_is_answered(vault, listen):
    (vault.vault / "memskill.toml").write_text('allowed_hosts = "memory.example"\n')
    served = listen()
    assert served.ask(Host="memory.example")[0] == 200
    assert served.ask(Host="other.example")[0] == 421


def test_a_body_that_is_too_large_is_refused(vault, listen):
    (vault.vault / "memskill.toml").write_text("max_body_bytes = 2048\n")
    served = listen()
    assert served.ask(body={"x": "y" * 4000})[0] == 413


def test_an_interrupt_ends_the_http_server_in_order(listen):
    assert listen().end(signal.SIGINT)[0] == 0


def test_an_interrupt_ends_the_stdio_server_at_once(vault):
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), str(vault.vault)],
        stdin=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    said = next(line for line in process.stderr if "over MCP" in line)
    assert str(vault.vault) in said
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, "Traceback" in said) == (-signal.SIGINT, False)


def test_a_missing_extra_answers_with_its_install_line(vault, tmp_path):
    # An empty module in the way of the SDK is what a missing one comes to.
    (tmp_path / "mcp_types.py").write_text("raise ImportError('not here')\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    done = run_mem("mcp", "--vault", vault.vault, cwd=tmp_path, PYTHONPATH=path)
    assert (done.returncode, done.stdout) == (69, "")
    assert "pip install 'memskill[mcp]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_port_without_http_is_refused(vault, tmp_path):
    done = run_mem("mcp", "--port", "1", "--vault", vault.vault, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (64, "")
    assert "--http" in done.stderr


def test_a_missing_floor_stops_the_start(vault, tmp_path):
    (vault.vault / "memskill.toml").write_text('reranker = "none"\nencoder = "hf:no/such"\n')
    done = run_mem("mcp", "--vault", vault.vault, cwd=tmp_path, HF_HUB_OFFLINE="1")
    assert (done.returncode, done.stdout) == (69, "")
    assert "Traceback" not in done.stderr
