"""Random sequences of what people do to a vault, against a model of what should be served."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import pytest
from helpers.vaults import make_settings
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from memskill.match.catalogue import Catalogue
from memskill.match.policy import shipped_hybrid
from memskill.models.fakes import HashEncoder

NAMES = st.sampled_from(["mow", "cut", "paint-fences", "7", "x-1"])
TEXTS = st.sampled_from(
    ["Mows the lawn.", "Mows the yard.", "Cuts hedges. Not for trees.", "Paints: fences", "é"]
)
BROKEN = st.sampled_from([b"", b"---\nname: x", b"\x00\xff", b"---\ndescription:\n---\n"])


class Vault(RuleBasedStateMachine):
    """`served` is name -> description of what must be in the catalogue."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Path(tempfile.mkdtemp(prefix="memskill-"))
        self.settings = make_settings(self.root / "vault", rescan_seconds=0.05)
        self.settings.drafts_dir.mkdir(parents=True)
        self.catalogue = Catalogue(self.settings, HashEncoder(), shipped_hybrid())
        self.served: dict[str, str] = {}
        self.drafts: dict[str, str] = {}
        # Promoted folders whose file does not parse: what they serve is their last good version.
        self.broken: set[str] = set()

    def teardown(self) -> None:
        """A process that starts now serves the same, but for what it never saw whole."""
        fresh = Catalogue(self.settings, HashEncoder(), shipped_hybrid()).current()
        good = {name: text for name, text in self.served.items() if name not in self.broken}
        assert {s.name: s.description for s in fresh.skills.values()} == good
        shutil.rmtree(self.root)

    @property
    def folders(self) -> set[str]:
        return set(self.served) | self.broken

    @rule(name=NAMES, text=TEXTS)
    def add_or_edit_or_mend(self, name, text):
        self._write(self.settings.skills_dir / name, text)
        self.served[name] = text
        self.broken.discard(name)

    @rule(name=NAMES, text=TEXTS)
    def draft(self, name, text):
        self._write(self.settings.drafts_dir / name, text)
        self.drafts[name] = text

    @precondition(lambda self: self.drafts)
    @rule(data=st.data())
    def promote(self, data):
        name = data.draw(st.sampled_from(sorted(self.drafts)))
        if name not in self.folders:
            (self.settings.drafts_dir / name).rename(self.settings.skills_dir / name)
            self.served[name] = self.drafts.pop(name)

    @precondition(lambda self: self.folders)
    @rule(data=st.data(), other=NAMES)
    def rename(self, data, other):
        name = data.draw(st.sampled_from(sorted(self.folders)))
        if other not in self.folders:
            (self.settings.skills_dir / name).rename(self.settings.skills_dir / other)
            text = self.served.pop(name, None)
            # What is broken under a new name never was good there.
            if name in self.broken:
                self.broken = self.broken - {name} | {other}
            elif text is not None:
                self.served[other] = text

    @precondition(lambda self: self.folders)
    @rule(data=st.data())
    def delete(self, data):
        name = data.draw(st.sampled_from(sorted(self.folders)))
        shutil.rmtree(self.settings.skills_dir / name)
        self.served.pop(name, None)
        self.broken.discard(name)

    @precondition(lambda self: self.folders)
    @rule(data=st.data(), content=BROKEN)
    def break_one(self, data, content):
        name = data.draw(st.sampled_from(sorted(self.folders)))
        # It was seen while it was good: a file that nobody ever read has no last version.
        self.catalogue.refresh()
        (self.settings.skills_dir / name / "SKILL.md").write_bytes(content)
        self.broken.add(name)

    @rule(name=NAMES)
    def put_something_else(self, name):
        (self.settings.skills_dir / f"_{name}").mkdir(exist_ok=True)
        (self.settings.skills_dir / f"{name}.txt").write_text("no skill")

    @invariant()
    def the_catalogue_is_what_it_should_be(self):
        snapshot = self.catalogue.refresh()
        found = {skill.name: skill.description for skill in snapshot.skills.values()}
        assert found == dict(sorted(self.served.items()))
        assert list(found) == sorted(found)
        faults = {Path(fault.path).parent.name for fault in self.catalogue.faults}
        assert faults == self.broken

    def _write(self, folder: Path, text: str) -> None:
        folder.mkdir(exist_ok=True)
        (folder / "SKILL.md").write_text(f"---\ndescription: {text!r}\n---\n", encoding="utf-8")


def run(sequences: int, steps: int) -> None:
    settings = hypothesis_settings(max_examples=sequences, stateful_step_count=steps, deadline=None)
    run_state_machine_as_test(Vault, settings=settings)


def test_some_sequences_leave_the_catalogue_as_it_should_be():
    run(sequences=50, steps=8)


@pytest.mark.soak
def test_a_thousand_sequences_leave_the_catalogue_as_it_should_be():
    run(sequences=1000, steps=12)
