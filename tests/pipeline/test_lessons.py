"""Transcripts to lessons to drafts, with a real database: resumed, repeated, rewritten, judged."""

import random
import re
import shutil
from datetime import datetime
from pathlib import Path

import pytest
from helpers.transcripts import gemini_session, older_codex_session
from helpers.tree import ROOT

from memskill.errors import NotFound
from memskill.models.fakes import HashEncoder
from memskill.pipeline.database import rebuild_database
from memskill.pipeline.lessons import (
    judge_lesson,
    likely_same,
    list_lessons,
    show_lesson,
)
from memskill.pipeline.materialize import materialize
from memskill.pipeline.transcripts import ingest_transcripts
from memskill.store import open_store

FIXTURE = ROOT / "data" / "transcripts"
NOW = datetime(2026, 4, 1)
TABLES = ("memory_node", "node_validity", "source", "tool_call", "transcript_file", "lesson")


def ingested(settings, *paths, **options):
    return ingest_transcripts(settings, [Path(path) for path in paths], now=NOW, **options)


def dump(settings):
    """Return every row of the tables that transcripts fill, in an order of their own."""
    with open_store(settings) as store:
        con = store._con
        tables = (*TABLES, "lesson_event")
        return {name: sorted(map(repr, con.execute(f"from {name}").fetchall())) for name in tables}


@pytest.fixture
def learned(settings):
    """Settings of a vault that has read the fixture."""
    ingested(settings, FIXTURE)
    return settings


def test_fixture_gives_its_known_counts(settings):
    report = ingested(settings, FIXTURE)
    by_format = {}
    for one in report.files:
        events, commands, failures = by_format.get(one.format, (0, 0, 0))
        by_format[one.format] = (
            events + one.events,
            commands + one.commands,
            failures + one.failures,
        )
    assert by_format == {"claude-code": (37, 13, 6), "codex": (19, 6, 3), "pi": (15, 7, 3)}
    assert report.failures_dropped == {
        "empty-result": 2,
        "flaky": 1,
        "interrupted": 1,
        "refused": 1,
        "work-in-progress": 1,
    }
    assert report.skipped == ()


def test_fixture_teaches_what_it_was_written_to_teach(learned):
    found = {(one.tool, one.subcommand): one for one in list_lessons(learned)}
    assert set(found) == {
        ("Edit", ""),
        ("git", "push"),
        ("kubectl", "apply"),
        ("npm", "run build"),
        ("terraform", "plan"),
    }
    assert found["terraform", "plan"].state == "confirmed"
    assert found["terraform", "plan"].sessions == 2
    assert found["git", "push"].state == "candidate"


def test_second_ingest_adds_nothing(learned):
    before = dump(learned)
    report = ingested(learned, FIXTURE)
    assert (report.changed, report.calls_new, report.chunks_new) == (False, 0, 0)
    assert dump(learned) == before


SESSIONS = {
    "claude": lambda: (FIXTURE / "claude" / "keel-session-0001.jsonl").read_bytes(),
    "codex": lambda: (FIXTURE / "codex" / "rollout-keel-0002.jsonl").read_bytes(),
    "pi": lambda: (FIXTURE / "pi" / "2026-03-14_keel-0003.jsonl").read_bytes(),
    "gemini": gemini_session,
    "older codex": older_codex_session,
}


@pytest.mark.parametrize("name", SESSIONS)
def test_one_session_fed_in_50_parts_gives_the_same_database(settings, tmp_path, name):
    data, file = SESSIONS[name](), tmp_path / "session.jsonl"
    file.write_bytes(data)
    ingested(settings, file)
    whole = dump(settings)
    assert whole["lesson"]
    settings.database.unlink()
    # Also between a row and its line end.
    ends = [at for at, byte in enumerate(data) if byte == ord("\n")]
    cuts = sorted({*random.Random(11).sample(range(1, len(data)), 49), *ends[1::4]})
    for end in (*cuts, len(data)):
        file.write_bytes(data[:end])
        ingested(settings, file)
    assert dump(settings) == whole


