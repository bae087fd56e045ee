"""init, ingest, query, config, db and skill list, through the command line."""

from __future__ import annotations

import json

import pytest
from helpers.mem import mem, mem_json
from helpers.vaults import digests, write_note, write_skill

from memskill.config import SETTING_NAMES


@pytest.fixture
def vault(settings):
    """A vault with one note, one bad file and one skill."""
    write_note(settings, "p/roof", "The roof leaks when it rains.", query="Why does it drip?")
    write_note(settings, "p/bad", "x", level="L7")
    write_skill(settings, "mend-roofs", "Mend roofs.")
    return settings.vault


def test_init_says_what_it_made_and_a_second_time_nothing(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert mem("init").stdout.startswith("vault: made notes/, skills/")
    assert mem("init").stdout == "vault: nothing to make\n"
    assert mem_json("init", "other") == {
        "vault": "other",
        "made": ["notes/", "skills/", "skills/_drafts/", "memskill.toml", "README.md"],
    }


def test_init_takes_the_vault_that_was_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mem("--vault", "named", "init")
    assert [p.name for p in tmp_path.iterdir()] == ["named"]


def test_init_refuses_what_is_in_the_way(tmp_path):
    (tmp_path / "file").write_text("x")
    done = mem("init", tmp_path / "file")
    assert done.exit_code == 73
    assert "Traceback" not in done.output


def test_ingest_prints_one_line_and_reports_to_stderr(vault):
    done = mem("--vault", vault, "ingest")
    assert done.exit_code == 0
    assert done.stdout.startswith("ingested: 1 notes (1 new")
    assert done.stdout.count("\n") == 1
    assert done.stderr.startswith("skipped: notes/p/bad.md:2: level 'L7' is unknown\n")
    assert mem("--vault", vault, "ingest").stdout.startswith("no change: ")


def test_ingest_as_json_holds_the_whole_report(vault):
    report = mem_json("--vault", vault, "ingest")
    assert (report["notes_new"], report["changed"], report["dry_run"]) == (1, True, False)
    assert report["skipped"][0]["path"] == "notes/p/bad.md"
    assert report["skipped"][0]["line"] == 2


def test_a_dry_run_writes_nothing(vault):
    before = digests(vault)
    assert mem("--vault", vault, "ingest", "--dry-run").stdout.startswith("would ingest: ")
    assert digests(vault) == before


def test_a_missing_vault_ends_with_66_and_the_remedy(tmp_path):
    for command in (("ingest",), ("db", "rebuild"), ("db", "migrate"), ("skill", "list")):
        done = mem("--vault", tmp_path / "typo", *command)
        assert (command, done.exit_code) == (command, 66)
        assert "mem init" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_query_prints_a_table_or_json(vault):
    mem("--vault", vault, "ingest")
    asked = ("query", "Why does it drip? The roof leaks when it rains.")
    lines = mem("--vault", vault, *asked).stdout.splitlines()
    assert lines[0].split()[1:3] == ["L1", "p/roof"]
    assert [line.strip() for line in lines[1:]] == [
        "The roof leaks when it rains.", "notes/p/roof.md:4"
    ]  # fmt: skip
    (hit,) = mem_json("--vault", vault, *asked, "--level", "1", "--project", "p")
    assert (hit["kind"], hit["id"], hit["lines"]) == ("note", "p/roof", [4, 4])
    assert mem_json("--vault", vault, *asked, "--project", "none") == []


def test_query_explains_what_it_left_out(vault):
    mem("--vault", vault, "ingest")
    asked = ("query", "quarterly dividend of a shipping company")
    done = mem("--vault", vault, *asked)
    assert done.stdout == ""
    assert "no note or lesson reaches the floor" in done.stderr
    told = mem_json("--vault", vault, *asked, "--explain")
    assert told["hits"] == []
    assert [one["id"] for one in told["candidates"]] == ["p/roof"]
    assert "is below the floor" in mem("--vault", vault, *asked, "--explain").stdout


@pytest.mark.parametrize(("question", "limit"), [("", 5), ("  ", 5), ("rain", 0), ("rain", 51)])
def test_a_query_that_cannot_be_answered_ends_with_64(vault, question, limit):
    mem("--vault", vault, "ingest")
    assert mem("--vault", vault, "query", question, "--limit", limit).exit_code == 64


def test_query_before_ingest_says_what_to_run(vault):
    done = mem("--vault", vault, "query", "rain")
    assert done.exit_code == 66
    assert "mem ingest" in done.stderr


def test_config_shows_every_setting_with_its_origin(vault, monkeypatch):
    monkeypatch.setenv("MEMSKILL_THREADS", "2")
    rows = mem_json("--vault", vault, "config")
    assert [row["setting"] for row in rows] == ["vault", *SETTING_NAMES]
    by_name = {row["setting"]: row for row in rows}
    assert by_name["threads"] == {"setting": "threads", "value": "2", "origin": "MEMSKILL_THREADS"}
    assert by_name["vault"]["origin"] == "flag"
    assert "MEMSKILL_THREADS" in mem("--vault", vault, "config").stdout


def test_db_commands_look_after_the_file(vault):
    run = ("--vault", vault, "db")
    assert mem(*run, "check").exit_code == 66
    assert "up to date" in mem(*run, "migrate").stdout
    mem("--vault", vault, "ingest")
    assert "healthy, 1 nodes" in mem(*run, "check").stdout
    stats = mem_json(*run, "stats")
    assert stats["valid_nodes"] == {"L1": 1}
    assert "memory_node" in mem(*run, "stats").stdout
    copy = vault / "copy.duckdb"
    assert mem(*run, "backup", copy).stdout == f"{copy}\n"
    assert mem(*run, "backup", copy).exit_code == 73
    assert "old database is kept" in mem(*run, "rebuild").stdout
    assert "healthy" in mem(*run, "check").stdout


def test_an_unhealthy_database_ends_with_65_and_names_the_node(vault):
    mem("--vault", vault, "ingest")
    for file in (vault / ".memskill" / "nodes").iterdir():
        file.unlink()
    done = mem("--vault", vault, "db", "check")
    assert done.exit_code == 65
    assert "it has no node file" in done.stderr
    assert "mem db rebuild" in done.stderr


def test_rebuild_reports_bad_node_files_in_json_too(vault):
    mem("--vault", vault, "ingest")
    (vault / ".memskill" / "nodes" / "junk.json").write_text("{")
    done = mem("--vault", vault, "db", "rebuild", "--json")
    assert json.loads(done.stdout)["report"]["notes_new"] == 1
    assert "junk.json" in done.stderr


def test_skills_are_listed(vault):
    assert "mend-roofs" in mem("--vault", vault, "skill", "list").stdout
    (skill,) = mem_json("--vault", vault, "skill", "list")
    assert (skill["name"], skill["state"]) == ("mend-roofs", "promoted")
    assert mem_json("--vault", vault, "skill", "list", "--drafts") == []
    assert mem_json("--vault", vault, "skill", "list", "--project", "p") == [skill]
