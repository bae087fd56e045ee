"""Matching as the CLI and the server do it: one catalogue, one matcher, the floor in force."""

from __future__ import annotations

import contextlib
import difflib
import logging
import threading
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from memskill.config import Settings
from memskill.errors import MemskillError, NotFound
from memskill.match.catalogue import Catalogue
from memskill.match.floorfile import floor_in_force
from memskill.match.matcher import Answer, Matcher
from memskill.match.policy import shipped_hybrid
from memskill.models.registry import load_encoder, load_reranker
from memskill.pipeline.feedback import log_asked
from memskill.pipeline.memo import Memo
from memskill.pipeline.notes import require_limit, require_text
from memskill.records import Floor, Match, Skill, Skipped
from memskill.sources.identity import canonical_json, text_sha
from memskill.sources.safety import printable, read_bounded, within
from memskill.sources.skills import parse_skill

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from memskill.match.snapshot import Snapshot

log = logging.getLogger(__name__)
MAX_LIMIT = 50
# A skill that is edited again and again while it is being matched is answered as it was.
_RETRIES = 2
# Answers and vectors of tasks that are kept, each of them 2 kB at most.
_KEPT = 4096


@dataclass(frozen=True, slots=True, kw_only=True)
class MatchResult:
    """The answer to one task, with what it was decided by."""

    matches: list[Match]
    answer: Answer
    floor: Floor
    # What feedback calls this match by; "" where nothing is kept of it.
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """The answer to one task as it is given out."""

    matches: tuple[Match, ...]
    # Stage -> seconds; empty where the answer was known.
    seconds: Mapping[str, float] = field(default_factory=dict[str, float])
    # What feedback calls this match by; "" where nothing is kept of it.
    id: str = ""