def test_small_batches_give_the_same_database(settings):
    ingested(settings, FIXTURE)
    whole = dump(settings)
    settings.database.unlink()
    ingested(settings, FIXTURE, batch_bytes=700)
    assert dump(settings) == whole


def test_calls_come_thread_by_thread_in_order_and_few_at_a_time(learned, monkeypatch):
    with open_store(learned) as store:
        whole = list(store.calls_of(store.call_scopes()))
        monkeypatch.setattr("memskill.store.transcripts._CALLS_AT_ONCE", 3)
        assert list(store.calls_of(store.call_scopes())) == whole
        assert list(store.calls_of({"no such project"})) == []
    keys = [(c.scope, c.session, c.agent, c.at, c.path, c.byte_start, c.id) for c in whole]
    assert keys == sorted(keys)
    assert len(keys) == 31


def test_the_order_of_files_does_not_change_the_lessons(settings):
    ingested(settings, FIXTURE)
    whole = list_lessons(settings)
    settings.database.unlink()
    for part in ("pi", "codex", "claude"):
        ingested(settings, FIXTURE / part)
    assert list_lessons(settings) == whole


def test_a_session_that_lies_in_two_files_counts_once(learned, tmp_path):
    before = list_lessons(learned)
    copy = tmp_path / "forked.jsonl"
    copy.write_bytes((FIXTURE / "claude" / "keel-session-0001.jsonl").read_bytes())
    ingested(learned, copy)
    assert list_lessons(learned) == before


@pytest.mark.parametrize(("width", "sessions"), [(24, 1), (0, 2)])
def test_what_a_forked_session_repeats_counts_once(settings, tmp_path, width, sessions):
    data = (FIXTURE / "claude" / "keel-session-0001.jsonl").read_bytes()
    for name in (b"keel-session-0001", b"keel-session-0009"):
        forked = re.sub(rb"toolu_(\w+)", lambda found: b"toolu_" + found[1].zfill(width), data)
        file = tmp_path / f"{name.decode()}.jsonl"
        file.write_bytes(forked.replace(b"keel-session-0001", name))
    ingested(settings, tmp_path)
    push = next(one for one in list_lessons(settings) if one.subcommand == "push")
    assert (push.seen, push.sessions) == (sessions, sessions)


def test_a_rewritten_transcript_is_read_anew(settings, tmp_path):
    file = tmp_path / "session.jsonl"
    data = (FIXTURE / "pi" / "2026-03-14_keel-0003.jsonl").read_bytes()
    file.write_bytes(data)
    ingested(settings, file)
    file.write_bytes(data.replace(b"keel-pi-0003", b"keel-pi-0004"))
    assert ingested(settings, file).calls_new == 7
    with open_store(settings) as store:
        assert store.failed_checks() == {}


def test_a_dry_run_writes_nothing(settings):
    report = ingested(settings, FIXTURE, dry_run=True)
    assert report.calls_new > 0
    assert not settings.database.exists()


def test_chunks_lead_back_to_file_line_and_byte(learned):
    with open_store(learned) as store:
        rows = store._con.execute(
            "select path, line_start, line_end, byte_start, byte_end, body from source"
            " join memory_node on node_sha = sha where kind = 'transcript'"
        ).fetchall()
    assert len(rows) > 20
    assert any(line < last for _, line, last, *_ in rows)
    for path, line, last, start, end, body in rows:
        data = Path(path).read_bytes()
        assert data[: end - 1].count(b"\n") == last - 1
        assert data[:start].count(b"\n") == line - 1
        runs = re.findall(r"[A-Za-z][A-Za-z ./-]{5,}", body.splitlines()[0])
        assert runs[-1].encode() in data[start:end]


