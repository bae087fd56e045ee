"""One generation of the catalogue: what it says depends on its skills and on nothing else."""

from __future__ import annotations

import dataclasses
import itertools
import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from memskill.match.policy import shipped_hybrid
from memskill.match.snapshot import build_snapshot
from memskill.match.texts import skill_rows
from memskill.models.fakes import HashEncoder
from memskill.records import Skill
from memskill.sources.terms import terms

ENCODER = HashEncoder()
SKILLS = [
    Skill(path=f"skills/{name}/SKILL.md", name=name, description=description, projects=projects)
    for name, description, projects in [
        ("mow", "Mows the lawn. Use when the grass is high. Not for hedges.", ()),
        ("cut", "Cuts hedges and trees.", ("garden",)),
        ("paint", "Paints fences.", ("house", "garden")),
    ]
]


def build(skills=SKILLS, generation=1, encoder=ENCODER, policy=None, **more):
    rows = [skill_rows(skill) for skill in skills]
    texts = {sha: text for _, some in rows for sha, text in some.items()}
    vectors = dict(zip(texts, encoder.encode(list(texts.values())), strict=True))
    return build_snapshot(
        rows,
        vectors,
        model=encoder.fingerprint,
        policy=policy or shipped_hybrid().policy,
        generation=generation,
        **more,
    )


def shortlist(snapshot, task="cut the high grass", project=None, named=(), k=20):
    with snapshot.reading() as store:
        return shortlist_of(store, task, project, named, k)


def shortlist_of(store, task, project=None, named=(), k=20):
    return store.shortlist(
        ENCODER.encode([task])[0],
        sorted(set(terms(task))),
        model=ENCODER.fingerprint,
        project=project,
        named=list(named),
        k=k,
    )


def test_skills_come_by_name_whatever_their_order():
    wanted = build()
    assert [skill.name for skill in wanted.skills.values()] == ["cut", "mow", "paint"]
    for order in itertools.permutations(SKILLS):
        other = build(order, generation=7)
        assert other.fingerprint == wanted.fingerprint
        assert list(other.skills) == list(wanted.skills)
        assert shortlist(other) == shortlist(wanted)


@pytest.mark.parametrize(
    "change",
    [
        {"description": "Mows the yard."},
        {"when_to_use": "Use in June."},
        {"projects": ("garden",)},
        {"name": "mowing", "path": "skills/mowing/SKILL.md"},
    ],
)
def test_what_answers_rest_on_is_in_the_fingerprint(change):
    changed = [dataclasses.replace(SKILLS[0], **change), *SKILLS[1:]]
    assert build(changed).fingerprint != build().fingerprint


def test_a_changed_body_is_no_other_catalogue():
    changed = [dataclasses.replace(SKILLS[0], content_sha="f" * 64), *SKILLS[1:]]
    assert build(changed).fingerprint == build().fingerprint


def test_another_encoder_or_policy_is_another_catalogue():
    policy = dataclasses.replace(shipped_hybrid().policy, fingerprint="0" * 64)
    assert build(encoder=HashEncoder(seed=1)).fingerprint != build().fingerprint
    assert build(policy=policy).fingerprint != build().fingerprint


def test_a_project_sees_its_own_and_the_global_skills():
    snapshot = build()
    names = {
        project: sorted(row.name for row in shortlist(snapshot, project=project))
        for project in (None, "garden", "house", "nowhere")
    }
    assert names == {
        None: ["cut", "mow", "paint"],
        "garden": ["cut", "mow", "paint"],
        "house": ["mow", "paint"],
        "nowhere": ["mow"],
    }


def test_the_filter_comes_before_the_limit():
    assert [row.name for row in shortlist(build(), project="nowhere", k=1)] == ["mow"]


def test_a_named_skill_keeps_a_place_but_not_against_its_project():
    snapshot = build()
    best, *_ = shortlist(snapshot)
    other = next(name for name in snapshot.names - {best.name, "mow"})
    kept = shortlist(snapshot, named=[other], k=1)
    assert [row.name for row in kept] == [best.name, other]
    assert kept[1].hybrid <= kept[0].hybrid
    assert "cut" not in [row.name for row in shortlist(snapshot, project="house", named=["cut"])]


def test_negative_clauses_are_no_evidence_for_a_skill():
    rows = {row.name: row for row in shortlist(build(), "trim hedges")}
    assert rows["mow"].negative > rows["mow"].clause
    assert rows["cut"].negative == 0
    assert rows["mow"].lexical == 0
    assert rows["cut"].lexical > 0


def test_an_empty_catalogue_answers():
    assert shortlist(build([])) == []


def test_a_task_without_words_has_no_lexical_share():
    assert {row.lexical for row in shortlist(build(), "!!!")} == {0}


def everything(snapshot):
    """Every row of what a snapshot holds, and the shortlists of a few tasks."""
    tasks = ("cut the high grass", "paint the fence", "trim hedges", "!!!", "unknownword mow")
    with snapshot.reading() as store:
        lists = [
            shortlist_of(store, task, project) for task in tasks for project in (None, "house")
        ]
        held = {
            name: store._con.execute(f"select * from derived.{name} order by all").fetchall()
            for name in ("skill_vector", "clause_vector", "term_cover", "term_idf")
        }
        unknown = store._con.execute("from derived.term_idf_unknown").fetchall()
    return lists, held, unknown, snapshot.fingerprint, dict(snapshot.skills)


@pytest.mark.parametrize("seed", range(3))
def test_a_snapshot_made_from_the_last_one_is_one_made_anew(seed):
    draw = random.Random(seed)
    texts = ["Mows the lawn.", "Cuts hedges. Not for trees.", "Paints fences.", "!!!", "Cuts high."]
    skills: dict[str, Skill] = {}
    last = build([])
    for number in range(2, 9):
        changed = draw.sample(["a", "b", "c", "d-e"], k=draw.randint(1, 3))
        for name in changed:
            if name in skills and draw.random() < 0.4:
                del skills[name]
            else:
                skills[name] = Skill(
                    path=f"skills/{name}/SKILL.md",
                    name=name,
                    description=draw.choice(texts),
                    when_to_use=draw.choice(["", *texts]),
                    projects=draw.choice([(), ("house",)]),
                )
        paths = [f"skills/{name}/SKILL.md" for name in changed]
        before = everything(last)
        new = build(list(skills.values()), number, store=last.store, changed=paths)
        assert everything(new) == everything(build(list(skills.values())))
        assert everything(last) == before
        vector, asked = ENCODER.encode(["cut the high grass"])[0], sorted(terms("cut high grass"))
        anew = build(list(skills.values())).precut
        assert new.precut.bound(vector, asked) == anew.bound(vector, asked)
        last = new


def test_more_readers_than_handles_wait_for_one_and_all_are_answered():
    snapshot = build()
    with ThreadPoolExecutor(16) as pool:
        found = list(pool.map(lambda _: shortlist(snapshot), range(64)))
    assert all(one == found[0] for one in found)


def test_a_handle_comes_back_after_an_error():
    snapshot = build()
    for _ in range(20):
        with pytest.raises(ZeroDivisionError), snapshot.reading():
            raise ZeroDivisionError
    assert shortlist(snapshot)
