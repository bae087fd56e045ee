"""The owner's nine acceptance tests of `GET /memory/skills?task=`, with their controls.

a1 to a6, a8 and a9 run the shipped models and their shipped floor. No task here was used to fit a
model or a floor: they were written for this file, and a test below looks for them in data/.
"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import duckdb
import pytest
from helpers.serving import ask, copy_vault, explained, fake_client, set_floor
from helpers.tree import ROOT
from helpers.vaults import make_settings

from memskill.config import Settings
from memskill.pipeline.matching import Matching
from memskill.sources.skills import scan_skills
from memskill.sources.terms import terms
from memskill.web import create_app

# Six domains that have nothing to do with each other; the second one's body is full of kubectl.
SIX = (
    "debug-kubernetes-pods",
    "on-call-handover",
    "postgres-migration-locks",
    "repair-terraform-state",
    "rotate-access-keys",
    "speed-up-ci-cache",
)
PODS = "the search container dies again seconds after it starts, find the root cause"
README = "update the README changelog"
# Fits a section of on-call-handover's body, about nodes and quotas; of its fields one stray word.
BODY_ONLY = (
    "with kubectl, list this week's cordoned nodes and namespaces close to their memory quota"
)
# Both of the labelled tasks of data/tasks/fixture.jsonl, which nothing is fitted on.
HANDOVER = "my week on the pager ends at noon, prepare what Jonne has to know"
LEAK = "i pasted the acquirer token into the team chat, fix it"
# Words of repair-terraform-state, and nearer to it than LEAK is to its own skill; but nothing is
# broken.
BORDERLINE = "explain in two sentences what Terraform state and a state lock are, for our glossary"
CLOSE_CALLS = (
    "the pods of the new version crash since the deploy an hour ago, users see errors",
    "the deploy is stuck because a schema change waits for a lock, get the site back",
    "the outage is over and my shift ends, write down what happened and what is still open",
    "a key leaked in last night's incident, handle it",
    "write up the leaked key incident for the next shift",
)


@pytest.fixture(scope="module")
def vault(tmp_path_factory) -> Settings:
    return copy_vault(tmp_path_factory.mktemp("acceptance") / "vault", SIX)


@pytest.fixture(scope="module")
def client(vault):
    return create_app(vault).test_client()


def floor_of(client) -> float:
    return client.get("/readyz").get_json()["floor"]


def check_answer(client, matches, limit=3) -> None:
    """What holds of every answer: its length, its order, and no score below the floor."""
    assert len(matches) <= limit
    assert all(floor_of(client) <= match["score"] <= 1 for match in matches)
    assert matches == sorted(matches, key=lambda match: (-match["score"], match["name"]))


def test_the_fixture_is_six_promoted_skills_and_two_drafts(vault, client):
    scan = scan_skills(vault.vault, max_bytes=vault.max_file_bytes)
    assert [s.skill.name for s in scan.skills if s.skill.state == "promoted"] == list(SIX)
    assert sum(s.skill.state == "draft" for s in scan.skills) == 2
    assert 0 < floor_of(client) < 1


def test_a1_relevant_match(client):
    matches = ask(client, PODS)
    check_answer(client, matches)
    assert matches[0]["name"] == "debug-kubernetes-pods"
    assert list(matches[0]) == ["name", "score", "matched_on", "when_to_use"]


def test_a2_irrelevant_no_match(client):
    assert ask(client, README) == []
    assert ask(client, README, limit=50) == []


def test_a3_drafts_excluded(vault, client):
    scan = scan_skills(vault.vault, max_bytes=vault.max_file_bytes)
    for found in scan.skills:
        if found.skill.state == "draft":
            for text in (found.skill.description, found.skill.when_to_use):
                assert ask(client, text, limit=50) == []
            assert client.get(f"/memory/skills/{found.skill.name}").status_code == 404
            assert found.skill.name.encode() not in client.get("/memory/skills").data


def check_a4(answer) -> None:
    assert [match["name"] for match in answer(HANDOVER)][:1] == ["on-call-handover"]
    assert answer(BODY_ONLY) == []


@pytest.fixture(scope="module")
def kubectl_vault(tmp_path_factory) -> Settings:
    """Without the skill that is about pods: only a body speaks of kubectl."""
    names = {*SIX, "write-incident-report"} - {"debug-kubernetes-pods"}
    return copy_vault(tmp_path_factory.mktemp("a4") / "vault", names)


def test_a4_body_not_matched(kubectl_vault):
    scan = scan_skills(kubectl_vault.vault, max_bytes=kubectl_vault.max_file_bytes)
    skills = {found.skill.name: found for found in scan.skills}
    handover = skills["on-call-handover"]
    assert handover.body.count("kubectl") > 5
    assert not any("kubectl" in f.skill.description + f.skill.when_to_use for f in scan.skills)
    client = create_app(kubectl_vault).test_client()
    check_answer(client, ask(client, HANDOVER))
    check_a4(lambda task: ask(client, task))


def test_a5_no_task_unchanged(tmp_path):
    settings = copy_vault(tmp_path / "vault")
    pinned = (ROOT / "tests" / "data" / "catalogue.json").read_bytes()
    client = fake_client(settings)
    first = client.get("/memory/skills")
    ask(client, PODS)
    again = client.get("/memory/skills")
    # Another process, with other models and no floor at all, says the same.
    (settings.state_dir / "floor.toml").unlink()
    elsewhere = copy_vault(tmp_path / "elsewhere").vault
    other = fake_client(make_settings(elsewhere, threads=2), 0.9, reranker=None)
    assert [first.data, again.data, other.get("/memory/skills").data] == [pinned] * 3
    assert first.headers["ETag"] == again.headers["ETag"]
    names = [skill["name"] for skill in json.loads(pinned)]
    assert names == sorted(names)
    assert len(names) == 8


def check_a6(answer) -> None:
    assert [match["name"] for match in answer(LEAK)][:1] == ["rotate-access-keys"]
    assert answer(BORDERLINE) == []


def test_a6_floor_applies(client):
    check_a6(lambda task: ask(client, task))
    check_answer(client, ask(client, LEAK))
    wrong = _candidate(explained(client, BORDERLINE), "repair-terraform-state")
    right = _candidate(explained(client, LEAK), "rotate-access-keys")
    # Genuinely borderline: it shares words, and the cosine would have it the other way round.
    assert len(wrong["words"]) >= 2
    assert wrong["cosine"] > right["cosine"]
    assert not wrong["kept"]
    assert wrong["score"] < floor_of(client) <= right["score"]


def test_a7_deterministic_ties(tmp_path):
    text = "description: Waters the office plants and logs the litres.\n"
    answers = set()
    for run in range(10):
        settings = make_settings(tmp_path / f"vault-{run}")
        # Both orders of creation; folders come from the file system in an order of their own.
        for name in ("water-b", "water-a")[:: 1 if run % 2 else -1]:
            folder = settings.skills_dir / name
            folder.mkdir(parents=True)
            (folder / "SKILL.md").write_text(f"---\nname: {name}\n{text}---\n")
        client = fake_client(settings)
        answers.add(client.get("/memory/skills?task=water+the+office+plants").data)
        assert [m["name"] for m in ask(client, "water the office plants", limit=1)] == ["water-a"]
    (answer,) = answers
    first, second = json.loads(answer)
    assert (first["name"], second["name"]) == ("water-a", "water-b")
    assert first["score"] == second["score"] >= 0.5


def check_a8(client) -> None:
    """On at least one task, reranking puts the shortlist into another order."""
    changed = 0
    for task in CLOSE_CALLS:
        shown = explained(client, task, limit=50)["candidates"]
        reranked = [one for one in shown if one["rerank_score"] is not None]
        before = sorted(reranked, key=lambda one: (-one["hybrid"], one["name"]))
        changed += [one["name"] for one in before] != [one["name"] for one in reranked]
    assert changed >= 1


def test_a8_reranker_reorders(tmp_path):
    settings = copy_vault(tmp_path / "vault")
    client = create_app(settings).test_client()
    check_a8(client)
    for task in CLOSE_CALLS:
        check_answer(client, ask(client, task, limit=2), limit=2)


def test_a9_promotion_visible(tmp_path):
    settings = copy_vault(tmp_path / "vault", SIX)
    git = ["git", "-C", str(settings.vault), "-c", "user.name=t", "-c", "user.email=t@example.com"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "start"]):
        subprocess.run([*git, *arguments], check=True)
    client = create_app(settings).test_client()
    task = "the search box of almanac still finds pages that were removed, rebuild its index"
    assert ask(client, task) == []
    moved = ["mv", "skills/_drafts/docs-site-007", "skills/rebuild-search-index"]
    subprocess.run([*git, *moved], check=True)
    matches = ask(client, task)
    check_answer(client, matches)
    assert [match["name"] for match in matches] == ["rebuild-search-index"]


def test_no_task_of_this_file_was_used_to_fit_anything():
    # Of data/tasks, all but the fixture's own, which are for trying things and never fitted on.
    tasks = [f for f in (ROOT / "data" / "tasks").glob("*.jsonl") if f.name != "fixture.jsonl"]
    files = [*tasks, *(ROOT / "data" / "training").glob("*queries.jsonl")]
    rows = [json.loads(line) for file in files for line in file.read_text("utf-8").splitlines()]
    used = {" ".join((row.get("task") or row["query"]).lower().split()) for row in rows}
    here = (PODS, README, BODY_ONLY, HANDOVER, LEAK, BORDERLINE, *CLOSE_CALLS)
    assert not used & {task.lower() for task in here}


def like_matcher(settings: Settings, *, bodies: bool = False):
    """A matcher as simple as they come: a skill fits where it holds a word of the task."""
    scan = scan_skills(settings.vault, max_bytes=settings.max_file_bytes)
    con = duckdb.connect()
    con.execute("create table skill (name varchar, said varchar)")
    for found in scan.skills:
        if found.skill.state == "promoted":
            said = [found.skill.description, found.skill.when_to_use, found.body * bodies]
            con.execute("insert into skill values (?, ?)", [found.skill.name, " ".join(said)])

    def answer(task: str) -> list[dict[str, str]]:
        query = (
            "select name from skill, (select unnest(?::varchar[]) as word)"
            " where lower(said) like '%' || word || '%'"
            " group by name order by count(*) desc, name"
        )
        return [{"name": name} for (name,) in con.execute(query, [terms(task)]).fetchall()]

    return answer


@pytest.mark.parametrize("bodies", [False, True], ids=["fields", "whole file"])
def test_control_a_keyword_matcher_fails_a4_and_a6(vault, kubectl_vault, bodies):
    with pytest.raises(AssertionError):
        check_a4(like_matcher(kubectl_vault, bodies=bodies))
    with pytest.raises(AssertionError):
        check_a6(like_matcher(vault, bodies=bodies))


def test_control_a_matcher_that_reads_bodies_fails_a4(kubectl_vault, tmp_path):
    settings = copy_vault(tmp_path / "vault", [])
    scan = scan_skills(kubectl_vault.vault, max_bytes=kubectl_vault.max_file_bytes)
    for found in scan.skills:
        if found.skill.state == "promoted":
            _write_with_body_as_field(settings.skills_dir / found.skill.name, found)
    client = create_app(settings).test_client()
    with pytest.raises(AssertionError, match="on-call-handover"):
        check_a4(lambda task: ask(client, task))


def test_control_without_a_reranker_a8_fails(tmp_path):
    settings = copy_vault(tmp_path / "vault")
    settings = make_settings(settings.vault, reranker="none")
    matching = Matching(settings)
    set_floor(settings, matching.matcher, 0.0)
    with pytest.raises(AssertionError):
        check_a8(create_app(settings, matching).test_client())


def _candidate(explanation, name):
    return next(one for one in explanation["candidates"] if one["name"] == name)


def _write_with_body_as_field(folder: Path, found) -> None:
    folder.mkdir()
    # The body's list items stand as sentences, as an indexer of bodies would take them.
    body = ". ".join(line.strip("-0123456789. ") for line in found.body.splitlines() if line)
    fields = {"description": found.skill.description, "when_to_use": body[:4000]}
    lines = [f"{name}: {json.dumps(text)}" for name, text in fields.items()]
    (folder / "SKILL.md").write_text("\n".join(["---", *lines, "---", ""]), encoding="utf-8")