def test_a_secret_reaches_neither_the_database_nor_the_report(settings, tmp_path):
    secret = "ghp_" + "".join(random.Random(5).choices("abcdefgh0123456789ABCDEFGH", k=36))
    text = (FIXTURE / "pi" / "2026-03-14_keel-0003.jsonl").read_text(encoding="utf-8")
    file = tmp_path / "session.jsonl"
    file.write_text(text.replace("/v1/brindlemoor", f"/v1/{secret}"), encoding="utf-8")
    report = ingested(settings, file)
    assert dict(report.files[0].redactions) == {"github-token": 2}
    assert secret not in repr(report)
    assert secret.encode() not in settings.database.read_bytes()
    assert secret not in repr(dump(settings))


def test_a_persons_word_outlives_further_transcripts(settings, tmp_path):
    ingested(settings, FIXTURE / "claude")
    lesson = next(one for one in list_lessons(settings) if one.tool == "kubectl")
    assert judge_lesson(settings, lesson.id[:8], "pinned").state == "pinned"
    ingested(settings, FIXTURE)
    assert list_lessons(settings)[0].id == lesson.id
    assert judge_lesson(settings, lesson.id, "retired").state == "retired"
    assert list_lessons(settings)[-1].id == lesson.id


def test_confidence_is_the_beta_mean_halved_by_age(learned):
    found = {(one.tool, one.subcommand): one for one in list_lessons(learned)}
    plan, push = found["terraform", "plan"], found["git", "push"]
    # Two sessions with a fix, none against; two days older than the newest evidence.
    assert plan.confidence == pytest.approx(3 / 4 * 0.5 ** (2 / 90), abs=1e-4)
    assert push.confidence == pytest.approx(2 / 3 * 0.5 ** (5 / 90), abs=1e-4)


def test_an_unknown_lesson_is_not_found(learned):
    with pytest.raises(NotFound, match="no lesson 'ffffffff'"):
        show_lesson(learned, "ffffffff")
    with pytest.raises(NotFound):
        show_lesson(learned, "")


def test_show_gives_every_moment_with_its_place(learned):
    lesson = next(one for one in list_lessons(learned) if one.tool == "terraform")
    view = show_lesson(learned, lesson.id[:10])
    assert [moment.kind for moment in view.moments] == ["failure", "fix", "failure", "fix"]
    for moment in view.moments:
        data = Path(moment.path).read_bytes()
        assert b"terraform plan" in data.splitlines()[moment.line - 1]
        span = data[moment.byte_start : moment.byte_end]
        assert data[: moment.byte_start].count(b"\n") == moment.line - 1
        assert span.count(b"terraform plan") >= 1
        assert span.endswith(b"}")


def test_a_report_counts_the_lessons_that_rest_on_each_file(settings):
    first = ingested(settings, FIXTURE)
    found = {Path(one.path).stem: one.lessons for one in first.files}
    assert found == {
        "2026-03-14_keel-0003": 1,
        "agent-a77c10": 0,
        "keel-session-0001": 4,
        "rollout-keel-0002": 1,
    }
    again = ingested(settings, FIXTURE)
    assert {Path(one.path).stem: one.lessons for one in again.files} == found


def test_lessons_that_may_be_one_are_told_and_stay_two(settings, tmp_path):
    file = tmp_path / "other.jsonl"
    data = (FIXTURE / "claude" / "keel-session-0001.jsonl").read_bytes()
    file.write_bytes(data.replace(b"keel-session-0001", b"keel-9").replace(b"/quay", b"/pier"))
    ingested(settings, FIXTURE, file)
    lessons = list_lessons(settings)
    push = [one for one in lessons if (one.tool, one.subcommand) == ("git", "push")]
    same = likely_same(settings, lessons, encoder=HashEncoder())
    assert len(push) == 2
    assert [like.lesson.id for like in same[push[0].id]] == [push[1].id]
    view = show_lesson(settings, push[0].id, encoder=HashEncoder())
    assert [like.lesson for like in view.similar] == [push[1]]


def test_materialize_is_idempotent(learned):
    first = materialize(learned, now=NOW)
    assert [(one.tool, one.action) for one in first.tools] == [("terraform", "written")]
    again = materialize(learned, now=NOW)
    assert [one.action for one in again.tools] == ["unchanged"]
    assert (again.digest, again.changed) == ("unchanged", False)


