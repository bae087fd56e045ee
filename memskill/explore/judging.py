"""The half of a vault's face that looks at labelled tasks: measures, floors, single skills."""

from __future__ import annotations

import functools
from collections.abc import Collection
from dataclasses import replace

from memskill.config import Settings
from memskill.explore.chart import Chart
from memskill.explore.charts import curve_chart, map_chart, orders_chart, reliability_chart
from memskill.explore.columns import Measure
from memskill.explore.labels import TaskSource, as_file, read_source
from memskill.explore.markup import counted
from memskill.explore.quality import (
    Confusion,
    Disagreement,
    Greedy,
    Placed,
    confusions,
    disagreements,
    greedy,
    place_skills,
)
from memskill.explore.shown import Rows, Shown
from memskill.match.cases import Case, run_cases
from memskill.match.evaluate import EvaluationReport
from memskill.match.floortune import FloorFit
from memskill.match.wrong import WrongCase
from memskill.pipeline.deciding import Deciding, open_deciding
from memskill.pipeline.evaluate import Evaluation, evaluate_tasks
from memskill.pipeline.floor import Tuned, set_floor, tune_floor
from memskill.pipeline.matching import Matching
from memskill.pipeline.notefloor import TunedNotes
from memskill.records import Floor, Split, Task
from memskill.sources.identity import text_sha


