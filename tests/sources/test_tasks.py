from __future__ import annotations

import csv
import io
import json

import polars as pl
import pytest
from helpers.tree import ROOT
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from memskill.errors import TasksInvalid
from memskill.records import Task
from memskill.sources.tasks import read_tasks, tasks_fingerprint, tasks_jsonl

NOTHING = ("none", "borderline", "body_trap", "declined")
plain = st.text(alphabet=st.characters(codec="utf-8", exclude_characters="\0\r\x85\u2028\u2029"))
texts = plain.filter(str.strip)
names = st.from_regex(r"[a-z][a-z0-9-]{0,12}", fullmatch=True)


@st.composite
def tasks(draw):
    expected = draw(st.lists(names, unique=True, max_size=3))
    others = names.filter(lambda name: name not in expected)
    kind = draw(st.sampled_from(("match", "indirect", "routed") if expected else NOTHING))
    return Task(
        text=draw(texts),
        expected=tuple(expected),
        project=draw(st.none() | texts),
        group=draw(plain),
        kind=kind,
        split=draw(st.sampled_from([None, "train", "valid", "final"])),
        forbidden=tuple(draw(st.lists(others, unique=True, max_size=2))),
        matched_on=draw(st.sampled_from([None, "description", "when_to_use"])),
    )


def write(folder, name, content):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def rows(*found):
    return "\n".join(json.dumps(row) for row in found) + "\n"


def faults(path, **options):
    with pytest.raises(TasksInvalid) as caught:
        read_tasks(path, **options)
    assert path.name in caught.value.message
    return list(caught.value.reasons)


@given(st.lists(tasks(), min_size=1, max_size=6))
def test_tasks_survive_jsonl(tmp_path_factory, found):
    path = write(tmp_path_factory.mktemp("t"), "t.jsonl", tasks_jsonl(found))
    assert list(read_tasks(path).tasks) == found


@given(st.lists(tasks(), min_size=1, max_size=6))
def test_tasks_survive_a_json_array(tmp_path_factory, found):
    lines = tasks_jsonl(found).strip("\n").split("\n")
    path = write(tmp_path_factory.mktemp("t"), "t.json", f"[{','.join(lines)}]")
    assert list(read_tasks(path).tasks) == found


@examples(max_examples=40)
@given(st.lists(tasks(), min_size=1, max_size=6))
def test_tasks_survive_csv_and_parquet(tmp_path_factory, found):
    folder = tmp_path_factory.mktemp("t")
    columns = [json.loads(line) for line in tasks_jsonl(found).strip("\n").split("\n")]
    for row in columns:
        row.setdefault("forbidden", [])
        row.setdefault("matched_on", None)
    lists = {"expected": pl.List(pl.String), "forbidden": pl.List(pl.String)}
    schema = dict.fromkeys(columns[0], pl.String) | lists
    pl.DataFrame(columns, schema=schema).write_parquet(folder / "t.parquet")
    assert list(read_tasks(folder / "t.parquet").tasks) == found
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns[0].keys())
    writer.writeheader()
    for row in columns:
        writer.writerow({k: "|".join(v) if isinstance(v, list) else v for k, v in row.items()})
    assert list(read_tasks(write(folder, "t.csv", out.getvalue())).tasks) == found


@given(st.sampled_from([".jsonl", ".json", ".csv", ".parquet"]), st.binary(max_size=200))
def test_no_bytes_break_the_reader(tmp_path_factory, ending, data):
    path = write(tmp_path_factory.mktemp("t"), f"t{ending}", data)
    with pytest.raises(TasksInvalid):
        read_tasks(path)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=6,
)
KEYS = [
    "task", "expected", "project", "group", "kind", "split", "forbidden", "matched_on", "query",
    "should_trigger", "skill_id", "candidates", "written_for", "nearest", "family", "d", "w", "id",
]  # fmt: skip


@given(st.lists(st.dictionaries(st.sampled_from(KEYS), json_values), min_size=1, max_size=3))
def test_no_values_break_the_schema_or_a_converter(tmp_path_factory, found):
    path = write(tmp_path_factory.mktemp("t"), "t.jsonl", rows(*found))
    try:
        read = read_tasks(path, skill="own")
    except TasksInvalid:
        return
    assert all(isinstance(task.text, str) and task.text.strip() for task in read.tasks)


