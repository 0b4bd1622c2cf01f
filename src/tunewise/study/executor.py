"""The contract of an executor: where trials run."""

import math
from abc import abstractmethod
from collections.abc import Callable, Collection
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tunewise.history import Failure, Outcome, TimedOut, Trial
from tunewise.problem import Metrics

Job = Callable[[Trial], Any]
"""What a person writes: takes a trial, returns metrics, a Measurement or a Failure."""


@dataclass(frozen=True)
class Allowance:
    """What a trial may spend.

    Attributes:
        usd: What it may cost.
        seconds: How long that lasts, where the price is known: by then all of it has ended.
    """

    usd: float = math.inf
    seconds: float = math.inf

    def used_up(self, metrics: Metrics | None = None) -> TimedOut:
        """The outcome of a trial that was stopped when its money ended."""
        left = f": {self.usd:.4g} USD were left for this trial" if math.isfinite(self.usd) else ""
        return TimedOut(f"the budget was spent{left}", metrics or {})


class TrialExecutor(Executor):
    """Runs jobs on trials. A future resolves to an outcome and never raises for what a job does.

    `time` is added to the metrics where the job reported none.
    """

    shortest: float = 0.0
    """Seconds of a trial that must be paid for to begin it, so that it can be ended in time."""

    @abstractmethod
    def submit(  # type: ignore[override] # narrower on purpose: a job and its trial
        self, job: Job, trial: Trial, /, *, limit: float | None = None, folder: Path | None = None
    ) -> Future[Outcome]:
        """Start a trial; it fails when it runs for more than `limit` seconds.

        Logs and the result are kept in the folder, where one is given.
        """

    def submit_within(
        self,
        allowance: Allowance,
        job: Job,
        trial: Trial,
        *,
        limit: float | None = None,
        folder: Path | None = None,
    ) -> Future[Outcome]:
        """Start a trial that must have ended when its money has.

        An executor that takes a while to end a trial, or that knows what it costs, does better
        than this: it begins to end it in time.
        """
        seconds = min(math.inf if limit is None else limit, allowance.seconds)
        return self.submit(
            job, trial, limit=seconds if math.isfinite(seconds) else None, folder=folder
        )

    @abstractmethod
    def stop(self, future: Future[Outcome], outcome: Failure) -> None:
        """End a running trial: its future resolves to the outcome with the time spent added."""

    @abstractmethod
    def wait(
        self, futures: Collection[Future[Outcome]], timeout: float | None = None
    ) -> set[Future[Outcome]]:
        """Those that are done, once there is at least one or the time is over."""

    @abstractmethod
    def now(self) -> float:
        """Seconds on this executor's clock."""

    def prepare(self, job: Job) -> None:  # noqa: B027 - most executors have nothing to prepare
        """Hear of a job before its first trial, and before the study starts a thread."""

    def recover(self, trial: Trial, folder: Path) -> Outcome | None:
        """The result of an earlier run that ended but was never told, if there is one."""
        return None
