"""What counts as a lesson, and every reason why a failure does not."""

import random

import pytest
from helpers.lessons import Session

from memskill.lessons import episodes
from memskill.lessons.blame import blamed
from memskill.lessons.episodes import learn

NO_UPSTREAM = "fatal: The current branch berth has no upstream branch."
LOCK = "Error: Inconsistent dependency lock file"
# Commands that only show what another one gave: nobody learns from them.
LOOKING = ("cat", "tail", "tee", "true")
HOOK = (
    "Pre-commit validation failed:\\n\\n[FORMAT] Code is not formatted.\\nRun 'mix format' to fix."
)


def only(session):
    """Return the one lesson of a session's calls."""
    (found,) = learn(session.calls).lessons
    return found


def dropped(session):
    learning = learn(session.calls)
    assert learning.lessons == []
    return dict(learning.dropped)


def test_a_changed_command_that_passes_is_a_lesson():
    found = only(
        Session().failed("git push 2>&1", NO_UPSTREAM, 128).ran("git push -u origin berth")
    )
    assert (found.first.tool, found.first.subcommand) == ("git", "push")
    assert found.fix.text == "Run `git push -u origin <branch>` instead of `git push`."
    assert [event.kind for event in found.events] == ["failure", "fix"]


def test_the_same_command_after_another_one_names_that_one():
    session = Session().failed("terraform plan", LOCK).ran("terraform init -upgrade")
    assert only(session.ran("terraform plan")).fix.text == (
        "First run `terraform init -upgrade`; then `terraform plan` passes."
    )


def test_an_unchanged_retry_is_flaky_and_no_lesson():
    url = "curl -fsS https://tides.example.com"
    session = Session().failed(url, "curl: (56) Connection reset", 56).ran("ls").ran(url)
    assert dropped(session) == {"flaky": 1}


@pytest.mark.parametrize(
    ("command", "output", "code", "reason"),
    [
        ("grep -rn berth src", "", 1, "empty-result"),
        ("cat a.log | rg berth", "", 1, "empty-result"),
        ("diff a b", "1c1\n< x\n---\n> y", 1, "empty-result"),
        ("test -f .env", "", 1, "empty-result"),
        ("git diff --quiet", "", 1, "empty-result"),
        ("cat src/nothing.py", "cat: src/nothing.py: No such file or directory", 1, "missing-path"),
        ("timeout 5 npm run serve", "listening", 124, "timeout"),
        ("npm run serve", "listening", 130, "interrupted"),
        ("yes | head -1", "y", 141, "pipe-closed"),
    ],
)
def test_answers_and_stops_are_no_failures(command, output, code, reason):
    session = Session().failed(command, output, code).ran("true; " + command + " extra")
    assert dropped(session) == {reason: 1}


@pytest.mark.parametrize("stop", ["refused", "interrupted", "cancelled", "timeout"])
def test_what_never_ran_to_its_end_is_no_failure(stop):
    session = Session().failed("git push", NO_UPSTREAM, None, stopped=stop)
    assert dropped(session.ran("git push -u origin berth")) == {stop: 1}


def test_a_red_test_that_an_edit_turns_green_is_work_in_progress():
    session = Session().failed("pytest tests/test_a.py", "E   assert 1 == 2").edited("src/a.py")
    assert dropped(session.ran("pytest tests/test_a.py")) == {"work-in-progress": 1}


@pytest.mark.parametrize(
    "edit",
    [
        "sed -i 's/1/2/' src/a.py",
        "cat > src/a.py <<'EOF'\nx = 2\nEOF",
        "python3 - <<'EOF'\nopen('a.py', 'w').write('x')\nEOF",
        "echo 'x = 2' >> src/a.py",
        "git checkout -- src/a.py",
    ],
)
def test_a_red_test_that_a_shell_edit_turns_green_is_work_in_progress(edit):
    session = Session().failed("pytest tests/test_a.py", "E   assert 1 == 2").ran(edit)
    assert dropped(session.ran("pytest tests/test_a.py")) == {"work-in-progress": 1}


def test_a_step_that_edits_nothing_is_still_a_fix_of_a_test_run():
    session = Session().failed("pytest tests", "ModuleNotFoundError: No module named 'tide'")
    found = only(session.ran("pip install tide 2>/dev/null").ran("pytest tests"))
    assert found.fix.text == "First run `pip install tide`; then `pytest tests` passes."


@pytest.mark.parametrize(
    ("line", "output", "key"),
    [
        ("make quay && git push | tee log; kubectl apply -f a", "x", ("kubectl", "apply")),
        ("make quay && git push | cat", "x", None),
        ("set -o pipefail; git push | tail -1", "x", ("git", "push")),
        ("git add . && git commit -m a && git push", "fatal: no upstream branch", ("git", "push")),
        ("cd src && npm test && git push", "npm ERR! missing script: test", ("npm", "test")),
        ("git push || kubectl apply -f a", "x", ("kubectl", "apply")),
        ("cd /nowhere && npm test", "bash: line 1: cd: /nowhere: No such file", ("cd", "")),
        ("FOO=1 sudo timeout 9 uv run python -m pytest -q", "x", ("pytest", "")),
        ("bash -lc 'cd a && terraform plan'", "x", ("terraform", "plan")),
        ("(cd a; docker compose up) && true", "x", ("docker", "compose up")),
    ],
)
def test_the_segment_that_can_have_failed_is_charged(line, output, key):
    (call,) = Session().failed(line, output).calls
    found = blamed(call)
    assert (found.key if found and found.tool not in LOOKING else None) == key