def test_every_fault_is_listed_by_line_and_field(tmp_path):
    content = (
        '{"task": "", "expected": ["a"]}\n'
        "\n"
        "not json\n"
        '{"task": "t", "expected": "a", "kind": "odd", "spilt": "train"}\n'
        "[1]\n"
        '{"expected": ["a", "a"], "split": "test", "matched_on": "body", "group": 3}\n'
        '{"task": "t", "expected": ["a/b/c"], "project": ["p"]}\n'
    )
    found = faults(write(tmp_path, "t.jsonl", content))
    places = [fault.split(":")[0] for fault in found]
    assert places == [
        "line 1, field 'task'",
        "line 3",
        "line 4, field 'expected'",
        "line 4, field 'kind'",
        "line 4, field 'spilt'",
        "line 5",
        "line 6, field 'expected'",
        "line 6, field 'group'",
        "line 6, field 'matched_on'",
        "line 6, field 'split'",
        "line 6, field 'task'",
        "line 7, field 'expected'",
        "line 7, field 'project'",
    ]


@pytest.mark.parametrize(
    ("row", "field"),
    [
        ({"expected": ["a"], "kind": "none"}, "expected"),
        ({"expected": ["a"], "kind": "declined"}, "expected"),
        ({"expected": [], "kind": "match"}, "expected"),
        ({"expected": ["a"], "kind": "near_miss"}, "forbidden"),
        ({"expected": ["a"], "forbidden": ["a"]}, "forbidden"),
        ({"expected": [" "]}, "expected"),
        ({"expected": [3]}, "expected"),
        ({"expected": ["a\u202eb"]}, "expected"),
    ],
)
def test_labels_that_contradict_each_other_are_faults(tmp_path, row, field):
    [fault] = faults(write(tmp_path, "t.jsonl", rows({"task": "t"} | row)))
    assert fault.startswith(f"line 1, field {field!r}")


def test_an_over_long_task_is_refused_never_cut(tmp_path):
    path = write(tmp_path, "t.jsonl", rows({"task": "x" * 11, "expected": ["a"]}))
    assert "has 11 characters" in faults(path, max_chars=10)[0]
    assert read_tasks(path, max_chars=11).tasks[0].text == "x" * 11


def test_the_kind_follows_from_expected_where_it_is_left_out(tmp_path):
    found = [{"task": "a", "expected": ["x"]}, {"task": "b", "expected": []}, {"task": "c"}]
    kinds = [task.kind for task in read_tasks(write(tmp_path, "t.jsonl", rows(*found))).tasks]
    assert kinds == ["match", "none", "none"]


def test_lone_surrogates_become_a_character_that_files_can_hold(tmp_path):
    path = write(tmp_path, "t.jsonl", '{"task": "a\\ud800b", "expected": ["x"]}\n')
    assert read_tasks(path).tasks[0].text == "a\ufffdb"


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("t.jsonl", "", "holds no task"),
        ("t.json", "[]", "holds no task"),
        ("t.json", "{}", "no JSON array"),
        ("t.json", "[" * 100_000, "no JSON"),
        ("t.csv", "task,task\na,b\n", "column twice"),
        ("t.csv", 'task\n"a\n', "line"),
        ("t.parquet", "PAR1", "is no Parquet"),
        ("t.txt", "task\n", "ending"),
        ("t.jsonl", b"\x00\x01", "binary"),
    ],
)
def test_a_file_that_is_not_what_it_says_is_refused_by_name(tmp_path, name, content, says):
    path = write(tmp_path, name, content)
    with pytest.raises(TasksInvalid, match=says) as caught:
        read_tasks(path)
    assert name in caught.value.message


def test_a_missing_file_is_refused_by_name(tmp_path):
    with pytest.raises(TasksInvalid, match=r"gone\.jsonl"):
        read_tasks(tmp_path / "gone.jsonl")


def test_too_large_a_file_is_not_read(tmp_path):
    path = write(tmp_path, "t.jsonl", rows({"task": "t" * 100, "expected": []}))
    with pytest.raises(TasksInvalid, match="larger than 50 bytes"):
        read_tasks(path, max_bytes=50)


def test_csv_rows_are_named_by_their_first_line(tmp_path):
    content = 'task,expected\n"two\nlines",a|b\nbad,a|a\nshort\n'
    found = faults(write(tmp_path, "t.csv", content))
    assert [fault.split(":")[0] for fault in found] == ["line 4, field 'expected'", "line 5"]


def test_the_fingerprint_is_of_what_the_tasks_say_in_any_order(tmp_path):
    one, other = Task(text="a", expected=("x",)), Task(text="b", expected=(), kind="none")
    assert tasks_fingerprint([one, other]) == tasks_fingerprint([other, one])
    assert tasks_fingerprint([one]) != tasks_fingerprint([other])
    assert tasks_fingerprint([one]) != tasks_fingerprint([one, one])


@pytest.mark.parametrize(
    "path", sorted((ROOT / "data" / "tasks").glob("*.jsonl")), ids=lambda p: p.name
)
def test_the_projects_own_tasks_are_valid(path):
    found = read_tasks(path)
    assert found.form == "tasks"
    assert len(found.tasks) == len(path.read_text().splitlines())
    assert all(task.group and task.split for task in found.tasks)
