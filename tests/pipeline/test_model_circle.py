"""`mem model` from end to end on a toy vault: real torch, real ONNX, the real command line."""

from __future__ import annotations

import json
import tomllib

import pytest
from helpers.mem import mem, mem_json
from train.toyvault import bert, farm, xlm_roberta

pytest.importorskip("torch")
pytest.importorskip("onnx")

SMALL = ("--set", "passes=1", "--set", "max_tokens=48", "--set", "bfloat16=false")
RERANKER = ("--kind", "reranker", "--set", "layers=1", "--set", "batch=4", *SMALL)


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return bert(tmp_path_factory.mktemp("models") / "tiny-bert")


@pytest.fixture
def vault(tmp_path, monkeypatch):
    # One thread: torch then sums in one order, and does not fight with what else runs here.
    monkeypatch.setenv("MEMSKILL_THREADS", "1")
    return farm(tmp_path).vault


def run(vault, *arguments):
    return mem("--vault", vault, *arguments)


def run_json(vault, *arguments):
    return mem_json("--vault", vault, "model", *arguments)


def test_the_whole_circle(vault, base):
    before = mem_json("--vault", vault, "skill", "match", "count the cows")
    trained = run_json(vault, "train", *RERANKER, "--base", base)
    assert trained["model"]["name"] == "reranker-1"
    assert trained["base"].endswith("tiny-bert")
    fitted = run_json(vault, "calibrate", "reranker-1", "--split", "train", "--split", "valid")
    assert fitted["examples"] >= 20
    card = (vault / ".memskill/models/reranker-1/model_card.md").read_text()
    for fact in ("seed: 7", trained["data_fingerprint"], "base: tiny-bert", "optimism: 0.04",
                 "folds: 1", "## Calibration"):  # fmt: skip
        assert fact in card, fact
    exported = run_json(vault, "export", "reranker-1", "--precision", "weights")
    assert exported["exported"]
    listed = {m["name"]: m for m in run_json(vault, "list") if m["kind"] == "reranker"}
    assert (listed["default"]["in_use"], listed["reranker-1"]["in_use"]) == (True, False)
    assert listed["reranker-1"]["floor"] is None

    refused = run(vault, "model", "use", "reranker-1")
    assert refused.exit_code == 78
    assert "mem floor tune --reranker onnx:" in refused.stderr
    assert not (vault / "memskill.toml").exists()
    setting = listed["reranker-1"]["setting"]
    labels = vault / "tasks" / "farm.jsonl"
    tuned = run(vault, "floor", "tune", "--reranker", setting, "--tasks", labels, "--target",
                "cost=1:1")  # fmt: skip
    assert tuned.exit_code == 0, tuned.stderr
    assert "`mem model use` puts it in force" in tuned.stdout
    assert not (vault / ".memskill/floor.toml").exists()

    used = run_json(vault, "use", "reranker-1")
    assert (used["before"], used["after"]) == ("default", setting)
    assert tomllib.loads((vault / "memskill.toml").read_text()) == {"reranker": setting}
    explained = mem_json("--vault", vault, "skill", "match", "count the cows", "--explain")
    assert json.dumps(explained).count("farm-cows") > 0
    assert [m["in_use"] for m in run_json(vault, "list") if m["kind"] == "reranker"] == [
        False,
        True,
    ]

    back = run_json(vault, "rollback")
    assert back["after"] == "default"
    assert tomllib.loads((vault / "memskill.toml").read_text()) == {}
    assert mem_json("--vault", vault, "skill", "match", "count the cows") == before
    assert run(vault, "model", "rollback").exit_code == 66


def test_the_same_seed_gives_the_same_bytes(vault, base, tmp_path):
    outs = [tmp_path / name for name in ("a", "b", "c")]
    for out, seed in zip(outs, (3, 3, 4), strict=True):
        run_json(vault, "train", *RERANKER, "--base", base, "--seed", seed, "--out", out)
    graphs = [(out / "model.onnx").read_bytes() for out in outs]
    assert graphs[0] == graphs[1] != graphs[2]


