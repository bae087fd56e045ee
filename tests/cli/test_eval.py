"""`mem eval` on the fixture's vault, with the shipped encoder and the shortlist deciding."""

from __future__ import annotations

import dataclasses
import json
import re
from html.parser import HTMLParser

import pytest
from click.testing import CliRunner
from helpers.tree import ROOT
from helpers.vaults import write_skill

from memskill.cli import main
from memskill.pipeline.evaluate import evaluate_tasks, parse_setting

TASKS = ROOT / "data" / "tasks" / "fixture.jsonl"


@pytest.fixture
def run(team, monkeypatch):
    monkeypatch.setenv("MEMSKILL_RERANKER", "none")
    monkeypatch.setenv("MEMSKILL_VAULT", str(team.vault))
    return lambda *arguments: CliRunner().invoke(main, ["eval", *map(str, arguments)])


def test_measures_and_every_wrong_case_are_shown(run):
    done = run("--tasks", TASKS, "--floor", 0.001)
    assert done.exit_code == 0, done.stderr
    assert "60 tasks in 15 groups" in done.stdout
    for name in ("recall@1", "mrr", "auroc:borderline", "false_fire:none", "routing", "ece"):
        assert re.search(
            rf"^{re.escape(name)} +\d\.\d{{3}} +\d\.\d{{3}} to \d\.\d{{3}}", done.stdout, re.M
        ), name
    for stage in ("encode", "shortlist", "total"):
        assert re.search(rf"^{stage} +\d", done.stdout, re.M)
    assert "false fire (borderline): " in done.stdout


def test_json_carries_it_all_and_nothing_that_is_no_json(run):
    done = run("--tasks", TASKS, "--floor", 0.5, "--json")
    report = json.loads(done.stdout, parse_constant=pytest.fail)["report"]
    assert report["measures"]["recall@1"]["value"] > 0.8
    assert report["measures"]["recall@1"]["count"] == 32
    wrong = report["wrong"][0]
    assert {"cause", "task", "expected", "returned", "candidates"} <= set(wrong)
    assert {"score", "cosine", "clause", "lexical", "negative"} <= set(wrong["candidates"][0])


def test_the_same_run_says_the_same_but_for_times(run):
    def measures():
        said = json.loads(run("--tasks", TASKS, "--floor", 0.5, "--json").stdout)
        del said["report"]["latency"]
        return said

    assert measures() == measures()


def test_without_a_floor_the_command_that_fits_one_is_told(run, monkeypatch):
    monkeypatch.setattr("memskill.match.floorfile.shipped_floors", lambda: ())
    done = run("--tasks", TASKS)
    assert done.exit_code == 0
    assert 'mem floor tune --tasks FILE --target "false_fire<=0.05"' in done.stderr
    assert "recall@1" in done.stdout
    assert "false_fire" not in done.stdout


def test_a_split_is_chosen(run):
    done = run("--tasks", TASKS, "--split", "final", "--floor", 0.5)
    assert done.stdout.startswith("20 tasks")


def test_another_setting_is_compared_in_pairs(run):
    done = run("--tasks", TASKS, "--floor", 0.01, "--against", "floor=0.9")
    assert "minus floor=0.9" in done.stdout
    [line] = re.findall(r"^recall  .*", done.stdout.split("minus floor=0.9")[1], re.M)
    assert float(line.split()[1]) > 0
    order = re.findall(r"^recall@1 .*", done.stdout.split("minus floor=0.9")[1], re.M)
    assert order[0].split()[1:] == ["0.000", "0.000", "to", "0.000"]


def test_a_trigger_set_is_read_for_its_skill(run, tmp_path):
    rows = [
        {"query": "pods crash with CrashLoopBackOff", "should_trigger": True},
        {"query": "write the shift handover", "should_trigger": False},
    ]
    path = tmp_path / "evals.json"
    path.write_text(json.dumps(rows))
    done = run("--tasks", path, "--skill", "debug-kubernetes-pods", "--floor", 0.01)
    assert done.exit_code == 0, done.stderr
    assert "1 match, 1 near_miss" in done.stdout
    done = run("--tasks", path, "--skill", "debug-kubernetes-pod")
    assert done.exit_code == 66
    assert "did you mean 'debug-kubernetes-pods'?" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "says"),
    [
        (["--floor", "1.5"], 64, "between 0 and 1"),
        (["--floor", "nan"], 64, "between 0 and 1"),
        (["--limit", "0"], 64, "limit"),
        (["--against", "speed=3"], 64, "NAME=VALUE"),
        (["--against", "shortlist_size=many"], 64, "needs a number"),
        (["--against", "shortlist_size=0"], 64, "at least 1"),
        (["--against", "reranker=nonsense"], 78, "nonsense"),
        (["--split", "train", "--split", "odd"], 2, "odd"),
    ],
)
def test_what_cannot_be_is_refused(run, arguments, status, says):
    done = run("--tasks", TASKS, *arguments)
    assert (done.exit_code, done.stdout) == (status, "")
    assert says in done.stderr


