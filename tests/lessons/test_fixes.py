"""Which change between a failure and a success is told as the fix, and which is none."""

import pytest
from helpers.lessons import Session

from memskill.lessons.episodes import learn

HOOK = "Pre-commit validation failed:\n\n[{}]\nRun '{}' to fix."
NO_UPSTREAM = "fatal: The current branch berth has no upstream branch."


def only(session):
    """Return the one lesson of a session's calls."""
    (found,) = learn(session.calls).lessons
    return found


def told(session):
    return only(session).fix.text


def dropped(session):
    learning = learn(session.calls)
    assert learning.lessons == []
    return dict(learning.dropped)


def edit(session, **arguments):
    """Add an Edit of one file; with `output`, one that failed."""
    output = arguments.pop("output", "")
    command = '{"file_path":"/q.md",' + ",".join(f'"{k}":{v}' for k, v in arguments.items()) + "}"
    return session.call(
        tool="Edit", action="edit", target="/q.md", command=command,
        failed=bool(output), output=output,
    )  # fmt: skip


def test_what_the_failure_asked_for_is_the_fix_though_another_check_is_red_next():
    session = Session().failed("git commit -m 'A'", HOOK.format("FORMAT", "mix format"), None)
    session.ran("mix format").ran("mix compile").edited("lib/quay.ex")
    session.failed("git commit -m 'A'", HOOK.format("CREDO", "mix credo"), None)
    for _ in range(20):
        session.edited("lib/quay.ex").ran("mix compile")
    found = only(session.ran("git commit -m 'A'"))
    assert found.first.symptom == "Pre-commit validation failed: [FORMAT]"
    assert found.fix.text == "First run `mix format`; then `git commit -m …` passes."


def test_what_was_asked_for_and_never_led_to_a_success_is_no_fix():
    session = Session().failed("git commit -m 'A'", HOOK.format("FORMAT", "mix format"), None)
    session.ran("mix format")
    session.failed("git commit -m 'A'", HOOK.format("CREDO", "mix credo"), None)
    assert dropped(session) == {"other-failure-next": 1, "no-fix": 1}


def test_a_word_of_the_output_that_happens_to_be_a_command_was_not_asked_for():
    session = Session().failed("npm run tide", "Error: make sure that the port is free")
    session.ran("make").failed("npm run tide", "Error: no quay")
    assert dropped(session.ran("npm run tide"))["other-failure-next"] == 1


@pytest.mark.parametrize(
    ("failed", "output", "code", "reason"),
    [
        ("ls -lh logs/tide-*.log", "zsh: no matches found: logs/tide-*.log", 1, "missing-path"),
        ("git commit -m 'A'", "nothing to commit, working tree clean", 1, "nothing-to-do"),
        ("systemctl is-active tided", "inactive", 3, "empty-result"),
        ("gh pr checks 12", "lint\tfail\t20s", 8, "empty-result"),
        ("pkill -f tided", "", 1, "empty-result"),
    ],
)
def test_an_answer_is_no_failure_whatever_passes_later(failed, output, code, reason):
    session = Session().failed(failed, output, code).edited("a.py").ran("git push").ran(failed)
    assert dropped(session) == {reason: 1}


def test_a_path_that_git_does_not_know_is_a_guess():
    session = Session().failed(
        "git add a.py lib/b.py", "fatal: pathspec 'lib/b.py' did not match any files", 128
    )
    assert dropped(session.ran("git add a.py")) == {"missing-path": 1}


def test_an_edit_alone_is_the_daily_round_for_any_tool():
    session = Session().failed("docker build .", "ERROR: unknown instruction: RUM", 1)
    assert dropped(session.edited("Dockerfile").ran("docker build .")) == {"work-in-progress": 1}


def test_of_many_steps_those_that_have_to_do_with_the_failure_are_told():
    session = Session().failed("git push", "! [rejected] berth -> berth (fetch first)")
    session.ran("npm install").ran("docker compose up -d").ran("git pull --rebase")
    assert told(session.ran("git push")) == (
        "First run `git pull --rebase`; then `git push` passes."
    )


def test_many_steps_that_have_nothing_to_do_with_the_failure_leave_it_unclear():
    session = Session().failed("curl -f https://quay.example.com/x", "curl: (7) refused", 7)
    session.ran("npm install").ran("docker compose up -d").ran("terraform apply")
    assert dropped(session.ran("curl -f https://quay.example.com/x")) == {"unclear-fix": 1}