def test_draft_rests_on_a_node_with_edges_to_its_evidence(learned):
    report = materialize(learned, candidates=True, now=NOW)
    with open_store(learned) as store:
        for one in report.tools:
            node = store.node(one.node_sha)
            assert node is not None
            assert node.level == "L1"
            assert {role for _, role, _ in store.parents(node.sha)} == {"evidence"}
        assert store.failed_checks() == {}
    text = (learned.vault / report.tools[0].path).read_text(encoding="utf-8")
    assert f"sha256:{report.tools[0].node_sha}" in text


def test_a_new_lesson_supersedes_the_tools_node(settings):
    ingested(settings, FIXTURE / "claude")
    old = {one.tool: one for one in materialize(settings, candidates=True, now=NOW).tools}
    kubectl = next(one for one in list_lessons(settings) if one.tool == "kubectl")
    judge_lesson(settings, kubectl.id, "retired")
    new = {one.tool: one for one in materialize(settings, candidates=True, now=NOW).tools}
    assert set(old) - set(new) == {"kubectl"}
    with open_store(settings) as store:
        assert store.superseded_by(old["kubectl"].node_sha) == ""
        assert store.superseded_by(new["git"].node_sha) is None


def test_an_edited_draft_is_left_alone(learned):
    (one,) = materialize(learned, now=NOW).tools
    file = learned.vault / one.path
    file.write_text(file.read_text(encoding="utf-8") + "\nA person's line.\n", encoding="utf-8")
    lesson = next(one for one in list_lessons(learned) if one.tool == "terraform")
    judge_lesson(learned, lesson.id, "pinned")
    assert [one.action for one in materialize(learned, now=NOW).tools] == ["proposed"]
    assert "A person's line." in file.read_text(encoding="utf-8")


def test_digest_keeps_what_people_wrote_and_is_bounded(learned):
    file = learned.vault / "MEMORY.md"
    file.write_text("# Ours\n\nAsk Joost before an apply.\n", encoding="utf-8")
    materialize(learned, candidates=True, now=NOW)
    text = file.read_text(encoding="utf-8")
    assert text.startswith("# Ours\n\nAsk Joost before an apply.\n")
    assert text.count("memskill:lessons:begin") == 1
    # Most useful first: what two sessions confirmed.
    first = next(line for line in text.splitlines() if line.startswith("- "))
    assert first.startswith("- terraform plan: ")
    assert len(text) < 7_000


def test_links_name_promoted_skills_one_by_one_and_never_the_folder(learned):
    folder = learned.skills_dir / "tide-tables"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(
        "---\nname: tide-tables\ndescription: Use when tide tables are read.\n---\n\n# Tide\n",
        encoding="utf-8",
    )
    links = materialize(learned, now=NOW).links
    agents = {line.rsplit("# ", 1)[1] for line in links}
    assert {"Claude Code", "Codex", "pi"} <= agents
    assert all("for name in tide-tables;" in line and '/"$name"' in line for line in links)


def rebuilt(settings):
    """Return what a rebuild could not read."""
    return rebuild_database(settings, encoder=HashEncoder())[2]


def present(settings):
    """Return what lessons, their evidence and their verdicts are now."""
    with open_store(settings) as store:
        moments = {one.id: store.lesson_moments(one.id) for one in store.lessons()}
        assert store.failed_checks() == {}
        return store.lessons(), moments, store.verdicts(), store.valid_shas(), store.cursors()


def test_a_rebuild_keeps_transcripts_lessons_and_verdicts(learned):
    found = {one.tool: one for one in list_lessons(learned)}
    judge_lesson(learned, found["git"].id, "pinned")
    judge_lesson(learned, found["kubectl"].id, "retired")
    materialize(learned, now=NOW)
    before = present(learned)
    assert rebuilt(learned) == []
    assert present(learned) == before
    assert rebuilt(learned) == []
    assert present(learned) == before
    assert not ingested(learned, FIXTURE).changed
    assert [one.action for one in materialize(learned, now=NOW).tools] == ["unchanged"] * 2


