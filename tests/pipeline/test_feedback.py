"""What is kept of asking and answering, and how it is forgotten."""

from __future__ import annotations

import dataclasses
import json
import stat
from datetime import UTC, date, datetime, timedelta

import pytest
from helpers.serving import fake_matching
from hypothesis import HealthCheck, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from memskill.errors import NotFound, UsageError
from memskill.models.fakes import HashEncoder
from memskill.pipeline import feedback as module
from memskill.pipeline.feedback import fold, give_feedback, list_feedback, purge
from memskill.pipeline.ingest import ingest
from memskill.pipeline.spool import append, day_files, read_day
from memskill.records import Skipped
from memskill.store import Asked, Feedback, open_store
from memskill.store.base import utc_now

NAMES = {"rollback-release", "rotate-access-keys"}


@pytest.fixture
def logging_on(team):
    settings = dataclasses.replace(team, feedback_log=True)
    ingest(settings, encoder=HashEncoder())
    return settings


def asked(key="a", **changes):
    values = {"id": key * 32, "at": utc_now(), "task": "undo it", "project": None, "floor": 0.5}
    return Asked(**values | {"snapshot": "s", "answer": '[["rollback-release", 0.9]]'} | changes)


def spool(settings):
    return [one for file in day_files(settings) for one in read_day(file)]


def kept(settings):
    with open_store(settings) as store:
        return store.asked(), store.feedback()


def test_nothing_is_kept_unless_it_is_switched_on(team):
    fake_matching(team).match("roll back the bad release")
    fake_matching(team).match_all(["roll back", "paint the fence"])
    assert not (team.state_dir / "log").exists()
    with pytest.raises(UsageError, match="switched off") as caught:
        give_feedback(team, "useful", names=NAMES, skill="rollback-release", task="t")
    assert "feedback_log = true" in caught.value.hint


def test_a_match_is_kept_with_what_came_back(logging_on):
    result = fake_matching(logging_on).match("roll back the bad release", project="infra")
    (found,) = spool(logging_on)
    assert (found.id, found.task, found.project) == (
        result.id,
        "roll back the bad release",
        "infra",
    )
    assert json.loads(found.answer) == [[m.name, m.score] for m in result.matches]
    assert found.snapshot == result.answer.snapshot.fingerprint


def test_each_task_of_a_batch_is_kept_and_an_answer_from_memory_too(logging_on):
    matching = fake_matching(logging_on)
    first = matching.match_all(["roll back", "paint the fence"])
    again = matching.match_all(["roll back"])
    ids = [one.id for one in (*first, *again)]
    assert [one.id for one in spool(logging_on)] == ids
    assert len(set(ids)) == 3


def test_the_log_is_for_its_owner_alone(logging_on):
    append(logging_on, [asked()])
    file = day_files(logging_on)[0].path
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_secrets_do_not_reach_the_log(logging_on):
    token = "ghp_" + "a1B2c3D4e5F6" * 3
    fake_matching(logging_on).match(f"rotate {token} please")
    give_feedback(
        logging_on, "missing", names=NAMES, task=f"rotate {token}", note=f"it was {token}"
    )
    data = day_files(logging_on)[0].path.read_text("utf-8")
    assert token not in data
    assert data.count("[REDACTED:") == 3


def test_a_log_that_cannot_be_written_costs_no_answer(logging_on):
    (logging_on.state_dir / "log").write_text("in the way")
    assert fake_matching(logging_on).match("roll back the bad release").id == ""


def test_a_link_in_the_place_of_the_log_is_not_followed(logging_on, tmp_path):
    outside = tmp_path / "outside.txt"
    outside.write_text("")
    (logging_on.state_dir / "log").mkdir()
    name = f"{datetime.now(UTC):%Y-%m-%d}.jsonl"
    (logging_on.state_dir / "log" / name).symlink_to(outside)
    assert fake_matching(logging_on).match("roll back").id == ""
    assert outside.read_text() == ""
    assert day_files(logging_on) == []


