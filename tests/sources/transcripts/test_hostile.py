"""Rows with something wrong in each of their fields: none stops a run, or loses a later row."""

import copy
import json
from collections.abc import Iterator
from datetime import datetime

import pytest
from helpers.transcripts import gemini_session, older_codex_session
from helpers.tree import ROOT
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memskill.config import Settings
from memskill.pipeline.transcripts import ingest_transcripts
from memskill.store import open_store

FIXTURE = ROOT / "data" / "transcripts"
NOW = datetime(2026, 4, 1)
# A call that every session ends with; it has to be there whatever came before it.
LAST = "make the-last-quay"
DEEP = 900
WRONG = (
    *(None, True, 0, -7, 10**30, -0.5, 1e300, "", "\x00", "\ud800", "a\ud800\x00b", "x" * 5000),
    *([], {}, [[]], [None, 7, "x"], [{}], {"type": 7}, {"text": []}, [{"type": "text", "text": 7}]),
)


def deep(depth=DEEP):
    value = "x"
    for _ in range(depth):
        value = [value]
    return value


def fields(value: object, path=()) -> Iterator[tuple]:
    """Yield the path of every value in a row."""
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in items:
        yield (*path, key)
        if isinstance(inner, dict | list):
            yield from fields(inner, (*path, key))


def changed(row, path, value):
    """Return a copy of a row with another value at one place."""
    row = copy.deepcopy(row)
    place = row
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return row


def hostile(rows):
    """Return the rows, and each of them with each wrong value in each of its fields."""
    made = list(rows)
    for row in rows:
        for path in fields(row):
            made += [changed(row, path, value) for value in (*WRONG, deep())]
    return made


def of_lines(data):
    return [json.loads(line) for line in data.splitlines()]


def claude_rows():
    rows = of_lines((FIXTURE / "claude" / "keel-session-0001.jsonl").read_bytes())
    base = {"sessionId": "last", "uuid": "z", "timestamp": "2026-03-20T10:00:00.000Z"}
    call = {"type": "tool_use", "id": "z", "name": "Bash", "input": {"command": LAST}}
    result = {"type": "tool_result", "tool_use_id": "z", "content": "Exit code 2", "is_error": True}
    ends = [
        {**base, "type": "assistant", "message": {"role": "assistant", "content": [call]}},
        {**base, "type": "user", "message": {"role": "user", "content": [result]}},
    ]
    # One of each kind is enough.
    kinds = {(row["type"], "toolUseResult" in row): row for row in rows}
    return list(kinds.values()), ends


def codex_ends():
    call = {"name": "exec_command", "call_id": "z", "arguments": json.dumps({"cmd": LAST})}
    output = {"call_id": "z", "output": "Process exited with code 2\nOutput:\nboom"}
    return [
        {"type": "response_item", "payload": {"type": "function_call", **call}},
        {"type": "response_item", "payload": {"type": "function_call_output", **output}},
    ]


def codex_rows():
    rows = of_lines((FIXTURE / "codex" / "rollout-keel-0002.jsonl").read_bytes())
    kinds = {(row["type"], row["payload"].get("type")): row for row in rows}
    return list(kinds.values()), codex_ends()


def older_codex_rows():
    return of_lines(older_codex_session())[:7], codex_ends()


def pi_rows():
    rows = of_lines((FIXTURE / "pi" / "2026-03-14_keel-0003.jsonl").read_bytes())
    call = {"type": "toolCall", "id": "z", "name": "bash", "arguments": {"command": LAST}}
    said = [{"type": "text", "text": "boom\n\nCommand exited with code 2"}]
    result = {"role": "toolResult", "toolCallId": "z", "content": said, "isError": True}
    ends = [
        {"type": "message", "id": "y", "message": {"role": "assistant", "content": [call]}},
        {"type": "message", "id": "z", "message": result},
    ]
    ran = {"role": "bashExecution", "command": "ls", "output": "x", "exitCode": 1}
    kinds = {(row["type"], row.get("message", {}).get("role")): row for row in rows}
    return [*kinds.values(), {"type": "message", "id": "b", "message": ran}], ends


def gemini_ends():
    report = "Output: boom\nExit Code: 2\nSignal: 0"
    answer = [{"functionResponse": {"response": {"output": report}}}]
    call = {"id": "z", "name": "run_shell_command", "args": {"command": LAST}}
    call |= {"status": "success", "result": answer}
    row = {"id": "z", "type": "gemini", "timestamp": "2026-03-20T10:00:00Z", "content": ""}
    return [{**row, "toolCalls": [call]}]


def gemini_rows():
    return of_lines(gemini_session())[:7], gemini_ends()


def gemini_document_rows():
    return of_lines(gemini_session())[1:5], gemini_ends()


