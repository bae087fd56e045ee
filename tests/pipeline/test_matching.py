"""Matching as CLI and server share it: fresh, whole and the same bytes every time."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from helpers.serving import copy_vault, fake_matcher, fake_matching, set_floor
from helpers.tree import ROOT
from helpers.vaults import write_skill

from memskill.errors import ConfigError, FloorMissing, ModelError, NotFound, UsageError
from memskill.match.matcher import Matcher
from memskill.pipeline.matching import Matching

TASK = "roll back the bad release"
TASKS = [TASK, "paint the fence", "rotate the leaked api key", "write the incident report",
         "terraform state is locked", "pods restart", "é 你好", "`handover`", "a" * 99]  # fmt: skip


@pytest.fixture
def matching(team):
    return fake_matching(team, floor=0.2)


def somebody_writes(*arguments):
    """Write a skill in another thread, as somebody else would, and wait for it."""
    thread = threading.Thread(target=write_skill, args=arguments)
    thread.start()
    thread.join()


def names(matching, task=TASK, **more):
    return [match.name for match in matching.match(task, **more).matches]


def test_match_and_match_all_say_the_same(matching):
    single = [tuple(matching.match(task).matches) for task in TASKS]
    assert [one.matches for one in matching.match_all(TASKS)] == single
    assert [one.matches for one in matching.match_all(TASKS)] == single
    assert any(single)


@pytest.mark.parametrize("limit", [0, 51, -1])
def test_a_limit_out_of_range_is_refused(matching, limit):
    for ask in (matching.match, lambda task, limit: matching.match_all([task], limit=limit)):
        with pytest.raises(UsageError, match="between 1 and 50"):
            ask(TASK, limit=limit)


def test_an_edited_floor_counts_from_the_next_request_on(team, matching):
    assert names(matching)
    set_floor(team, matching.matcher, 1.0)
    assert names(matching) == []
    assert matching.match_all([TASK])[0].matches == ()
    set_floor(team, matching.matcher, 0.2)
    assert names(matching) == [m.name for m in matching.match_all([TASK])[0].matches] != []


def test_a_floor_of_other_models_does_not_count(team, matching):
    set_floor(team, fake_matcher(reranker=None), 0.2)
    with pytest.raises(FloorMissing) as caught:
        matching.match(TASK)
    assert "mem floor tune" in caught.value.hint
    with pytest.raises(FloorMissing), matching.serving():
        pass


def test_what_changed_under_the_request_is_not_returned(team, matching, monkeypatch):
    """The file goes while the models run: the answer is made again from what is there."""
    real = Matcher.answer

    def answer(self, *arguments, **options):
        found = real(self, *arguments, **options)
        somebody_writes(team, "rollback-release", "Draws maps.")
        return found

    assert names(matching)[0] == "rollback-release"
    monkeypatch.setattr(Matcher, "answer", answer)
    assert "rollback-release" not in names(matching)


def test_a_batch_is_answered_from_one_catalogue(team, matching, monkeypatch):
    """A promotion between two tasks of a batch shows in all of its answers or in none."""
    real = Matcher.answer
    seen = []

    def answer(self, snapshot, *arguments, **options):
        somebody_writes(team, f"new-{len(seen)}", "Rolls back the bad release.")
        seen.append(snapshot.generation)
        return real(self, snapshot, *arguments, **options)

    matching.match_all(TASKS)
    write_skill(team, "one-more", "Does something else.")
    monkeypatch.setattr(Matcher, "answer", answer)
    matching.match_all(TASKS)
    assert len(seen) == len(TASKS)
    assert len(set(seen)) == 1


def stored_vectors(matching):
    """Every stored vector of the catalogue in force, with the text that it is of."""
    with matching.catalogue.current().reading() as store:
        return store._con.execute("from embedding_384 order by all").fetchall()


def test_bodies_do_not_move_any_answer_or_vector(team, matching):
    before, vectors = matching.match_all(TASKS), stored_vectors(matching)
    assert len(vectors) > 8
    for file in team.skills_dir.glob("*/SKILL.md"):
        file.write_text(file.read_text() + "\nPaint the fence with kubectl.\n")
    matching.catalogue.refresh()
    # This one, and one that starts now and remembers nothing.
    for one in (matching, fake_matching(team, floor=0.2)):
        assert stored_vectors(one) == vectors
        assert [a.matches for a in one.match_all(TASKS)] == [a.matches for a in before]
    assert names(matching, "paint the fence with kubectl") == names(
        fake_matching(team, floor=0.2), "paint the fence with kubectl"
    )


def test_threads_and_orders_change_nothing(team, matching):
    wanted = {task: tuple(matching.match(task).matches) for task in TASKS}
    other = fake_matching(team, floor=0.2)
    shuffled = TASKS * 6
    random.Random(1).shuffle(shuffled)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda task: tuple(other.match(task).matches), shuffled))
    assert found == [wanted[task] for task in shuffled]


def test_processes_and_insertion_orders_say_the_same_bytes(tmp_path):
    """Another process, another hash seed, the folders made in another order: same bytes."""
    script = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        sys.path.insert(0, sys.argv[2])
        from helpers.serving import fake_client
        from helpers.vaults import make_settings
        client = fake_client(make_settings(Path(sys.argv[1])), floor=0.2)
        for task in sys.argv[3:]:
            print(client.get("/memory/skills", query_string={"task": task}).text)
        print(client.get("/memory/skills").text)
        """
    )
    outputs = set()
    for seed in ("0", "1"):
        vault = copy_vault(tmp_path / f"vault-{seed}", []).vault
        folders = sorted((ROOT / "data" / "vault" / "skills").glob("[a-z]*"))
        for folder in folders[:: 1 if seed == "0" else -1]:
            subprocess.run(["cp", "-r", folder, vault / "skills"], check=True)
        done = subprocess.run(
            [sys.executable, "-c", script, vault, ROOT / "tests", *TASKS],
            env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            check=True,
            timeout=300,
        )
        outputs.add(done.stdout)
    (said,) = outputs
    assert said.count(b"rollback-release") >= 2


def test_one_bad_skill_hides_no_other(team, matching):
    (team.skills_dir / "write-incident-report" / "SKILL.md").write_bytes(b"\x00")
    fresh = fake_matching(team, floor=0.2)
    assert names(fresh)[0] == "rollback-release"
    assert [fault.path for fault in fresh.faults()] == ["skills/write-incident-report/SKILL.md"]
    assert fresh.ready()["faults"]


@pytest.mark.parametrize("name", ["rollback-relaese", "", "..", "_drafts/docs-site-007", "\x00"])
def test_only_names_of_the_catalogue_have_a_file(matching, name):
    with pytest.raises(NotFound):
        matching.skill_file(name)


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ({"encoder": "onnx:/no/such/folder"}, ModelError),
        ({"reranker": "onnx:/no/such/folder"}, ModelError),
        ({"reranker": "nonsense"}, ConfigError),
    ],
)
def test_a_model_that_cannot_load_stops_the_start(tmp_path, values, error):
    import dataclasses

    settings = dataclasses.replace(copy_vault(tmp_path / "vault"), **values)
    with pytest.raises(error):
        Matching(settings)