@pytest.mark.parametrize("make", [bert, xlm_roberta])
def test_an_encoder_trains_from_either_shape_and_can_be_used(vault, tmp_path, make):
    base = make(tmp_path / make.__name__)
    trained = run_json(vault, "train", "--kind", "encoder", "--base", base, *SMALL)
    assert trained["examples"] > 10
    info = run_json(vault, "info", "encoder-1")
    assert info["config"]["dimension"] == 384
    assert info["card"]["Training: encoder"]["base"] == make.__name__
    assert len(info["fingerprint"]) == 64
    listed = {m["name"]: m for m in run_json(vault, "list") if m["kind"] == "encoder"}
    assert listed["encoder-1"]["fingerprint"] == info["fingerprint"]
    assert run(vault, "model", "calibrate", "encoder-1").exit_code == 64


def test_two_folds_train_encoders_that_have_not_seen_the_task(vault, base):
    trained = run_json(vault, "train", *RERANKER, "--base", base, "--folds", 2)
    assert trained["settings"]["folds"] == 2
    assert trained["settings"]["evidence from"] == "2 encoders, each new to the tasks it serves"


def test_without_a_base_training_goes_on_from_the_shipped_encoder(vault):
    trained = run_json(vault, "train", *RERANKER, "--set", "own_share=0.2")
    assert trained["base"].endswith("memskill-encoder")
    assert trained["model"]["exported"]


def test_an_evaluation_makes_the_table_of_the_card(vault, tmp_path):
    out = tmp_path / "table.md"
    done = run(vault, "model", "eval", "--reranker", "none", "--base", "default",
               "--markdown", out)  # fmt: skip
    assert done.exit_code == 0, done.stderr
    assert done.stdout == out.read_text()
    assert "| vault | bm25 |" in done.stdout
    assert "hybrid minus bm25" in done.stdout
    assert "| vault | none | hybrid |" in done.stdout
    said = run_json(vault, "eval", "--reranker", "none")
    first = {(r["system"], r["measure"]): r["estimate"]["value"] for r in said["rows"]
             if r["view"] == "order" and not r["against"]}  # fmt: skip
    assert first["hybrid", "recall@1"] == 1.0
    assert said["suites"] == {"vault": [10, 50]}


def test_faults_name_the_file_the_line_and_what_to_do(vault, tmp_path, base):
    skills, tasks = tmp_path / "skills.jsonl", tmp_path / "tasks.jsonl"
    skills.write_text('{"id": "a", "description": "Count."}\n{"id": "b"}\n')
    tasks.write_text('{"task": "x", "expected": ["a"], "kind": "match", "split": "train"}\n{\n')
    train = ("model", "train", "--kind", "encoder", "--base", base)
    cases = [
        (("--skills", skills, "--queries", tasks), 65, "skills.jsonl:2"),
        (("--skills", skills), 64, "--queries none"),
        (("--queries", tasks), 65, "line 2"),
        (("--set", "pases=1"), 64, "Did you mean 'passes'?"),
        (("--set", "passes=many"), 64, "must be a number"),
        (("--base", tmp_path), 64, "no torch folder"),
        (("--out", tmp_path), 64, "exists"),
        (("--folds", "0"), 64, "--folds"),
    ]
    for arguments, status, words in cases:
        done = run(vault, *train, *arguments)
        assert (done.exit_code, words in done.stderr) == (status, True), (arguments, done.stderr)
    assert list((vault / ".memskill").rglob("*")) in ([], [vault / ".memskill" / "models"])


def test_a_reranker_is_not_trained_from_a_base_that_cannot_tell_two_texts_apart(vault, tmp_path):
    done = run(vault, "model", "train", *RERANKER, "--base", xlm_roberta(tmp_path / "xlm"))
    assert done.exit_code == 64
    assert "tells two texts apart" in done.stderr


def test_a_missing_extra_names_the_install_line(vault, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "torch", None)
    done = run(vault, "model", "train", "--kind", "encoder")
    assert done.exit_code == 69
    assert "pip install 'memskill[hf]'" in done.stderr
