"""The counters, as a scraper reads them."""

from __future__ import annotations

from helpers.serving import ask, fake_client
from helpers.vaults import write_skill
from prometheus_client.parser import text_string_to_metric_families


def read(client) -> dict[str, float]:
    text = client.get("/metrics").text
    return {
        sample.name + "".join(f",{k}={v}" for k, v in sorted(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_requests_tasks_empties_and_refusals_are_counted(team):
    client = fake_client(team)
    ask(client, "roll back the bad release")
    ask(client, "paint the fence")
    client.post("/memory/skills/match", json={"tasks": ["paint the fence", "x"]})
    client.get("/memory/skills?task=")
    client.get("/memory/skills/nothing")
    found = read(client)
    route = "method=GET,route=/memory/skills"
    assert found[f"memskill_requests_total,{route},status=200"] == 2
    assert found[f"memskill_requests_total,{route},status=400"] == 1
    assert found["memskill_tasks_total"] == 4
    assert found["memskill_empty_answers_total"] == 3
    assert found["memskill_refusals_total,status=404"] == 1
    # A repeated question runs no stage.
    assert found["memskill_stage_seconds_count,stage=encode"] == 3
    assert found["memskill_request_seconds_count,route=/memory/skills"] == 3


def test_the_index_is_told_by_generation_age_and_size(team):
    client = fake_client(team)
    client.get("/memory/skills")
    first = read(client)
    assert first["memskill_index_skills"] == 8
    assert 0 <= first["memskill_index_age_seconds"] < 60
    write_skill(team, "paint-fences", "Paints fences.")
    second = read(client)
    assert second["memskill_index_skills"] == 9
    assert second["memskill_index_generation"] == first["memskill_index_generation"] + 1


def test_two_apps_in_one_process_count_apart(team):
    one, other = fake_client(team), fake_client(team)
    ask(one, "paint the fence")
    assert read(other)["memskill_tasks_total"] == 0


def test_what_clients_invent_makes_no_new_label(team):
    client = fake_client(team)

    def invent(number: int) -> int:
        client.get(f"/made/up/{number}")
        client.get(f"/memory/skills/made-up-{number}")
        client.open("/memory/skills", method=f"MADEUP{number}")
        return len(read(client))

    invent(0)
    assert invent(1) == invent(2) == invent(3)
