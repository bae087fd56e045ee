"""What transcripts give leads back to file, line and byte, in every format."""

import json
import re
from datetime import datetime
from pathlib import Path

import pytest
from helpers.transcripts import (
    gemini_document,
    gemini_session,
    older_codex_session,
    openhands_events,
    swe_agent_trajectory,
)
from helpers.tree import ROOT

from memskill.pipeline.lessons import list_lessons, show_lesson
from memskill.pipeline.transcripts import ingest_transcripts
from memskill.store import open_store

FIXTURE = ROOT / "data" / "transcripts"


def file_of(name, data):
    """Return what writes a session of one file into a folder."""

    def write(folder):
        (folder / name).write_bytes(data())
        return folder / name

    return write


def openhands(folder):
    events = folder / "talk" / "events"
    events.mkdir(parents=True)
    for number, data in enumerate(openhands_events()):
        (events / f"event-{number:05}-a.json").write_bytes(data)
    return folder / "talk"


SESSIONS = {
    "claude": lambda _: FIXTURE / "claude",
    "codex": lambda _: FIXTURE / "codex",
    "pi": lambda _: FIXTURE / "pi",
    "older codex": file_of("old.jsonl", older_codex_session),
    "gemini lines": file_of("g.jsonl", gemini_session),
    "gemini document": file_of("g.json", gemini_document),
    "openhands": openhands,
    "swe-agent": file_of("run.traj", swe_agent_trajectory),
}


def words(text):
    """Return the runs of letters of a text that no escape of JSON can have cut."""
    return re.findall(r"[A-Za-z][A-Za-z ,-]{3,}[A-Za-z]", text)


def is_at(path, line, start):
    """Tell whether a byte of a file lies in a line, which is 1-based."""
    return Path(path).read_bytes()[:start].count(b"\n") == line - 1


@pytest.fixture(params=SESSIONS)
def read(request, settings, tmp_path):
    """The format's name, and settings of a vault that has read a session of it."""
    report = ingest_transcripts(
        settings, [SESSIONS[request.param](tmp_path)], now=datetime(2026, 4, 1)
    )
    assert report.skipped == ()
    return request.param, settings


def test_each_chunk_stands_where_it_says(read):
    with open_store(read[1]) as store:
        rows = store._con.execute(
            "select path, line_start, line_end, byte_start, byte_end, body from source"
            " join memory_node on node_sha = sha where kind = 'transcript'"
        ).fetchall()
    assert len(rows) > 3
    for path, line, last, start, end, body in rows:
        data = Path(path).read_bytes()
        assert is_at(path, line, start)
        assert is_at(path, last, end)
        if path.endswith("-a.json"):
            # OpenHands has call and result in two files; the span is that of the result.
            body = body.split("\n", 1)[-1]
        for run in words(body.replace("[succeeded]", "").replace("[failed", "")):
            assert run in data[start:end].decode()


def test_each_span_is_rows_and_nothing_else(read):
    with open_store(read[1]) as store:
        rows = store._con.execute("select path, byte_start, byte_end from source").fetchall()
    for path, start, end in rows:
        text = Path(path).read_bytes()[start:end].decode()
        found, at = json.JSONDecoder(), 0
        while at < len(text):
            _, at = found.raw_decode(text, at)
            at += len(text[at:]) - len(text[at:].lstrip(" ,\n"))


def test_each_call_stands_where_it_says(read):
    with open_store(read[1]) as store:
        calls = list(store.calls_of(store.call_scopes()))
    assert len(calls) >= 4
    for call in calls:
        assert is_at(call.path, call.line, call.byte_start)
        data = Path(call.path).read_bytes()[call.byte_start :].decode()
        row, _ = json.JSONDecoder().raw_decode(data)
        written = json.dumps(row, ensure_ascii=False)
        assert words(call.command if call.action == "shell" else call.target)[0] in written


def test_each_moment_of_a_lesson_stands_where_it_says(read):
    name, settings = read
    lessons = list_lessons(settings)
    # SWE-agent records no exit codes.
    assert bool(lessons) == (name != "swe-agent")
    for lesson in lessons:
        for moment in show_lesson(settings, lesson.id).moments:
            assert is_at(moment.path, moment.line, moment.byte_start)
            assert moment.byte_end > moment.byte_start
            data = Path(moment.path).read_bytes()[moment.byte_start : moment.byte_end].decode()
            told = moment.command if lesson.tool.islower() else lesson.tool
            assert words(f"{told} ")[0] in data if words(told) else told in data
