"""Each file of sql/checks: clean on good rows, and finds the one bad row that it is there for."""

from __future__ import annotations

import pytest

from memskill.store import memory_store
from memskill.store.sqlfiles import sql_files

A, B, C = ("a" * 64, "b" * 64, "c" * 64)
UNIT = "list_resize([1.0::float], 384, 0.0)::float[384]"

HEALTHY = f"""
insert into memory_node values
    ('{A}', 'L1', 'p', 'q', 'what', 'body', 'person', '', '2026-01-01', ['t'], 'ta'),
    ('{B}', 'L2', 'p', 'q', 'what', 'other', 'agent', '', '2026-01-02', [], 'tb');
insert into node_validity values
    ('{A}', '2026-01-01', '2026-01-02', null),
    ('{A}', '2026-01-03', '2026-01-04', '{B}'),
    ('{B}', '2026-01-04', null, null);
insert into node_edge values ('{B}', '{A}', 'synthesis'), ('{B}', '{A}', 'supersedes');
insert into source values
    ('s1', 'note', 'notes/p/q.md', '{A}', 'f', '', 0, 9, 1, 2, 1, '2026-01-01', '2026-01-04'),
    ('s2', 'note', 'notes/p/q.md', '{B}', 'g', '', 0, 9, 1, 2, 1, '2026-01-04', null);
insert into skill values
    ('skills/one/SKILL.md', 'one', [], 'd', '', 'c', 'promoted', '', 't1', 'r1'),
    ('skills/_drafts/one/SKILL.md', 'one', [], 'd', '', 'c', 'draft', '{A}', 't1', 'r2'),
    ('skills/two/SKILL.md', 'two', ['p'], 'd', 'w', 'c', 'promoted', '', 't2', 'r3');
insert into skill_clause values ('skills/one/SKILL.md', 'description', 'positive', 0, 't1', 'd');
insert into skill_term values ('skills/one/SKILL.md', 'd', 1);
insert into embedding_384 values ('t1', 'm', {UNIT});
"""

# Check -> (a statement that plants one bad row, its first column).
PLANTED = {
    "current_source_is_valid": (
        f"insert into source values ('s3', 'note', 'notes/x.md', '{A}', 'f', '', 0, 9, 1, 2, 1,"
        " '2026-01-01', null)",
        "notes/x.md",
    ),
    "edge_ends_exist": (f"insert into node_edge values ('{A}', '{C}', 'evidence')", A),
    "embedding_is_unit": (
        "create or replace table embedding_384 as select 'zero' as text_sha, 'm' as"
        " model_fingerprint, list_resize([0.0::float], 384, 0.0)::float[384] as vector",
        "zero",
    ),
    "passage_has_owner": (
        "insert into passage values ('nobody', 0, 'whole', 0, 0, 't', [], [])",
        "nobody",
    ),
    "one_open_validity": (f"insert into node_validity values ('{B}', '2026-02-01', null, null)", B),
    "skill_name_unique": (
        "insert into skill values ('skills/x/SKILL.md', 'one', [], 'd', '', 'c', 'promoted', '',"
        " 't', 'r')",
        "one",
    ),
    "skill_parts_have_skill": (
        "insert into skill_clause values ('skills/gone/SKILL.md', 'description', 'positive', 0,"
        " 't', 'd')",
        "skills/gone/SKILL.md",
    ),
    "skill_path_fits_state": (
        "insert into skill values ('skills/_drafts/three/SKILL.md', 'three', [], 'd', '', 'c',"
        " 'promoted', '', 't', 'r')",
        "skills/_drafts/three/SKILL.md",
    ),
    "lesson_event_has_lesson": (
        "insert into lesson_event values ('e', 'no lesson', 's', null, 'failure', 'no call', '')",
        "e",
    ),
    "source_has_node": (
        f"insert into source values ('s4', 'note', 'notes/y.md', '{C}', 'f', '', 0, 9, 1, 2, 1,"
        " '2026-01-01', '2026-01-02')",
        "s4",
    ),
    "validity_has_node": (
        f"insert into node_validity values ('{C}', '2026-01-01', '2026-01-02', null)",
        C,
    ),
    "validity_in_order": (
        f"insert into node_validity values ('{A}', '2026-05-02', '2026-05-01', null)",
        A,
    ),
}


@pytest.fixture
def con():
    con = memory_store()._con
    con.execute(HEALTHY)
    return con


def _rows(con, check):
    return con.execute(sql_files("checks")[check].text).fetchall()


@pytest.mark.parametrize("check", sorted(sql_files("checks")))
def test_good_rows_are_clean(con, check):
    assert _rows(con, check) == []


@pytest.mark.parametrize("check", sorted(sql_files("checks")))
def test_the_planted_row_is_found(con, check):
    plant, named = PLANTED[check]
    con.execute(plant)
    found = _rows(con, check)
    assert [row[0] for row in found] == [named]


def test_nan_is_found_too(con):
    con.execute(
        "create or replace table embedding_384 as select 'nan' as text_sha, 'm' as"
        " model_fingerprint, list_resize(['nan'::float], 384, 0.0)::float[384] as vector"
    )
    assert _rows(con, "embedding_is_unit") == [("nan", "m")]


def test_a_stray_heir_is_found(con):
    con.execute(f"update node_validity set superseded_by = '{C}' where superseded_by = '{B}'")
    assert _rows(con, "validity_has_node") == [(A, C)]


def test_a_term_without_its_skill_is_found(con):
    con.execute("insert into skill_term values ('skills/gone/SKILL.md', 'word', 1)")
    assert _rows(con, "skill_parts_have_skill") == [("skills/gone/SKILL.md", "term")]