def openhands_rows():
    base = {"source": "agent", "timestamp": "2026-03-01T10:00:00", "tool_call_id": "c"}
    act = {**base, "kind": "ActionEvent", "tool_name": "terminal", "action": {"command": "make"}}
    act["thought"] = [{"type": "text", "text": "Now the quay."}]
    seen = {**base, "kind": "ObservationEvent"}
    seen["observation"] = {"content": [{"text": "boom"}], "metadata": {"exit_code": 2}}
    said = {**base, "kind": "MessageEvent", "source": "user"}
    said["llm_message"] = {"role": "user", "content": [{"type": "text", "text": "Build it."}]}
    ends = [
        {**act, "tool_call_id": "z", "action": {"command": LAST}},
        {**seen, "tool_call_id": "z"},
    ]
    return [act, seen, said, {**base, "kind": "AgentErrorEvent", "error": "boom"}], ends


def swe_agent_rows():
    step = {"action": "make", "observation": "boom", "thought": "Try.", "state": "{}"}
    return [step], [{**step, "action": LAST}]


def write_lines(folder, rows):
    """Write rows as JSON lines."""
    file = folder / "session.jsonl"
    file.write_bytes(b"".join(json.dumps(row).encode() + b"\n" for row in rows))
    return file


def write_gemini(folder, rows):
    file = folder / "session.json"
    file.write_text(json.dumps({"sessionId": "s", "messages": rows}), encoding="utf-8")
    return file


def write_openhands(folder, rows):
    events = folder / "talk" / "events"
    events.mkdir(parents=True)
    for number, row in enumerate(rows):
        (events / f"event-{number:06}-a.json").write_text(json.dumps(row), encoding="utf-8")
    return folder


def write_swe_agent(folder, rows):
    file = folder / "run.traj"
    file.write_text(json.dumps({"trajectory": rows, "info": {}}), encoding="utf-8")
    return file


FORMATS = {
    "claude-code": (claude_rows, write_lines),
    "codex": (codex_rows, write_lines),
    "older codex": (older_codex_rows, write_lines),
    "pi": (pi_rows, write_lines),
    "gemini-jsonl": (gemini_rows, write_lines),
    "gemini": (gemini_document_rows, write_gemini),
    "openhands": (openhands_rows, write_openhands),
    "swe-agent": (swe_agent_rows, write_swe_agent),
}


def commands(options):
    """Return the commands of all calls that the database holds."""
    with open_store(options) as store:
        assert store.failed_checks() == {}
        return [call.command for call in store.calls_of(store.call_scopes())]


@pytest.fixture
def options(tmp_path):
    vault = tmp_path / "vault"
    vault.mkdir()
    return Settings(vault=vault)


@pytest.mark.parametrize("name", FORMATS)
def test_wrong_values_in_every_field_lose_no_later_row(options, tmp_path, name):
    made, write = FORMATS[name]
    rows, ends = made()
    path = write(tmp_path, [*hostile(rows), *ends])
    report = ingest_transcripts(options, [path], now=NOW)
    assert report.skipped == ()
    assert commands(options).count(LAST) == 1
    again = ingest_transcripts(options, [path], now=NOW)
    assert (again.changed, again.calls_new) == (False, 0)


ODD = [
    *(b"", b" ", b"\x00", b"\xff\xfe", b"null", b"[]", b"7", b'"x"', b"{", b"}", b"{}", b"{}\r"),
    *(b'{"type": 7}', b'{"type":"user","message":', b"\xef\xbb\xbf{}", b'{"a":1}{"b":2}'),
    *(b'{"a":' * 100_000, b"[" * 200_000, b'{"x":"' + b"y" * 3_000_000 + b'"}', b"\xe2\x80\xa8"),
    b'{"type":"user","uuid":"\\ud800","sessionId":"\\u0000"}',
    b'{"type": NaN, "message": Infinity, "uuid": "u"}',
]


@pytest.mark.parametrize("name", [n for n, (_, write) in FORMATS.items() if write is write_lines])
def test_lines_that_are_no_rows_lose_no_later_row(options, tmp_path, name):
    rows, ends = FORMATS[name][0]()
    path = write_lines(tmp_path, rows)
    path.write_bytes(path.read_bytes() + b"\n".join(ODD) + b"\n")
    with path.open("ab") as file:
        file.write(b"".join(json.dumps(row).encode() + b"\r\n" for row in ends))
    report = ingest_transcripts(options, [path], now=NOW)
    assert commands(options).count(LAST) == 1
    assert sum(report.files[0].dropped.values()) >= len([line for line in ODD if line.strip()]) - 4


ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@pytest.mark.parametrize("name", FORMATS)
@settings(max_examples=6, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_values_in_many_fields_lose_no_later_row(tmp_path_factory, name, data):
    made, write = FORMATS[name]
    rows, ends = made()
    broken = []
    for row in rows:
        paths = list(fields(row))
        for _ in range(6):
            twisted = row
            for path in data.draw(st.lists(st.sampled_from(paths), max_size=3)):
                try:
                    twisted = changed(twisted, path, data.draw(ANY))
                except (KeyError, IndexError, TypeError):
                    continue  # an earlier change took the place away
            broken.append(twisted)
    folder = tmp_path_factory.mktemp("any")
    (folder / "vault").mkdir()
    options = Settings(vault=folder / "vault")
    ingest_transcripts(options, [write(folder, [rows[0], *broken, *ends])], now=NOW)
    assert commands(options).count(LAST) == 1