def test_a_broken_file_is_told_by_line_and_field(run, tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"task": "x", "expected": ["a"]}\n{"task": "", "kind": "odd"}\n')
    done = run("--tasks", path)
    assert done.exit_code == 65
    assert "line 2, field 'kind'" in done.stderr
    assert "line 2, field 'task'" in done.stderr


def test_skills_that_are_not_in_the_vault_are_named(run, tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"task": "x", "expected": ["debug-kubernetes-pod"]}\n'
        '{"task": "y", "expected": ["rollback-release"]}\n'
    )
    done = run("--tasks", path)
    assert done.exit_code == 0
    assert "'debug-kubernetes-pod' (did you mean 'debug-kubernetes-pods'?)" in done.stderr
    path.write_text('{"task": "x", "expected": ["debug-kubernetes-pod"]}\n')
    assert run("--tasks", path).exit_code == 65


def test_a_split_without_tasks_is_refused(run, tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_text('{"task": "x", "expected": ["rollback-release"]}\n')
    done = run("--tasks", path, "--split", "final")
    assert done.exit_code == 65
    assert "--split" in done.stderr


class Page(HTMLParser):
    """Collects tags and whatever could ask for something outside the page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.outside: list[str] = []
        self.text = ""

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.outside += [f"{k}={v}" for k, v in attrs if k in ("src", "href") or k.startswith("on")]

    def handle_data(self, data):
        self.text += data


def parsed(path):
    page = Page()
    page.feed(path.read_text(encoding="utf-8"))
    return page


def test_the_page_needs_nothing_from_outside(run, tmp_path):
    html = tmp_path / "report.html"
    done = run("--tasks", TASKS, "--floor", 0.001, "--html", html, "--against", "floor=0.5")
    assert done.exit_code == 0, done.stderr
    page = parsed(html)
    assert page.outside == []
    assert not {"script", "link", "iframe", "img"} & set(page.tags)
    assert page.tags.count("svg") == 2
    assert "url(" not in html.read_text()
    assert "false fire" in page.text
    assert "recall@1" in page.text


def test_hostile_tasks_and_names_stay_text(team, tmp_path, monkeypatch):
    evil = "<img src=x onerror=alert(1)>\"'{{ 7 * 7 }}</summary><script>alert(2)</script>"
    write_skill(team, "plain", "Answers what nobody asks.")
    path = tmp_path / "<b>t.jsonl"
    row = {"task": evil, "expected": ["plain"], "group": evil, "project": evil}
    path.write_text(json.dumps(row) + "\n")
    settings = dataclasses.replace(team, reranker="none")
    from memskill.pipeline.evalpage import write_page

    html = tmp_path / "report.html"
    write_page(evaluate_tasks(settings, [path], floor=0.9), html)
    page = parsed(html)
    assert not {"script", "img", "b:t.jsonl"} & set(page.tags)
    assert page.outside == []
    assert evil in page.text


def test_a_page_that_cannot_be_written_is_told(run, tmp_path):
    done = run("--tasks", TASKS, "--html", tmp_path / "none" / "report.html")
    assert done.exit_code == 64
    assert "report.html" in done.stderr


def test_hostile_tasks_do_no_harm_in_a_terminal(run, tmp_path):
    path = tmp_path / "t.jsonl"
    row = {"task": "a\u001b[31mred\u202e", "expected": ["rollback-release"]}
    path.write_text(json.dumps(row) + "\n")
    done = run("--tasks", path, "--floor", 0.9)
    assert "ared" in done.stdout
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout


def test_a_setting_changes_only_what_it_names(team):
    changed, floor = parse_setting(team, "reranker=none, shortlist_size=5,floor=0.25")
    assert changed == dataclasses.replace(team, reranker="none", shortlist_size=5)
    assert floor == 0.25
