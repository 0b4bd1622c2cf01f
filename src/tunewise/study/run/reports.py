"""What running trials tell: snapshots are kept, costs enter the ledger."""

from collections.abc import Iterable
from queue import SimpleQueue
from typing import TYPE_CHECKING

from tunewise.errors import TunewiseError
from tunewise.history import Trial
from tunewise.history.bounds import MOST_SNAPSHOTS
from tunewise.problem import Metrics
from tunewise.study.budget_ledger import BudgetLedger
from tunewise.study.executor import Report
from tunewise.study.run.limits import Running
from tunewise.study.run.progress import ProgressLine

if TYPE_CHECKING:
    from tunewise.study.study import Study


class Reports:
    """Hears trials from any thread, and keeps what they told when the run asks for it."""

    def __init__(self, study: "Study", ledger: BudgetLedger, progress: ProgressLine) -> None:
        """Nothing was told yet."""
        self._study, self._ledger, self._progress = study, ledger, progress
        self._told: SimpleQueue[tuple[Trial, Report]] = SimpleQueue()
        self._first: dict[tuple[int, int], float] = {}
        self._many: set[int] = set()

    def hear(self, trial: Trial, report: Report) -> None:
        """Take what a trial tells."""
        self._told.put((trial, report))

    def keep(self, running: Iterable[Running], now: float) -> set[int]:
        """Keep what was told since the last look, the last word at a fraction.

        Returns the numbers of the trials that have a new snapshot.
        """
        kept: set[int] = set()
        found: dict[tuple[int, float | None], tuple[Trial, Report]] = {}
        while not self._told.empty():
            trial, report = self._told.get()
            found[trial.number, report.fraction] = trial, report
        began = {run.trial.number: run.began for run in running}
        snapshots: dict[int, dict[float, Metrics]] = {}
        trials = {trial.number: trial for trial, _ in found.values()}
        for trial, report in found.values():
            if trial.number in began and "cost" in report.metrics:
                ran = now - began[trial.number]
                self._ledger.reported(trial, ran, report.metrics["cost"])
            if report.fraction is not None and self._wanted(trial, report.fraction):
                snapshots.setdefault(trial.number, {})[report.fraction] = report.metrics
        for number, told in snapshots.items():
            kept |= self._keep(trials[number], told)
        return kept

    def _wanted(self, trial: Trial, fraction: float) -> bool:
        """Whether a snapshot is kept: one of each hundredth of the trial, and all asked for."""
        if not 0 < fraction < trial.fraction:
            return False
        if fraction in trial.snapshots or fraction in self._study.problem.fractions:
            return True
        place = trial.number, int(MOST_SNAPSHOTS * fraction / trial.fraction)
        first = self._first.setdefault(place, fraction)
        if first != fraction and trial.number not in self._many:
            self._many.add(trial.number)
            self._progress.note(
                f"trial {trial.number} tells many snapshots: {MOST_SNAPSHOTS} of them are kept"
            )
        return first == fraction

    def _keep(self, trial: Trial, snapshots: dict[float, Metrics]) -> set[int]:
        try:
            self._study.report_all(trial, snapshots)
            return {trial.number}
        except TunewiseError as error:
            if len(snapshots) > 1:  # one of them is wrong
                return {n for s, m in snapshots.items() for n in self._keep(trial, {s: m})}
            self._progress.note(f"a report of trial {trial.number} was not kept: {error}")
            return set()
