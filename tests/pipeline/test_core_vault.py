from __future__ import annotations

import pytest
from helpers.core_vault import SKILLS, write_core_vault

from memskill.models.fakes import HashEncoder
from memskill.pipeline.ingest import ingest
from memskill.store import open_store


@pytest.mark.slow
@pytest.mark.skipif(not SKILLS.is_file(), reason="the shared data is not beside this checkout")
def test_601_real_skills_go_in_and_a_second_ingest_changes_nothing(settings):
    folders = write_core_vault(settings.vault)
    report = ingest(settings, encoder=HashEncoder())
    assert len(folders) == len(set(folders.values())) == report.skills_read == 601
    assert report.skipped == ()
    again = ingest(settings, encoder=HashEncoder())
    assert not again.changed
    with open_store(settings) as store:
        assert {s.name for s in store.skills("promoted")} == set(folders.values())
        store.require_healthy()