@pytest.mark.parametrize("line", ["(a; " * 4000 + ")" * 4000, "(" * 9000 + ")" * 9000, "(", "()"])
def test_parentheses_stop_nothing(line):
    blamed(Session().failed(line, "x").calls[0])


def test_a_hooks_refusal_that_an_edit_alone_mends_is_work_in_progress():
    session = Session().failed("git commit -m tide", HOOK, 1).edited("src/a.py")
    assert dropped(session.ran("git commit -m tide")) == {"work-in-progress": 1}


def test_a_word_in_the_output_of_a_success_is_no_failure():
    session = Session().ran("echo error: fatal: failed").ran("echo error: fatal: failed again")
    assert dropped(session) == {}


def test_a_failing_segment_of_a_compound_is_charged():
    session = Session().failed("git add . && git commit -m 'A tide'", HOOK, None)
    found = only(session.ran("mix format").ran("git add . && git commit -m 'A tide'"))
    assert (found.first.tool, found.first.subcommand) == ("git", "commit")
    assert "First run `mix format`" in found.fix.text


def test_a_status_behind_a_pipe_is_no_proof_of_a_fix():
    session = Session().failed("git push", NO_UPSTREAM, 128)
    assert dropped(session.ran("git push -u origin berth | tail -1")) == {"no-fix": 1}


def test_another_task_of_the_same_tool_is_no_fix():
    session = Session().failed("kubectl apply -f a.yaml", "error: no matches for kind")
    assert dropped(session.ran("kubectl apply -f b.yaml")) == {"no-fix": 1}


def test_a_guessed_path_that_is_mended_is_no_lesson():
    output = "cp: dist/dark.json: No such file or directory"
    session = Session().failed("cp -p dist/dark.json ~/themes/x.json", output)
    assert dropped(session.ran("cp -p src/dark.json ~/themes/x.json")) == {"missing-path": 1}


def test_a_fix_far_away_or_in_another_session_is_none():
    far = Session().failed("git push", NO_UPSTREAM, 128)
    for _ in range(60):
        far.ran("ls")
    assert dropped(far.ran("git push -u origin berth")) == {"no-fix": 1}
    one, two = Session("a").failed("git push", NO_UPSTREAM, 128), Session("b")
    two.ran("git push -u origin berth")
    assert learn([*one.calls, *two.calls]).lessons == []


def test_two_sessions_and_branches_make_one_lesson():
    calls = []
    for name in ("tide", "berth"):
        session = Session(f"s-{name}", branch=name)
        session.failed("git push", NO_UPSTREAM.replace("berth", name), 128)
        calls += session.ran(f"git push -u origin {name}").calls
    (found,) = learn(calls).lessons
    assert len({event.call.session for event in found.events}) == 2


def test_another_project_is_another_lesson():
    calls = []
    for scope in ("quay-infra", "tidebook"):
        session = Session(f"s-{scope}", scope=scope).failed("git push", NO_UPSTREAM, 128)
        calls += session.ran("git push -u origin berth").calls
    assert len(learn(calls).lessons) == 2


def test_a_chain_of_equal_failures_has_one_fix_with_all_its_steps():
    session = Session().failed("terraform plan", LOCK).ran("terraform init -upgrade")
    session.failed("terraform plan", LOCK).ran("rm -rf .terraform")
    found = only(session.ran("terraform plan"))
    assert [event.kind for event in found.events] == ["failure", "failure", "fix"]
    assert "`terraform init -upgrade`, then `rm -rf .terraform`" in found.fix.text


def test_what_failed_and_passes_unchanged_in_a_later_session_contradicts():
    calls = Session("a").failed("terraform plan", LOCK).ran("rm x").ran("terraform plan").calls
    later = Session("b", day="2026-04-01").ran("terraform plan").calls
    (found,) = learn([*calls, *later]).lessons
    assert [event.kind for event in found.events] == ["failure", "fix", "contradiction"]


def test_an_edit_tool_that_needs_a_read_first_is_a_lesson():
    session = Session()
    args = {"tool": "Edit", "action": "edit", "target": "/a.md", "command": '{"old_string":"x"}'}
    session.call(**args, failed=True, output="File has not been read yet.")
    session.call(tool="Read", action="read", target="/a.md").call(**args)
    assert only(session).fix.text == "Call `Read` on the file, then call `Edit` as before."


def test_the_order_in_which_calls_are_given_does_not_matter():
    calls = Session().failed("git push", NO_UPSTREAM, 128).ran("git push -u origin berth").calls
    assert learn(calls).lessons == learn(calls[::-1]).lessons


def test_a_long_session_teaches_the_same_in_parts_as_at_once(monkeypatch):
    chance, session = random.Random(7), Session()
    moves = (
        *(lambda: session.ran("ls"), lambda: session.edited("a.py")),
        lambda: session.failed("git push", NO_UPSTREAM, 128),
        lambda: session.failed("git commit -m a", HOOK, None),
        lambda: session.ran("mix format").ran("git commit -m b"),
        *(lambda: session.ran("git push -u origin berth"), lambda: session.ran("git pull")),
    )
    for _ in range(9_000):
        chance.choices(moves, weights=(40, 20, 1, 1, 1, 1, 3))[0]()
    assert len(session.calls) > 5 * episodes.REACH
    parts = learn(session.calls)
    monkeypatch.setattr(episodes, "REACH", 10**9)
    assert learn(session.calls) == parts
    assert len(parts.lessons) == 2
