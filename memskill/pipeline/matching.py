"""Matching as the CLI and the server do it: one catalogue, one matcher, the floor in force."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from memskill.config import Settings
from memskill.errors import FloorMissing
from memskill.match.catalogue import Catalogue
from memskill.match.floorfile import floor_in_force
from memskill.match.matcher import Answer, Matcher
from memskill.match.policy import shipped_hybrid
from memskill.models.registry import load_encoder, load_reranker, warm
from memskill.pipeline.notes import require_limit, require_text
from memskill.records import Floor, Match, Skill, Skipped

if TYPE_CHECKING:
    from memskill.match.snapshot import Snapshot

log = logging.getLogger(__name__)
MAX_LIMIT = 50
# A skill that is edited again and again while it is being matched is answered as it was.
_TRIES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """The answer to one task, with what it was decided by."""

    matches: list[Match]
    answer: Answer
    floor: Floor


class Matching:
    """Answers tasks from the vault's promoted skills; safe for several threads at once.

    Raises:
        ModelError, ExtraMissing, ConfigError: A model that the settings name cannot load.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        hybrid = shipped_hybrid()
        self.matcher = Matcher(
            encoder=load_encoder(settings),
            reranker=load_reranker(settings),
            hybrid=hybrid,
            shortlist_size=settings.shortlist_size,
        )
        self.catalogue = Catalogue(settings, self.matcher.encoder, hybrid)
        self._floor_lock = threading.Lock()
        self._floor: tuple[object, Floor] | None = None

    def match(
        self, task: str, *, project: str | None = None, limit: int = 3, explain: bool = False
    ) -> MatchResult:
        """Return at most `limit` promoted skills that fit `task`, best first, or none.

        A skill whose file changed under the request is read again first, so that nothing is
        returned that is no longer there.

        Raises:
            UsageError: A blank or over-long task, or a limit outside 1..50.
            FloorMissing: No floor was fitted for the models in use.
        """
        require_text(task, "task", self.settings.max_task_chars)
        require_limit(limit, MAX_LIMIT)
        floor = self.floor()
        snapshot = self.catalogue.current()
        tries = 0
        while True:
            answer = self.matcher.answer(snapshot, task, project, floor, explain=explain)
            matches = answer.matches(limit)
            paths = [f"skills/{match.name}/SKILL.md" for match in matches]
            tries += 1
            if tries == _TRIES or self.catalogue.unchanged(paths):
                return MatchResult(matches=matches, answer=answer, floor=floor)
            snapshot = self.catalogue.refresh()

    def skills(self, project: str | None = None) -> list[Skill]:
        """Return the promoted skills by name; only those a project may see, where one is named."""
        found = self.catalogue.current().skills.values()
        return [s for s in found if project is None or not s.projects or project in s.projects]

    def floor(self) -> Floor:
        """Return the floor in force; a changed floor.toml counts from the next call on.

        Raises:
            FloorMissing: None was fitted for these models; the hint is the command that fits one.
        """
        file = self.settings.state_dir / "floor.toml"
        try:
            stat = file.stat()
            key: object = (stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)
        except OSError:
            key = None
        with self._floor_lock:
            if self._floor is None or self._floor[0] != key:
                fingerprints = (self.matcher.encoder.fingerprint, self.matcher.reranker_fingerprint)
                self._floor = (key, floor_in_force(self.settings, *fingerprints))
            return self._floor[1]

    def ready(self) -> dict[str, object]:
        """Return what `/readyz` says: whether models are warm, a floor is set, skills are read."""
        try:
            floor: float | None = self.floor().value
        except FloorMissing:
            floor = None
        snapshot: Snapshot = self.catalogue.current()
        return {
            "ready": floor is not None,
            "floor": floor,
            "generation": snapshot.generation,
            "skills": len(snapshot.skills),
            "faults": [f"{fault.path}: {fault.reason}" for fault in self.faults()],
        }

    def faults(self) -> list[Skipped]:
        """Return the skill files that cannot be used as they lie now."""
        return self.catalogue.faults

    @contextlib.contextmanager
    def serving(self) -> Generator[None]:
        """Warm the models and watch the vault while the block runs."""
        warm(self.settings)
        self.catalogue.current()
        with self.catalogue.watch():
            yield