def test_ingest_folds_the_log_in_and_a_second_run_changes_nothing(logging_on):
    result = fake_matching(logging_on).match("roll back the bad release")
    give_feedback(
        logging_on, "useful", names=NAMES, skill="rollback-release", match_id=result.id, note="yes"
    )
    first = ingest(logging_on, encoder=HashEncoder())
    assert (first.log_new, first.changed) == (2, True)
    second = ingest(logging_on, encoder=HashEncoder())
    assert (second.log_new, second.changed) == (0, False)
    (match,), (said,) = kept(logging_on)
    assert match.id == result.id
    assert (said.verdict, said.skill, said.note) == ("useful", "rollback-release", "yes")


def test_feedback_of_a_match_knows_its_task_and_project(logging_on):
    result = fake_matching(logging_on).match("roll back the bad release", project="infra")
    give_feedback(logging_on, "wrong", names=NAMES, skill="rollback-release", match_id=result.id)
    fold(logging_on)
    said = kept(logging_on)[1][0]
    assert (said.task, said.project) == ("roll back the bad release", "infra")


def test_a_dry_run_counts_and_writes_nothing(logging_on):
    append(logging_on, [asked()])
    assert fold(logging_on, dry_run=True).new == 1
    assert kept(logging_on) == ([], [])


def test_a_crash_after_the_commit_adds_nothing_twice(logging_on, monkeypatch):
    old = datetime.now(UTC).date() - timedelta(days=3)
    append(logging_on, [asked()])
    file = day_files(logging_on)[0].path
    file.rename(file.with_name(f"{old}.jsonl"))

    def crash(files):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, "_remove", crash)
        with pytest.raises(KeyboardInterrupt):
            fold(logging_on)
    assert fold(logging_on).new == 0
    assert len(kept(logging_on)[0]) == 1
    assert day_files(logging_on) == []


def test_a_crash_before_the_commit_loses_nothing(logging_on, monkeypatch):
    append(logging_on, [asked()])

    def crash(store, records, new):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module, "_keep", crash)
        with pytest.raises(KeyboardInterrupt):
            fold(logging_on)
    assert fold(logging_on).new == 1


def test_a_file_of_today_or_yesterday_stays_for_those_who_append_to_it(logging_on):
    append(logging_on, [asked("a")])
    fold(logging_on)
    append(logging_on, [asked("b")])
    assert fold(logging_on).new == 1
    assert len(day_files(logging_on)) == 1


def test_a_line_that_a_crash_cut_short_spoils_no_other_one(logging_on):
    append(logging_on, [asked("a")])
    file = day_files(logging_on)[0].path
    with file.open("ab") as torn:
        torn.write(b'{"id":"cut sho')
    append(logging_on, [asked("b")])
    found = fold(logging_on)
    assert found.new == 2
    assert [(one.path, one.reason) for one in found.skipped] == [
        (str(file), "is no record of the log")
    ]


def test_a_damaged_file_is_not_removed(logging_on):
    folder = logging_on.state_dir / "log"
    folder.mkdir()
    (folder / "2020-01-01.jsonl").write_text("damaged\n")
    assert [one.line for one in fold(logging_on).skipped] == [1]
    assert len(day_files(logging_on)) == 1


@pytest.mark.parametrize("name", ["2026-13-01.jsonl", "notes.txt", "2026-01-01.jsonl.part"])
def test_other_files_are_passed_over(logging_on, name):
    folder = logging_on.state_dir / "log"
    folder.mkdir()
    (folder / name).write_text("{}\n")
    assert day_files(logging_on) == []


LINES = st.one_of(
    st.binary(max_size=60),
    st.dictionaries(
        st.sampled_from(
            ["id", "at", "task", "project", "floor", "snapshot", "answer", "verdict", "skill",
             "match_id", "note"]
        ),
        st.one_of(
            st.none(), st.booleans(), st.floats(), st.text(max_size=40), st.just("a" * 32),
            st.just("2026-01-01T00:00:00"), st.just([["a", 1]]), st.lists(st.integers()),
        ),
    ).map(lambda row: json.dumps(row).encode()),
)  # fmt: skip


@given(st.lists(LINES, max_size=5))
@examples(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_bytes_are_records_or_told(settings, lines):
    folder = settings.state_dir / "log"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "2026-01-01.jsonl").write_bytes(b"\n".join(lines))
    for one in spool(settings):
        assert isinstance(one, Asked | Feedback | Skipped)
    (folder / "2026-01-01.jsonl").unlink()


