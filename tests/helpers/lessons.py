"""Calls and lessons for tests, with everything that a test does not name filled in."""

import dataclasses
import hashlib

from memskill.records import Lesson
from memskill.sources.transcripts.calls import ToolCall

BASE = Lesson(
    id="0" * 64,
    tool="git",
    subcommand="push",
    signature="fatal: the current branch <branch> has no upstream branch.",
    scope="quay-infra",
    symptom="fatal: The current branch <branch> has no upstream branch.",
    resolution="Run `git push -u origin <branch>` instead of `git push`.",
    command="git push",
    fix_command="git push -u origin <branch>",
    state="confirmed",
    seen=2,
    sessions=2,
    fixes=2,
    flaky=0,
    contradictions=0,
    first_seen="2026-03-01T08:00:00Z",
    last_seen="2026-03-09T09:00:00Z",
    confidence=0.75,
)


def lesson(**changes):
    """Return a lesson; its id follows from what is changed."""
    name = hashlib.sha256(repr(sorted(changes.items())).encode()).hexdigest()
    return dataclasses.replace(BASE, **{"id": name, **changes})


class Session:
    """Builds the calls of one session, a second apart."""

    def __init__(self, session="s1", scope="quay-infra", day="2026-03-09", branch="berth"):
        self.session, self.scope, self.day, self.branch = session, scope, day, branch
        self.calls = []

    def call(self, **values):
        """Add one call."""
        number = len(self.calls)
        base = {
            "id": f"{self.session}-{number:03}",
            "session": self.session,
            "agent": "",
            "scope": self.scope,
            "branch": self.branch,
            "at": f"{self.day}T09:{number // 60:02}:{number % 60:02}.000Z",
            "path": f"/t/{self.session}.jsonl",
            "line": number + 1,
            "byte_start": 100 * number,
            "byte_end": 100 * number + 90,
            "tool": "Bash",
            "action": "shell",
            "command": "",
            "target": "",
            "exit_code": None,
            "failed": False,
            "stopped": "",
            "output": "",
            "node_sha": "",
        }
        self.calls.append(ToolCall(**{**base, **values}))
        return self

    def ran(self, command):
        """Add a shell command that passed."""
        return self.call(command=command)

    def failed(self, command, output="", code=1, **values):
        """Add a shell command that failed."""
        return self.call(command=command, output=output, exit_code=code, failed=True, **values)

    def edited(self, target):
        """Add an edit that passed."""
        return self.call(tool="Edit", action="edit", target=target, command="{}")