def test_a_rebuild_says_which_transcripts_are_gone_and_keeps_what_they_gave(settings, tmp_path):
    folder = tmp_path / "sessions"
    shutil.copytree(FIXTURE, folder)
    ingested(settings, folder)
    before, rows = present(settings), dump(settings)
    gone = next((folder / "codex").iterdir())
    gone.unlink()
    (told,) = rebuilt(settings)
    assert (told.path, told.reason.split(";")[0]) == (str(gone), "is gone")
    assert present(settings) == before
    assert dump(settings)["tool_call"] == rows["tool_call"]
    shutil.rmtree(folder)
    assert len(rebuilt(settings)) == 4
    assert present(settings) == before


def test_a_rebuild_of_a_database_that_is_no_database_says_what_is_lost(learned):
    learned.database.write_bytes(b"no database")
    (told,) = rebuilt(learned)
    assert "verdicts on lessons and known transcripts cannot be read" in told.reason


def made_by_an_older_parser(settings):
    """Let the database be what a parser with other ideas of calls, chunks and places made."""
    with open_store(settings, write=True) as store:
        con = store._con
        con.execute("update transcript_file set parser_version = 1")
        con.execute("update tool_call set failed = true, exit_code = 9, scope = 'old'")
        con.execute("update lesson set scope = 'old'")
        con.execute("update source set parser_version = 1, byte_end = byte_end + 1")
        con.execute("update memory_node set project = 'old' where level = 'L0'")
        row = "'ab', 'transcript', path, repeat('a', 64), file_sha, session, 0, 9, 1, 1, 1, seen_at"
        con.execute(f"insert into source select {row}, null from source limit 1")
        columns = "'old', '', body, trust, author, created_at, tags, text_sha"
        con.execute(
            "insert into memory_node select repeat('a', 64), level, project, "
            f"{columns} from memory_node where level = 'L0' limit 1"
        )
        con.execute("insert into node_validity values (repeat('a', 64), '2026-01-01', null, null)")


def test_a_newer_parser_reads_anew_what_an_older_one_made(learned):
    before = dump(learned)
    made_by_an_older_parser(learned)
    ingested(learned, FIXTURE)
    assert dump(learned) == before


def test_a_chunk_that_a_newer_parser_does_not_make_stays_where_a_note_rests_on_it(learned):
    before = present(learned)
    made_by_an_older_parser(learned)
    materialize(learned, candidates=True, now=NOW)
    with open_store(learned, write=True) as store:
        child = store.nodes_at("tool-lessons", "git-failures")[0].sha
        store.add_edges([(child, "a" * 64, "evidence")])
    ingested(learned, FIXTURE)
    lessons, moments, *_ = present(learned)
    assert (lessons, moments) == before[:2]
    with open_store(learned) as store:
        assert store.node("a" * 64) is not None
        assert "a" * 64 not in store.valid_shas()


def test_what_a_rewritten_transcript_says_no_more_holds_no_longer(settings, tmp_path):
    file = tmp_path / "session.jsonl"
    data = (FIXTURE / "claude" / "keel-session-0001.jsonl").read_bytes()
    file.write_bytes(data)
    ingested(settings, file)
    whole = dump(settings)
    rows = data.splitlines(keepends=True)
    file.write_bytes(b"\n" + b"".join(rows[: len(rows) // 2]))
    ingested(settings, file)
    half = list_lessons(settings)
    assert 0 < len(half) < len(whole["lesson"])
    for one in half:
        for moment in show_lesson(settings, one.id).moments:
            assert file.read_bytes()[: moment.byte_start].count(b"\n") == moment.line - 1
    with open_store(settings) as store:
        assert store.failed_checks() == {}
    file.write_bytes(data)
    ingested(settings, file)
    again = dump(settings)
    for name in ("tool_call", "lesson", "lesson_event", "memory_node"):
        assert again[name] == whole[name]