class Judging:
    """Verbs over labelled tasks. `tasks` is the vault's folder `tasks` where it is left out.

    Each task is matched once a setting and remembered until the vault is ingested again or
    the floor changes.
    """

    def __init__(self, settings: Settings) -> None:
        # Looking around must not look like use.
        self.settings = replace(settings, feedback_log=False)
        self._deciding: dict[tuple[str, str, int], Deciding] = {}

    @functools.cached_property
    def matching(self) -> Matching:
        """The matcher over the promoted skills, as the server has it."""
        return Matching(self.settings)

    def tasks(self, source: TaskSource = None) -> Rows[Task]:
        """Return labelled tasks: of the vault's folder `tasks`, or of a file.

        Raises:
            NotFound: There is none.
            TasksInvalid: A file breaks the schema.
        """
        found = read_source(self.settings, source)
        return Rows(Task, found, counted(len(found), "labelled task"))

    def cases(self, tasks: TaskSource = None, *, reranker: str | None = None) -> list[Case]:
        """Return each task with all that was considered for it, in order.

        Args:
            tasks: Labelled tasks.
            reranker: Another one than the setting's; "none" leaves the shortlist's own order.
        """
        settings = replace(self.settings, reranker=reranker or self.settings.reranker)
        return run_cases(self._open(settings).decide, read_source(self.settings, tasks))

    def evaluate(
        self,
        tasks: TaskSource = None,
        *,
        splits: Collection[Split] = (),
        floor: float | None = None,
        against: str = "",
        limit: int = 3,
        seed: int = 0,
    ) -> Shown[Evaluation]:
        """Return what labelled tasks say of the matcher; see `pipeline.evaluate.evaluate_tasks`."""
        with as_file(self.settings, tasks) as path:
            found = evaluate_tasks(
                self.settings,
                [path],
                splits=splits,
                floor=floor,
                against=against,
                limit=limit,
                seed=seed,
                opener=self._open,
            )
        return Shown(found)

    def tune(
        self,
        tasks: TaskSource = None,
        *,
        target: str = "false_fire<=0.05",
        seed: int = 0,
        share: float = 0.5,
        fit_on: Collection[Split] = (),
        report_on: Collection[Split] = (),
        dry_run: bool = False,
    ) -> Shown[Tuned]:
        """Return a floor fitted on one part of the tasks and reported on the other.

        It is put in force unless `dry_run`; see `pipeline.floor.tune_floor`.
        """
        with as_file(self.settings, tasks) as path:
            tuned = tune_floor(
                self.settings,
                [path],
                target,
                seed=seed,
                share=share,
                fit_on=fit_on,
                report_on=report_on,
                dry_run=dry_run,
                opener=self._open,
            )
        if tuned.written:
            self._deciding.clear()
        return Shown(tuned)

    def set_floor(self, value: float) -> Shown[Floor]:
        """Put a floor in force for the models in use and return it."""
        self._deciding.clear()
        return Shown(set_floor(self.settings, value))

    def measures(self, report: Shown[Evaluation]) -> Rows[Measure]:
        """Return the measures of an evaluation as rows."""
        found = [Measure(name=n, estimate=e) for n, e in report.record.report.measures.items()]
        return Rows(Measure, found, f"{len(found)} measures on {report.record.report.tasks} tasks")

    def wrong(
        self, report: Shown[Evaluation] | Shown[Tuned] | Shown[TunedNotes]
    ) -> Rows[WrongCase]:
        """Return the wrongly decided tasks of an evaluation or, of a fit, of its held-out part."""
        cases = _inner(report).wrong
        return Rows(WrongCase, cases, f"{counted(len(cases), 'task')} decided wrongly")

    def curve(self, report: Shown[Evaluation] | Shown[Tuned] | Shown[TunedNotes]) -> Chart:
        """Return what every possible floor would do, as a chart, with the floor drawn in."""
        found = _inner(report)
        if isinstance(found, FloorFit):
            return curve_chart(found.curve, found.floor.value)
        return curve_chart(found.abstention, found.floor)

    def reliability(self, report: Shown[Evaluation]) -> Chart:
        """Return how often answers of each score are right, as a chart."""
        return reliability_chart(report.record.report.reliability)

    def disagreements(self, tasks: TaskSource = None) -> Rows[Disagreement]:
        """Return the tasks whose best skill changes when the shortlist is reranked."""
        found = disagreements(self.cases(tasks, reranker="none"), self.cases(tasks))
        right = sum(one.right == "rerank" for one in found)
        worse = sum(one.right == "shortlist" for one in found)
        return Rows(
            Disagreement,
            found,
            f"the first skill changes for {counted(len(found), 'task')}: {right} mended, "
            f"{worse} spoiled",
        )

    def orders(self, tasks: TaskSource = None) -> Chart:
        """Return the places of the right skills before and after reranking, as a chart."""
        return orders_chart(self.cases(tasks, reranker="none"), self.cases(tasks))

    def confusions(self, tasks: TaskSource = None) -> Rows[Confusion]:
        """Return the pairs of a right skill and its nearest wrong one, nearest first."""
        found = confusions(self.cases(tasks))
        beaten = sum(one.beaten for one in found)
        return Rows(
            Confusion,
            found,
            f"{counted(len(found), 'pair')}; the wrong one is ahead in {counted(beaten, 'task')}",
        )

    def greedy(self, tasks: TaskSource = None) -> Rows[Greedy]:
        """Return how each skill behaves on tasks that it is not right for, worst first."""
        names = sorted(self.matching.catalogue.current().names)
        found = greedy(self.cases(tasks), names)
        fires = sum(one.fires for one in found)
        return Rows(
            Greedy,
            found,
            f"{counted(len(found), 'skill')}; first on {counted(fires, 'task')} that nothing fits",
        )

    def places(self) -> Rows[Placed]:
        """Return the promoted skills on a plane, and each one's nearest neighbour."""
        snapshot = self.matching.catalogue.current()
        shas = {s.name: text_sha(snapshot.positive[path]) for path, s in snapshot.skills.items()}
        store = snapshot.store.cursor()
        try:
            known = store.vectors(shas.values(), self.matching.matcher.encoder.fingerprint)
        finally:
            store.close()
        found = place_skills({name: known[sha] for name, sha in shas.items()})
        return Rows(Placed, found, counted(len(found), "promoted skill"))

    def map(self) -> Chart:
        """Return the promoted skills as a map: near means alike in meaning."""
        return map_chart(self.places().records)

    def _open(self, settings: Settings) -> Deciding:
        """Return the matcher of these settings, which remembers what it decided."""
        key = (settings.encoder, settings.reranker, settings.shortlist_size)
        if key not in self._deciding:
            opened = open_deciding(settings)
            self._deciding[key] = replace(opened, decide=functools.cache(opened.decide))
        return self._deciding[key]


def _inner(
    report: Shown[Evaluation] | Shown[Tuned] | Shown[TunedNotes],
) -> EvaluationReport | FloorFit:
    record = report.record
    return record.report if isinstance(record, Evaluation) else record.fit
