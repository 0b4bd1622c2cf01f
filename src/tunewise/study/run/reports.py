"""What running trials tell: snapshots are kept, costs enter the ledger."""

from collections.abc import Iterable
from queue import SimpleQueue
from typing import TYPE_CHECKING

from tunewise.errors import TunewiseError
from tunewise.history import Trial
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
        for trial, report in found.values():
            if trial.number in began and "cost" in report.metrics:
                ran = now - began[trial.number]
                self._ledger.reported(trial, ran, report.metrics["cost"])
            if report.fraction is not None and report.fraction < trial.fraction:
                kept |= self._keep(trial, report.fraction, report)
        return kept

    def _keep(self, trial: Trial, fraction: float, report: Report) -> set[int]:
        try:
            self._study.report(trial, report.metrics, fraction)
            return {trial.number}
        except TunewiseError as error:
            self._progress.note(f"a report of trial {trial.number} was not kept: {error}")
            return set()
