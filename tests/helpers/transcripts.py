"""Sessions in formats that the fixture has none of, as bytes of one JSON a line."""

import json


def lines(rows):
    """Return rows as a JSON-lines file."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def gemini_session():
    """Return a session of Gemini CLI whose messages stand there again when they have changed."""
    rows = [{"sessionId": "keel-g", "projectHash": "ab" * 32, "startTime": "2026-03-15T10:00:00Z"}]
    rows.append(_gemini("u1", "user", [{"text": "Plan the quay of Brindlemoor, then apply it."}]))
    for number, (command, output, code) in enumerate(_RUNS):
        said = f"Now `{command}`, for the quay needs to be planned before the tide turns."
        call = {"id": f"c{number}", "name": "run_shell_command", "args": {"command": command}}
        report = f"Output: {output}\n" + (f"Exit Code: {code}\n" if code else "")
        answer = [{"functionResponse": {"response": {"output": report + "Process Group PGID: 4"}}}]
        done = {**call, "status": "success", "result": answer}
        name = f"m{number}"
        rows.append(_gemini(name, "gemini", said))
        rows.append(_gemini(name, "gemini", said, toolCalls=[{**call, "status": "executing"}]))
        rows.append(_gemini(name, "gemini", said, toolCalls=[done]))
        rows.append({"$set": {"lastUpdated": "2026-03-15T10:05:00Z"}})
    return lines(rows)


def older_codex_session():
    """Return a session of Codex from before its rows had an envelope."""
    head = {"id": "keel-c", "timestamp": "2025-08-15T10:00:00Z", "instructions": None}
    place = "<environment_context>\n  <cwd>/srv/quay</cwd>\n</environment_context>"
    rows = [head, {"record_type": "state"}, _said(place), _said("Plan the quay of Brindlemoor.")]
    for number, (command, output, code) in enumerate(_RUNS):
        arguments = json.dumps({"command": ["bash", "-lc", command]})
        answer = json.dumps({"output": output, "metadata": {"exit_code": code}})
        call = {"type": "function_call", "name": "shell", "arguments": arguments}
        rows.append({**call, "call_id": f"c{number}"})
        rows.append({"record_type": "state"})
        rows.append({"type": "function_call_output", "call_id": f"c{number}", "output": answer})
    return lines(rows)


def gemini_document():
    """Return the same session of Gemini CLI as the JSON document that older versions write."""
    rows = [json.loads(line) for line in gemini_session().splitlines()]
    messages = {row["id"]: row for row in rows if "id" in row}
    head = {key: value for key, value in rows[0].items() if key != "startTime"}
    return json.dumps({**head, "messages": list(messages.values())}, indent=1).encode()


def openhands_events():
    """Return the rows of an OpenHands conversation, each as its file's bytes."""
    base = {"timestamp": "2026-03-16T10:00:00", "source": "agent"}
    said = [{"type": "text", "text": "Plan the quay of Brindlemoor, and then apply the plan."}]
    rows = [{**base, "source": "user", "kind": "MessageEvent", "llm_message": {"content": said}}]
    for number, (command, output, code) in enumerate(_RUNS):
        name = {**base, "tool_call_id": f"c{number}"}
        act = {**name, "kind": "ActionEvent", "tool_name": "terminal"}
        seen = {"content": [{"text": output}], "metadata": {"exit_code": code}}
        rows.append({**act, "action": {"command": command}})
        rows.append({**name, "kind": "ObservationEvent", "observation": seen})
    return [json.dumps(row).encode() for row in rows]


def swe_agent_trajectory():
    """Return a trajectory of SWE-agent, whose steps have no exit codes."""
    steps = [
        {"action": f"{command}\n", "observation": output, "state": "{}",
         "thought": f"Let me run `{command}` and look at what it has to say."}
        for command, output, _ in _RUNS
    ]  # fmt: skip
    return json.dumps({"trajectory": steps, "info": {}}, indent=1).encode()


_RUNS = (
    ("terraform plan", "Error: Inconsistent dependency lock file \u00e9\U0001f6a2", 1),
    ("terraform init -upgrade", "Providers are up to date.", 0),
    ("terraform plan", "Plan: 1 to add.", 0),
    ("rg -n keel charts", "", 1),
)


def _gemini(name, kind, content, **more):
    row = {"id": name, "type": kind, "timestamp": "2026-03-15T10:01:00Z", "content": content}
    return {**row, **more}


def _said(text):
    content = [{"type": "input_text", "text": text}]
    return {"type": "message", "role": "user", "content": content}
