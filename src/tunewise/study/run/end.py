"""Why a run ends: its budget, its rules, jobs of which none works, or its strategy."""

from typing import TYPE_CHECKING

from tunewise.history import Failure, History
from tunewise.study.executor import TrialExecutor
from tunewise.study.run import stopping
from tunewise.study.run.progress import ProgressLine
from tunewise.study.run.settings import Settings
from tunewise.study.run.threads import one_thread

if TYPE_CHECKING:
    from tunewise.study.study import Study


class End:
    """Looks for a reason to start no more trials."""

    def __init__(
        self, study: "Study", settings: Settings, executor: TrialExecutor, progress: ProgressLine
    ) -> None:
        """The run begins now, on the executor's clock."""
        self._study, self._settings = study, settings
        self._executor, self._progress = executor, progress
        self._nothing_works = stopping.nothing_works(study.history)
        self._began = executor.now()

    @property
    def seconds(self) -> float:
        """How long the run has gone on."""
        return self._executor.now() - self._began

    @property
    def over(self) -> bool:
        """Whether the time of the run is over."""
        timeout = self._settings.timeout
        return timeout is not None and self.seconds >= timeout

    def reason(self, history: History) -> str | None:
        """Why no more trials are started; None while they are."""
        progress = stopping.Progress(
            self._study.problem, history, self.seconds, lambda: self._expected_gain(history)
        )
        met = next((why for rule in self._settings.rules if (why := rule(progress))), None)
        return met or self._never_works(progress) or self._strategy_stops(history)

    def _never_works(self, progress: stopping.Progress) -> str | None:
        """Why the run is left to a person, who is shown what went wrong."""
        why = None if self._executor.replays else self._nothing_works(progress)
        if why is not None:
            last = max(progress.history.failed, key=lambda trial: trial.told_at or 0.0)
            assert isinstance(last.outcome, Failure)
            self._progress.nothing_works(why, last.number, last.outcome.reason)
        return why

    def _strategy_stops(self, history: History) -> str | None:
        with one_thread():
            return self._study.strategy.stops(history)

    def _expected_gain(self, history: History) -> float | None:
        with one_thread():
            return self._study.strategy.expected_gain(history)
