"""Rows with their place in the file; what is not yet whole waits."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memskill.errors import SourceError
from memskill.sources.transcripts import rows as rows_module
from memskill.sources.transcripts.find import find_transcripts
from memskill.sources.transcripts.formats import parse_row
from memskill.sources.transcripts.read import events_frame, fresh_cursor, read_batches
from memskill.sources.transcripts.rows import read_document, read_lines


@pytest.fixture
def file(tmp_path):
    return tmp_path / "t.jsonl"


def test_a_partial_last_line_waits(file):
    file.write_bytes(b'{"a":1}\n{"b":')
    (row,) = read_lines(file, 0, 1)
    assert (row.next_byte, row.next_line) == (8, 2)
    file.write_bytes(b'{"a":1}\n{"b":2}\n')
    (row,) = read_lines(file, row.next_byte, row.next_line)
    assert (row.data, row.span.line, row.span.start) == (b'{"b":2}\n', 2, 8)


def test_a_whole_object_without_a_line_end_does_not_wait(file):
    file.write_bytes(b'{"a":1}')
    (row,) = read_lines(file, 0, 1)
    assert (row.next_byte, row.next_line) == (7, 1)
    file.write_bytes(b'{"a":1}\n{"b":2}\n')
    blank, row = read_lines(file, 7, 1)
    assert (blank.data, row.span.line) == (b"\n", 2)


def test_a_row_that_is_too_long_is_passed_over(file, monkeypatch):
    monkeypatch.setattr(rows_module, "MAX_ROW", 20)
    file.write_bytes(b'{"a":"' + b"x" * 50 + b'"}\n{"b":2}\n')
    long, row = read_lines(file, 0, 1)
    assert (long.data, row.data, row.span.line) == (None, b'{"b":2}\n', 2)


def test_items_of_a_document_keep_their_bytes(file):
    text = (
        '{"sessionId": "é",\n "x": [1, {"messages": 2}],\n "messages": [{"n": "ü"},\n  {"n": 2}]}'
    )
    file.write_text("\ufeff" + text, encoding="utf-8")
    document = read_document(file, ("messages",))
    assert document.keys["sessionId"] == "é"
    data = file.read_bytes()
    for row, span in document.items:
        assert json.loads(data[span.start : span.end]) == row
    assert [span.line for _, span in document.items] == [3, 4]


@pytest.mark.parametrize("text", ['{"messages": [', "[1]", "", '{"a" 1}', "{" * 5000])
def test_a_document_that_is_not_whole_says_so(file, text):
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SourceError, match="whole JSON document"):
        read_document(file, ("messages",))


def test_openhands_folder_is_read_on_from_its_last_event(tmp_path):
    events = tmp_path / "talk" / "events"
    events.mkdir(parents=True)
    row = {"kind": "ActionEvent", "source": "agent", "tool_name": "terminal", "tool_call_id": "c"}
    first = {**row, "action": {"command": "make"}}
    (events / "event-00000-a.json").write_text(json.dumps(first), encoding="utf-8")
    (tmp_path / "talk" / "base_state.json").write_text("{}", encoding="utf-8")
    ((found,), skipped) = find_transcripts([tmp_path])
    assert skipped == []
    (batch,) = read_batches(found, fresh_cursor(found))
    second = {"kind": "ObservationEvent", "source": "environment", "tool_call_id": "c"}
    second["observation"] = {"exit_code": 2, "content": "boom"}
    (events / "event-00001-b.json").write_text(json.dumps(second), encoding="utf-8")
    (more,) = read_batches(found, batch.cursor)
    (call,) = more.calls
    assert (call.command, call.exit_code, call.session) == ("make", 2, "talk")


def test_unknown_and_missing_files_are_reported(tmp_path):
    (tmp_path / "package.json").write_text('{"name": "tide"}', encoding="utf-8")
    (tmp_path / "log.jsonl").write_text('{"level": "info"}\n', encoding="utf-8")
    found, skipped = find_transcripts([tmp_path, tmp_path / "nothing"])
    assert found == []
    assert [one.reason for one in skipped] == [
        "is in no transcript format that is known",
        "does not exist",
    ]


def test_events_come_as_a_frame(tmp_path):
    file = tmp_path / "t.jsonl"
    row = {"type": "user", "sessionId": "s", "uuid": "u", "message": {"content": "Plan it."}}
    file.write_text(json.dumps(row) + "\n", encoding="utf-8")
    ((found,), _) = find_transcripts([file])
    frame = events_frame(found)
    assert frame.select("kind", "text", "line").rows() == [("user", "Plan it.", 1)]


def by_the_standard_library(line):
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


ROWS = st.dictionaries(
    st.text(max_size=4),
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers(-(2**63), 2**64 - 1) | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=6,
    ),
    max_size=4,
)


@given(ROWS, st.booleans(), st.integers(0, 40))
def test_rows_are_read_as_the_standard_library_reads_them(row, ascii_only, cut):
    whole = json.dumps(row, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    for line in (whole, whole[: len(whole) - cut], b" " + whole + b"\r\n"):
        assert repr(parse_row(line)) == repr(by_the_standard_library(line))


@pytest.mark.parametrize(
    "line",
    [
        *(b'{"a": "\\ud800"}', b'{"a": NaN}', b'{"a": 1e999}', b'\xef\xbb\xbf{"a": 1}', b""),
        *(b'{"a": "\xff"}', b'{"a": 1, "a": 2}', b"[]", b'{"a": 01}', b'{"a": "\x01"}'),
        b'{"a":' * 2000,
    ],
)
def test_odd_rows_are_read_as_the_standard_library_reads_them(line):
    assert repr(parse_row(line)) == repr(by_the_standard_library(line))
