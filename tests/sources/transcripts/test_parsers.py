"""Each format to the one event record: what is kept, what is dropped, how it ended."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memskill.sources.transcripts.events import Event, FileCounts, Span
from memskill.sources.transcripts.formats import PARSERS, parser_named, sniff_document, sniff_lines
from memskill.sources.transcripts.protocol import Dropped

SPAN = Span("/t.jsonl", 1, 0, 10, 1)


def read(name, *rows, state=None):
    """Return the events of some rows, and the reasons of what was dropped."""
    parser, state = parser_named(name), {"session": "s"} if state is None else state
    given = [one for row in rows for one in parser.events(row, SPAN, state)]
    dropped = [one.reason for one in given if isinstance(one, Dropped)]
    return [one for one in given if isinstance(one, Event)], dropped


def claude(kind, content, **more):
    row = {"type": kind, "sessionId": "s", "uuid": "u", "cwd": "/w", "gitBranch": "berth"}
    return {**row, "message": {"role": kind, "content": content}, **more}


def claude_result(content, details=None, error=True):
    block = {"type": "tool_result", "tool_use_id": "t1", "content": content, "is_error": error}
    return claude("user", [block], toolUseResult=details)


def codex(kind, **payload):
    return {
        "timestamp": "2026-03-01T10:00:00Z",
        "type": "response_item",
        "payload": {"type": kind, **payload},
    }


def pi(**message):
    return {"type": "message", "id": "m1", "timestamp": "2026-03-01T10:00:00Z", "message": message}


def test_claude_exit_code_stands_on_the_first_line():
    (event,), _ = read("claude-code", claude_result("Exit code 128\nfatal: no upstream"))
    assert (event.exit_code, event.failed, event.text) == (128, True, "fatal: no upstream")


def test_claude_text_about_an_exit_code_is_no_failure():
    (event,), _ = read("claude-code", claude_result("Exit code 1\nquoted", error=False))
    assert (event.exit_code, event.failed) == (None, False)


@pytest.mark.parametrize(
    ("content", "details", "stopped"),
    [
        ("The user doesn't want to proceed with this tool use.", "Error", "refused"),
        ("<tool_use_error>Sibling tool call errored</tool_use_error>", "Error", "cancelled"),
        ("partial output", {"interrupted": True}, "interrupted"),
        ("Command running in background", {"backgroundTaskId": "b1"}, "running"),
    ],
)
def test_claude_results_that_never_ran_to_their_end(content, details, stopped):
    (event,), _ = read("claude-code", claude_result(content, details))
    assert event.stopped == stopped


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (claude("user", "hidden", isMeta=True), "meta"),
        (claude("user", "a summary", isCompactSummary=True), "compaction-summary"),
        (claude("assistant", "a summary", agentId="acompact-1"), "compaction-summary"),
        (claude("user", "<system-reminder>\nx\n</system-reminder>"), "system-reminder"),
        (claude("user", "<command-name>/clear</command-name>"), "command-wrapper"),
        (claude("user", "<local-command-stdout>x"), "command-wrapper"),
        (claude("user", "<task-notification>done"), "task-notification"),
        (claude("user", "[Request interrupted by user]"), "interrupt-notice"),
        (claude("assistant", [{"type": "thinking", "thinking": "x"}]), "thinking"),
        ({"type": "progress", "data": {"message": {}}}, "progress"),
    ],
)
def test_claude_injected_rows_are_dropped_with_a_reason(row, reason):
    events, dropped = read("claude-code", row)
    assert events == []
    assert dropped[0] == reason


def test_claude_progress_rows_are_dropped_unread():
    skip = parser_named("claude-code").skip
    assert skip(b'{"type":"progress","data":{"type":"hook_progress"}}') == "progress"
    assert skip(json.dumps(claude("user", "hello")).encode()) is None


def test_claude_subagent_has_its_own_thread():
    (event,), _ = read("claude-code", claude("user", "look", isSidechain=True, agentId="a7"))
    assert event.agent == "a7"


def test_claude_call_carries_command_and_target():
    bash = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "git push"}}
    edit = {"type": "tool_use", "id": "t2", "name": "Edit", "input": {"file_path": "/a.md"}}
    (one, two), _ = read("claude-code", claude("assistant", [bash, edit]))
    assert (one.action, one.command, one.branch) == ("shell", "git push", "berth")
    assert (two.action, two.target) == ("edit", "/a.md")


def test_claude_read_carries_how_much_was_read():
    more = {"file_path": "/a.md", "offset": 5, "limit": 9}
    blocks = [
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/a.md"}},
        {"type": "tool_use", "id": "t2", "name": "Read", "input": more},
    ]
    (one, two), _ = read("claude-code", claude("assistant", blocks))
    assert (one.command, one.target) == ("", "/a.md")
    assert (two.command, two.target) == ('{"limit":9,"offset":5}', "/a.md")


def test_codex_exit_code_of_a_long_command_goes_to_its_call():
    arguments = json.dumps({"session_id": 44, "chars": ""})
    events, dropped = read(
        "codex",
        codex("function_call", name="exec_command", call_id="c1", arguments='{"cmd":"make"}'),
        codex(
            "function_call_output",
            call_id="c1",
            output="Process running with session ID 44\nOutput:\n",
        ),
        codex("function_call", name="write_stdin", call_id="c2", arguments=arguments),
        codex(
            "function_call_output", call_id="c2", output="Process exited with code 2\nOutput:\nboom"
        ),
    )
    assert [(e.kind, e.call_id, e.exit_code, e.stopped) for e in events] == [
        ("call", "c1", None, ""),
        ("result", "c1", None, "running"),
        ("result", "c1", 2, ""),
    ]
    assert events[-1].text == "boom"
    assert dropped == ["poll-of-a-process"]


def test_codex_end_event_gives_the_exit_code():
    row = {
        "type": "event_msg",
        "payload": {"type": "exec_command_end", "call_id": "c1", "exit_code": 3},
    }
    (event,), _ = read("codex", row)
    assert (event.call_id, event.exit_code, event.failed) == ("c1", 3, True)


@pytest.mark.parametrize(
    "output",
    [
        "Exit code: 1\nWall time: 1\nOutput:\nboom",
        json.dumps({"output": "boom", "metadata": {"exit_code": 1}}),
    ],
)
def test_codex_older_outputs_are_read_too(output):
    (event,), _ = read("codex", codex("function_call_output", call_id="c1", output=output))
    assert (event.exit_code, event.text) == (1, "boom")


def test_codex_patch_is_an_edit_of_its_file():
    patch = "*** Begin Patch\n*** Update File: src/tide.py\n@@\n"
    (event,), _ = read(
        "codex", codex("custom_tool_call", name="apply_patch", call_id="c", input=patch)
    )
    assert (event.action, event.target) == ("edit", "src/tide.py")


def test_codex_shell_list_is_read_as_a_line():
    arguments = json.dumps({"command": ["bash", "-lc", "git push && ls"]})
    (event,), _ = read(
        "codex", codex("function_call", name="shell", call_id="c", arguments=arguments)
    )
    assert event.command == "git push && ls"


def test_codex_instructions_and_environment_are_dropped():
    content = [{"type": "input_text", "text": "# AGENTS.md instructions"}]
    rows = (
        codex("message", role="developer", content=content),
        codex("message", role="user", content=content),
        codex("message", role="user", content=[{"text": "<environment_context>"}]),
    )
    assert read("codex", *rows) == ([], ["instructions", "instructions", "environment"])


@pytest.mark.parametrize(
    ("end", "code", "stopped"),
    [
        ("Command exited with code 2", 2, ""),
        ("Command aborted", None, "interrupted"),
        ("Command timed out after 30 seconds", None, "timeout"),
    ],
)
def test_pi_result_ends_as_its_last_line_says(end, code, stopped):
    text = [{"type": "text", "text": f"boom\n\n{end}"}]
    row = pi(role="toolResult", toolCallId="t", toolName="bash", content=text, isError=True)
    (event,), _ = read("pi", row)
    assert (event.exit_code, event.stopped, event.text) == (code, stopped, "boom")


def test_pi_command_of_a_person_is_call_and_result():
    row = pi(role="bashExecution", command="ls", output="x", exitCode=2)
    (call, result), _ = read("pi", row)
    assert (call.command, call.call_id) == ("ls", result.call_id)
    assert (result.exit_code, result.failed) == (2, True)


def test_gemini_shell_report_is_read_field_by_field():
    output = (
        "Command: make\nDirectory: (root)\nOutput: boom\nError: (none)\nExit Code: 2\nSignal: 0"
    )
    part = {"functionResponse": {"response": {"output": output}}}
    call = {
        "id": "c",
        "name": "run_shell_command",
        "args": {"command": "make"},
        "status": "success",
    }
    row = {"id": "m", "type": "gemini", "content": "", "toolCalls": [{**call, "result": [part]}]}
    (made, result), _ = read("gemini", row)
    assert made.command == "make"
    assert (result.exit_code, result.failed, result.text) == (2, True, "boom")


def test_gemini_cancelled_call_is_refused():
    call = {"id": "c", "name": "write_file", "args": {}, "status": "cancelled"}
    (_, result), _ = read("gemini", {"type": "gemini", "content": "", "toolCalls": [call]})
    assert result.stopped == "refused"


def openhands(kind, **more):
    return {"kind": kind, "source": "agent", "timestamp": "2026-03-01T10:00:00", **more}


@pytest.mark.parametrize(
    ("observation", "code", "stopped"),
    [
        ({"exit_code": 2}, 2, ""),
        ({"metadata": {"exit_code": 2}}, 2, ""),
        ({"exit_code": -1}, None, "running"),
        ({"exit_code": -1, "timeout": True}, None, "timeout"),
        ({"metadata": {"exit_code": -1}, "is_error": True}, None, ""),
    ],
)
def test_openhands_observation_gives_the_exit_code(observation, code, stopped):
    row = openhands("ObservationEvent", tool_call_id="c", observation=observation)
    (event,), _ = read("openhands", row)
    assert (event.exit_code, event.stopped) == (code, stopped)


def test_openhands_rejection_is_a_refusal_and_its_error_a_failure():
    rejected, failed = (
        openhands("UserRejectObservation", tool_call_id="c"),
        openhands("AgentErrorEvent", tool_call_id="c", error="boom"),
    )
    (one, two), _ = read("openhands", rejected, failed)
    assert (one.stopped, two.failed, two.text) == ("refused", True, "boom")


def test_swe_agent_step_has_no_outcome():
    step = {"action": "make\n", "observation": "error: boom", "thought": "Try.", "state": "{}"}
    events, _ = read("swe-agent", step)
    assert [event.kind for event in events] == ["assistant", "call", "result"]
    assert not events[-1].failed


def test_swe_agent_demonstration_is_dropped():
    row = {"role": "user", "content": "demo", "is_demo": True}
    assert read("swe-agent", row) == ([], ["demonstration"])


def test_format_is_told_by_content():
    lines = {
        "claude-code": claude("user", "x"),
        "codex": {"type": "session_meta", "payload": {"id": "x"}},
        "pi": {"type": "session", "id": "x", "cwd": "/w"},
        "openhands": openhands("ActionEvent"),
    }
    for name, row in lines.items():
        parser = sniff_lines(json.dumps(row).encode() + b"\n")
        assert parser is not None
        assert parser.name == name
    assert sniff_document({"sessionId": "", "messages": ""}) == parser_named("gemini")
    assert sniff_document({"trajectory": "", "info": ""}) == parser_named("swe-agent")
    assert sniff_document({"history": ""}) == parser_named("swe-agent")
    assert sniff_document({"history": "", "window": ""}) is None
    assert sniff_lines(b'{"name": "package", "version": "1"}\n') is None
    assert sniff_document({"compilerOptions": ""}) is None


def names_of(*rows):
    """Return the format of each row as the first of a file."""
    parsers = (sniff_lines(json.dumps(row).encode() + b"\n") for row in rows)
    return [parser and parser.name for parser in parsers]


BARE_HEAD = {"id": "c1", "timestamp": "2025-08-01T09:00:00Z", "instructions": None}


def bare(kind, **more):
    return {"type": kind, **more}


def bare_said(text, role="user"):
    return bare("message", role=role, content=[{"type": "input_text", "text": text}])


def test_older_codex_rows_without_an_envelope_are_recognised():
    call = bare("function_call", name="shell", arguments="{}", call_id="c")
    rows = (BARE_HEAD, {"record_type": "state"}, bare_said("x"), call)
    assert names_of(*rows) == ["codex"] * 4


@pytest.mark.parametrize(
    "told",
    [
        "<environment_context>\n  <cwd>/srv/quay</cwd>\n</environment_context>",
        "<environment_context>\nCurrent working directory: /srv/quay\nApproval policy: never\n",
    ],
)
def test_older_codex_rows_are_read_as_their_payloads(told):
    arguments = json.dumps({"command": ["bash", "-lc", "make quay"]})
    failed = json.dumps({"output": "boom", "metadata": {"exit_code": 2}})
    events, dropped = read(
        "codex",
        {**BARE_HEAD, "git": {"branch": "berth"}},
        {"record_type": "state"},
        bare_said(told),
        bare_said("Build the quay."),
        bare("reasoning", summary=[]),
        bare("function_call", name="shell", arguments=arguments, call_id="c"),
        bare("function_call_output", call_id="c", output=failed),
    )
    assert dropped == ["session_meta", "state", "environment", "reasoning"]
    assert [(e.kind, e.text or e.command) for e in events] == [
        ("user", "Build the quay."),
        ("call", "make quay"),
        ("result", "boom"),
    ]
    assert (events[2].exit_code, events[2].failed) == (2, True)
    assert {(e.session, e.cwd, e.branch, e.at) for e in events[:2]} == {
        ("c1", "/srv/quay", "berth", "2025-08-01T09:00:00.000Z")
    }


def test_codex_time_limit_that_the_agent_gave_is_no_failure():
    said = "command timed out after 1000 milliseconds"
    output = json.dumps({"output": said, "metadata": {"exit_code": 124}})
    (event,), _ = read("codex", codex("function_call_output", call_id="c", output=output))
    assert event.stopped == "timeout"


def test_codex_output_that_is_flagged_is_a_failure_without_a_code():
    output = {"content": "boom", "success": False}
    (event,), _ = read("codex", codex("function_call_output", call_id="c", output=output))
    assert (event.failed, event.exit_code, event.text) == (True, None, "boom")


def test_codex_request_behind_the_editors_context_is_what_was_said():
    text = "# Context from my IDE setup:\nopen.py\n## My request for Codex:\nMend the quay."
    (event,), _ = read("codex", bare_said(text))
    assert event.text.strip() == "Mend the quay."


GEMINI_HEAD = {"sessionId": "g1", "projectHash": "ab" * 32, "startTime": "2026-03-01T10:00:00Z"}


def gemini(name, kind="gemini", content="", **more):
    row = {"id": name, "type": kind, "content": content, "timestamp": "2026-03-01T10:00:00Z"}
    return {**row, **more}


def gemini_call(status, output="Output: boom\nExit Code: 2\nProcess Group PGID: 9"):
    answer = [{"functionResponse": {"response": {"output": output}}}]
    call = {"id": "c", "name": "run_shell_command", "args": {"command": "make"}}
    return {**call, "status": status, "result": answer}


def test_gemini_lines_are_recognised_by_any_of_their_rows():
    rows = (GEMINI_HEAD, {"$set": {"summary": ""}}, {"$rewindTo": "m"}, gemini("m"))
    assert names_of(*rows) == ["gemini-jsonl"] * 4
    assert names_of({**GEMINI_HEAD, "messages": [gemini("m")]}) == [None]


def test_gemini_message_that_is_written_again_counts_once():
    events, dropped = read(
        "gemini-jsonl",
        GEMINI_HEAD,
        gemini("u", "user", [{"text": "Build it."}]),
        gemini("m", content="On it."),
        gemini("m", content="On it.", toolCalls=[gemini_call("executing")]),
        gemini("m", content="On it.", toolCalls=[gemini_call("success")]),
        gemini("m", content="On it.", toolCalls=[gemini_call("success")], tokens={"total": 3}),
        gemini("a", "user", [{"functionResponse": {"id": "c", "response": {}}}]),
        {"$set": {"messages": [gemini("u", "user", "<masked>")]}},
        {"$rewindTo": "u"},
    )
    assert [(e.kind, e.text or e.command) for e in events] == [
        ("user", "Build it."),
        ("assistant", "On it."),
        ("call", "make"),
        ("result", "boom"),
    ]
    assert (events[-1].exit_code, events[-1].failed, events[-1].session) == (2, True, "g1")
    assert dropped == [
        *("session-head", "told-again", "call-unfinished", "told-again", "told-again"),
        *("tool-answer", "checkpoint", "rewind"),
    ]


@pytest.mark.parametrize(
    ("output", "code", "stopped"),
    [
        ("Output: Exit Code: 9\nExit Code: 2\nSignal: 0", 2, ""),
        ("Output: Exit Code: 9 was meant\nProcess Group PGID: 4", None, ""),
        ("Command was cancelled by user before it could complete.", None, "interrupted"),
        (
            "Command was automatically cancelled because it exceeded the timeout of 1 minutes.",
            None,
            "timeout",
        ),
    ],
)
def test_gemini_exit_code_is_the_one_that_the_harness_adds(output, code, stopped):
    (_, result), _ = read("gemini-jsonl", gemini("m", toolCalls=[gemini_call("success", output)]))
    assert (result.exit_code, result.stopped) == (code, stopped)


def test_claude_subagent_without_a_name_has_its_own_thread():
    (event,), _ = read("claude-code", claude("user", "look", isSidechain=True))
    assert event.agent == "sidechain"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                """
                type message role content payload name input output kind toolCalls action text
                uuid observation arguments is_error timestamp call_id result status args state
            """.split()
            ),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("parser", PARSERS, ids=lambda parser: parser.name)
@settings(max_examples=40)
@given(
    row=st.dictionaries(st.sampled_from(["type", "kind", "message", "payload", "toolCalls"]), JSON)
)
def test_no_row_stops_a_parser(parser, row):
    for kind in ("user", "assistant", "message", "response_item", "gemini", "ObservationEvent"):
        shaped = {**row, "type": kind, "kind": kind}
        for one in parser.events(shaped, SPAN, {"session": "s"}):
            assert isinstance(one, Event | Dropped)
    assert FileCounts().events == 0
