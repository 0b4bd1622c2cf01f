"""The contract of an executor: where trials run."""

from abc import abstractmethod
from collections.abc import Callable, Collection
from concurrent.futures import Executor, Future
from pathlib import Path
from typing import Any

from tunewise.history import Failure, Outcome, Trial

Job = Callable[[Trial], Any]
"""What a person writes: takes a trial, returns metrics, a Measurement or a Failure."""


class TrialExecutor(Executor):
    """Runs jobs on trials. A future resolves to an outcome and never raises for what a job does.

    `time` is added to the metrics where the job reported none.
    """

    @abstractmethod
    def submit(  # type: ignore[override] # narrower on purpose: a job and its trial
        self, job: Job, trial: Trial, /, *, limit: float | None = None, folder: Path | None = None
    ) -> Future[Outcome]:
        """Start a trial; it fails when it runs for more than `limit` seconds.

        Logs and the result are kept in the folder, where one is given.
        """

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