class Matching:
    """Answers tasks from the vault's promoted skills; safe for several threads at once.

    Raises:
        ModelError, ExtraMissing, ConfigError: A model that the settings name cannot load.
    """

    def __init__(self, settings: Settings, matcher: Matcher | None = None) -> None:
        self.settings = settings
        self.matcher = matcher or _matcher(settings)
        self.catalogue = Catalogue(settings, self.matcher.encoder, self.matcher.hybrid)
        self._floor_lock = threading.Lock()
        self._floor: tuple[object, Floor] | None = None
        # Answers go with their catalogue and floor; what the encoder made of a task stays.
        self._memo: Memo[tuple[Match, ...]] = Memo(_KEPT)
        self._vectors: Memo[npt.NDArray[np.float32]] = Memo(_KEPT)

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
        self._require([task], limit)
        floor = self.floor()

        def answer_from(snapshot: Snapshot) -> Answer:
            return self.matcher.answer(snapshot, task, project, floor, explain=explain)

        answer = answer_from(self.catalogue.current())
        for _ in range(_RETRIES):
            if self._still_there(answer.matches(limit)):
                break
            answer = answer_from(self.catalogue.refresh())
        given = answer.matches(limit)
        (key,) = self._log([task], project, [given], floor, answer.snapshot)
        return MatchResult(matches=given, answer=answer, floor=floor, id=key)

    def match_all(
        self, tasks: Sequence[str], *, project: str | None = None, limit: int = 3
    ) -> list[Matched]:
        """Return what `match` returns for each task, all from one catalogue and one floor.

        An answer that was given before, from the same catalogue and floor, runs no model.

        Raises:
            UsageError: A blank or over-long task, or a limit outside 1..50.
            FloorMissing: No floor was fitted for the models in use.
        """
        self._require(tasks, limit)
        floor = self.floor()

        def answers_from(snapshot: Snapshot) -> list[Matched]:
            known = (self._known(snapshot, task, project, floor) for task in tasks)
            return [Matched(matches=one.matches[:limit], seconds=one.seconds) for one in known]

        snapshot = self.catalogue.current()
        found = answers_from(snapshot)
        for _ in range(_RETRIES):
            if self._still_there([match for one in found for match in one.matches]):
                break
            snapshot = self.catalogue.refresh()
            found = answers_from(snapshot)
        keys = self._log(tasks, project, [one.matches for one in found], floor, snapshot)
        return [replace(one, id=key) for one, key in zip(found, keys, strict=True)]

    def _log(
        self,
        tasks: Sequence[str],
        project: str | None,
        answers: Sequence[Sequence[Match]],
        floor: Floor,
        snapshot: Snapshot,
    ) -> list[str]:
        """Keep what was asked where that is switched on; return the id of each match, or ""."""
        return log_asked(
            self.settings,
            tasks,
            project,
            answers,
            floor=floor.value,
            snapshot=snapshot.fingerprint,
        )

    def _require(self, tasks: Sequence[str], limit: int) -> None:
        for place, task in enumerate(tasks):
            what = "task" if len(tasks) == 1 else f"task at place {place}"
            require_text(task, what, self.settings.max_task_chars)
        require_limit(limit, MAX_LIMIT)

    def _known(self, snapshot: Snapshot, task: str, project: str | None, floor: Floor) -> Matched:
        """Return everything that reaches the floor, from memory where it was asked before."""
        asked = [snapshot.fingerprint, floor.value, dict(floor.calibration), task, project]
        key = text_sha(canonical_json(asked))
        if (kept := self._memo.get(key)) is not None:
            return Matched(matches=kept)
        started = time.perf_counter()
        vector = self.vector(task)
        seconds = {"encode": time.perf_counter() - started}
        answer = self.matcher.answer(snapshot, task, project, floor, vector=vector)
        matches = tuple(answer.matches(MAX_LIMIT))
        self._memo.put(key, matches)
        return Matched(matches=matches, seconds={**answer.seconds, **seconds})

    def vector(self, text: str) -> npt.NDArray[np.float32]:
        """Return what the encoder makes of a task or question, (384,), unit length."""
        return self._vectors.get_or_make(
            text_sha(text), lambda: self.matcher.encoder.encode([text])[0]
        )

    def _still_there(self, matches: Sequence[Match]) -> bool:
        names = sorted({match.name for match in matches})
        return self.catalogue.unchanged(f"skills/{name}/SKILL.md" for name in names)

    def skills(self, project: str | None = None) -> list[Skill]:
        """Return the promoted skills by name; only those a project may see, where one is named."""
        return self.visible(self.catalogue.current(), project)

    @staticmethod
    def visible(snapshot: Snapshot, project: str | None) -> list[Skill]:
        """Return the skills of a snapshot that a project may see, by name; all for None."""
        found = snapshot.skills.values()
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

    def skill_file(self, name: str) -> bytes:
        """Return the bytes of a promoted skill's SKILL.md.

        The name is looked up, never made into a path.

        Raises:
            NotFound: No promoted skill of this name; the hint is the nearest one.
            SourceError: The file is being written or damaged just now.
            PathRefused: It has become a link out of the vault.
        """
        skills = self.catalogue.current().skills
        path = f"skills/{name}/SKILL.md"
        if path in skills and not self.catalogue.unchanged([path]):
            skills = self.catalogue.refresh().skills
        if path not in skills:
            near = difflib.get_close_matches(name[:200], [s.name for s in skills.values()], n=1)
            raise NotFound(
                f"no promoted skill {printable(name, 80)!r}",
                hint=f"Did you mean {near[0]!r}?" if near else "`mem skill list` lists them.",
            )
        file = within(self.settings.vault, self.settings.vault / path)
        data = read_bounded(file, self.settings.max_file_bytes)
        parse_skill(path, data)
        return data

    def ready(self) -> dict[str, object]:
        """Return what `/readyz` says: whether a floor is in force, and what is being served."""
        fault = ""
        try:
            floor: float | None = self.floor().value
        except MemskillError as error:
            floor, fault = None, error.message
        snapshot = self.catalogue.current()
        return {
            "ready": floor is not None,
            "reason": fault,
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
        """Warm the models, require a floor and watch the vault while the block runs.

        Raises:
            ModelError: A model cannot run.
            FloorMissing: No floor was fitted for the models in use.
        """
        self.floor()
        self.matcher.warm()
        self.catalogue.current()
        with self.catalogue.watch():
            yield


def _matcher(settings: Settings) -> Matcher:
    """Return the matcher of the models that the settings name."""
    return Matcher(
        encoder=load_encoder(settings),
        reranker=load_reranker(settings),
        hybrid=shipped_hybrid(),
        shortlist_size=settings.shortlist_size,
    )