def test_a_short_message_is_data_as_a_long_one_is():
    session = Session().failed("git commit -m 'Raise it'", HOOK.format("FORMAT", "mix format"))
    session.ran("mix format")
    assert "First run `mix format`" in told(session.ran("git commit -m 'Raise the quay'"))


@pytest.mark.parametrize("more", ["-v", "-q", "--tb=short", "-x"])
def test_a_check_that_tells_more_is_the_same_check(more):
    session = Session().failed("pytest tests", "E   assert 1 == 2")
    assert dropped(session.ran(f"pytest tests {more}")) == {"flaky": 1}


def test_a_formatter_that_writes_is_no_fix_of_its_own_check():
    session = Session().failed("prettier --check src", "[warn] src/a.ts")
    assert dropped(session.ran("prettier --write src")) == {"work-in-progress": 1}


def test_the_step_that_made_what_the_new_command_names_is_told():
    session = Session().failed("pip install tide", "error: externally-managed-environment")
    session.ran("python -m venv .venv")
    assert told(session.ran(".venv/bin/pip install tide")) == (
        "First run `python -m venv .venv`; then run `.venv/bin/pip install tide` "
        "instead of `pip install tide`."
    )


def test_a_command_that_needs_its_folder_is_told_with_it():
    session = Session().failed("npm test", "npm error enoent Could not read package.json")
    assert told(session.ran("cd web && npm test")) == (
        "Run `cd web && npm test`: `npm test` does not work in every folder."
    )
    session = Session().failed("npm test", "npm error enoent Could not read package.json")
    assert "`cd web && npm test`" in told(session.ran("cd web").ran("npm test"))


def test_a_folder_is_no_fix_of_an_error_that_says_nothing_of_folders():
    session = Session().failed("npm test", "AssertionError: 1 == 2")
    assert dropped(session.ran("cd /quay && npm test")) == {"flaky": 1}


def test_a_file_that_a_step_brought_is_no_guessed_path():
    session = Session().failed("docker compose up", "env file .env not found: No such file")
    assert told(session.ran("cp .env.example .env").ran("docker compose up")) == (
        "First run `cp .env.example .env`; then `docker compose up` passes."
    )


def test_what_was_left_out_and_taken_by_a_flag_later_is_told_with_it():
    output = "The following paths are ignored by one of your .gitignore files:\ndist"
    session = Session().failed("git add a.py dist/tide.css", output).ran("git add a.py")
    assert told(session.ran("git ls-files dist").ran("git add -f dist/tide.css")) == (
        "Run `git add a.py` instead of `git add a.py dist/tide.css`. "
        "What it left out, `git add -f dist/tide.css` takes."
    )


def test_the_symptom_of_a_tool_that_is_no_shell_is_its_first_line():
    output = "String to replace not found in file.\nString: raise TideError: cannot dock"
    session = edit(Session(), old_string='"tide rises"', output=output)
    session.call(tool="Read", action="read", target="/q.md")
    found = only(edit(session, old_string='"the tide rises"'))
    assert found.first.symptom == "String to replace not found in file."
    assert found.fix.text == "Call `Read` on the file, then call `Edit` with another `old_string`."


def test_an_argument_that_is_added_is_told_by_name_and_a_switch_with_its_value():
    session = edit(Session(), old_string='"x"', output="Found 3 matches of the string to replace")
    found = only(edit(session, old_string='"x"', replace_all="true"))
    assert found.fix.text == "Call `Edit` with `replace_all=true`."


def test_other_words_for_the_same_wish_teach_nothing():
    session = edit(Session(), old_string='"the tide"', output="String to replace not found")
    assert dropped(edit(session, old_string='"the tides"')) == {"other-arguments": 1}


def test_a_file_that_is_too_long_is_read_in_part():
    session = Session()
    args = {"tool": "Read", "action": "read", "target": "/q.md"}
    session.call(**args, failed=True, output="File content (31000 tokens) exceeds the maximum.")
    found = only(session.call(**args, command='{"limit":100,"offset":40}'))
    assert found.fix.text == "Call `Read` with `limit`, `offset`."