@given(st.text(), st.text(), st.one_of(st.none(), st.text()))
@examples(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_what_is_appended_is_what_is_read(settings, task, note, project):
    whole = [text for text in (task, note, project or "") if text.encode("utf-8", "ignore")]
    if any(0xD800 <= ord(c) < 0xE000 for text in whole for c in text):
        return
    records = [
        asked("a", task=task, project=project),
        Feedback(id="b" * 32, at=utc_now(), verdict="wrong", skill="s", task=task, note=note),
    ]
    append(settings, records)
    assert spool(settings) == records
    day_files(settings)[0].path.unlink()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"verdict": "good", "skill": "rollback-release", "task": "t"}, "is none of useful"),
        ({"verdict": "useful", "task": "t"}, "needs the name of a skill"),
        ({"verdict": "useful", "skill": "rollback-release"}, "name one of the two"),
        ({"verdict": "missing", "task": "t", "match_id": "a" * 32}, "name one of the two"),
        ({"verdict": "missing", "match_id": "../x"}, "is no id of a match"),
        ({"verdict": "missing", "task": "t" * 30_000}, "more than 20000"),
        ({"verdict": "missing", "task": "t", "note": "n" * 3_000}, "at most 2000"),
    ],
)
def test_feedback_that_says_nothing_usable_is_refused(logging_on, said, told):
    verdict = said.pop("verdict")
    with pytest.raises(UsageError, match=told):
        give_feedback(logging_on, verdict, names=NAMES, **said)
    assert day_files(logging_on) == []


def test_an_unknown_skill_is_told_with_the_nearest(logging_on):
    with pytest.raises(NotFound) as caught:
        give_feedback(logging_on, "useful", names=NAMES, skill="rollback-relase", task="t")
    assert "rollback-release" in caught.value.hint


def test_what_is_too_old_is_forgotten_and_never_comes_back(logging_on):
    old = utc_now() - timedelta(days=logging_on.feedback_days + 1)
    append(logging_on, [asked("a", at=old), asked("b")])
    assert fold(logging_on).new == 1
    later = dataclasses.replace(logging_on, feedback_days=1)
    with open_store(logging_on, write=True) as store, store.transaction():
        store.add_asked([asked("c", at=utc_now() - timedelta(days=2))])
    fold(later)
    assert [one.id[0] for one in kept(logging_on)[0]] == ["b"]
    assert fold(later).new == 0


def test_purge_forgets_everything(logging_on):
    append(logging_on, [asked("a")])
    give_feedback(logging_on, "missing", names=NAMES, task="t")
    fold(logging_on)
    append(logging_on, [asked("b")])
    assert purge(logging_on) == 2
    assert (kept(logging_on), day_files(logging_on)) == (([], []), [])
    assert fold(logging_on).new == 0


def test_purge_before_a_day_keeps_that_day(logging_on):
    with open_store(logging_on, write=True) as store, store.transaction():
        store.add_asked(
            [asked("a", at=datetime(2026, 1, 1, 23)), asked("b", at=datetime(2026, 1, 2))]
        )
    assert purge(logging_on, date(2026, 1, 2)) == 1
    assert [one.id[0] for one in kept(logging_on)[0]] == ["b"]


def test_purge_without_a_database_removes_the_log(settings):
    append(settings, [asked()])
    assert purge(settings) == 0
    assert day_files(settings) == []


def test_the_list_has_what_is_folded_in_and_what_waits(logging_on):
    give_feedback(logging_on, "missing", names=NAMES, task="first")
    fold(logging_on)
    give_feedback(logging_on, "missing", names=NAMES, task="second")
    assert [one.task for one in list_feedback(logging_on)] == ["first", "second"]


def test_many_writers_at_once_lose_and_mix_nothing(logging_on):
    import threading

    keys = "0123456789abcdef"
    threads = [
        threading.Thread(target=append, args=(logging_on, [asked(key, task=key * 5_000)]))
        for key in keys
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(one.id[0] for one in spool(logging_on)) == sorted(keys)
    assert len(day_files(logging_on)) == 1
