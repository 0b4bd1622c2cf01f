"""The contract of an executor: where trials run."""

import math
from abc import abstractmethod
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tunewise.errors import ExecutionError, MeasurementError
from tunewise.history import BOOKED, Failure, Outcome, TimedOut, Trial, checked_metrics
from tunewise.problem import Metrics
from tunewise.registry import Registry
from tunewise.space import Config

EXECUTORS = Registry("executor", "tunewise.executors", ExecutionError)

Job = Callable[[Any], Any]
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
        spent = "the budget was spent"
        if math.isfinite(self.usd):
            spent = f"the {self.usd:.4g} USD of the budget that this trial might cost were spent"
        return TimedOut(spent, metrics or {})


@dataclass(frozen=True)
class Report:
    """What a trial tells while it runs.

    Attributes:
        metrics: Named finite numbers; `cost` and `time` are what it has spent until now.
        fraction: Of which share of the data this is a snapshot; None where it is none, but only
            news of what was spent.
    """

    metrics: Metrics
    fraction: float | None = None

    def __post_init__(self) -> None:
        """Refuse what can be no snapshot."""
        object.__setattr__(self, "metrics", checked_metrics(self.metrics))
        for name in BOOKED:
            if self.metrics.get(name, 0.0) < 0:
                raise MeasurementError(
                    f"reported {name} {self.metrics[name]:g}; expected what was spent, 0 or more"
                )
        said = self.fraction
        if said is None:
            return
        if isinstance(said, bool) or not isinstance(said, int | float) or not 0 < said <= 1:
            raise MeasurementError(
                f"reported at fraction {said!r}; expected a number above 0 and at most 1"
            )
        object.__setattr__(self, "fraction", float(said))


@dataclass(frozen=True)
class Request:
    """A trial to run, with all that an executor has to know of it.

    Attributes:
        job: What to run.
        trial: On which trial.
        limit: Seconds that it may run; None where there is no limit.
        latest: Where given, the limit counts seconds of work: those in which other programs keep
            the processors from it do not count where an executor can tell, and it ends after so
            many by the clock in any case.
        folder: Where this machine keeps its log and result, if it keeps them.
        allowance: What it may spend: all of it has ended when that is used up.
        report: Hears what the trial tells while it runs, from any thread.
        checkpoints: A folder for what the job wants to go on from, should it run again; whatever
            ends this attempt leaves it alone.
    """

    job: Job
    trial: Trial
    limit: float | None = None
    folder: Path | None = None
    allowance: Allowance = Allowance()
    report: Callable[[Report], None] = field(default=lambda report: None, compare=False)
    checkpoints: Path | None = None
    latest: float | None = None

    def __post_init__(self) -> None:
        """Refuse what cannot be run."""
        if not callable(self.job):
            raise ExecutionError(f"the job is {self.job!r}; expected a function that takes a trial")
        object.__setattr__(self, "limit", checked_limit(self.limit))
        if self.folder is not None:
            object.__setattr__(self, "folder", Path(self.folder))

    @property
    def seconds(self) -> float:
        """Seconds that it may run; infinite where there is no limit."""
        return math.inf if self.limit is None else self.limit


class TrialExecutor(Executor):
    """Runs jobs on trials. A future resolves to an outcome and never raises for what a job does.

    `time` is added to the metrics where the job reported none.
    """

    shortest: float = 0.0
    """Seconds of a trial that must be paid for to begin it, so that it can be ended in time."""

    getting_ready: float = 0.0
    """Seconds that pass before a job gets to its training: no trial is pruned for them."""

    replays: bool = False
    """Whether what trials cost is known before they run, and their allowance kept to the cent."""

    warnings: tuple[str, ...] = ()
    """What a person must know when the run has ended, such as that machines were left running."""

    @abstractmethod
    def start(self, request: Request) -> Future[Outcome]:
        """Run a trial as soon as there is room for it.

        It fails when it reaches its limit, and has ended when its money has: an executor that
        takes a while to end a trial begins to end it in time.
        """

    def submit(self, job: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The same, with what a `Request` is made of: `submit(job, trial, limit=60)`."""
        return self.start(Request(job, *args, **kwargs))

    @abstractmethod
    def stop(self, future: Future[Outcome], outcome: Failure, *, at_once: bool = False) -> None:
        """End a running trial: its future resolves to the outcome with the time spent added.

        It may have a while to end by itself, unless it has to be gone at once.
        """

    @abstractmethod
    def wait(
        self, futures: Collection[Future[Outcome]], timeout: float | None = None
    ) -> set[Future[Outcome]]:
        """Those that are done, once there is at least one or the time is over."""

    @abstractmethod
    def now(self) -> float:
        """Seconds on this executor's clock."""

    def refuse(self, job: Job, configs: Sequence[Config]) -> None:  # noqa: B027 - most run anything
        """Refuse what no trial could run with, before anything is started.

        Args:
            job: What is to be run.
            configs: Some that trials may have.

        Raises:
            ExecutionError: In the sentence that the first trial would be refused with.
        """

    def missing(self) -> str | None:
        """What this machine lacks to run any trial, as a sentence; None where nothing is."""
        return None

    def prepare(self, job: Job) -> None:  # noqa: B027 - most executors have nothing to prepare
        """Hear of a job before its first trial, and before the study starts a thread."""

    def recover(self, request: Request) -> Outcome | None:
        """The outcome of an earlier run of this very attempt that ended but was never told.

        Only the executor knows where to look: in the folder, or on the machine that ran it.
        """
        return None


def checked_limit(limit: float | None, name: str = "limit") -> float:
    """Seconds that a trial may run, or an option of this name; infinite where there is no limit."""
    if limit is None:
        return math.inf
    if isinstance(limit, bool) or not isinstance(limit, int | float) or not limit >= 0:
        raise ExecutionError(f"{name} is {limit!r}; expected seconds, 0 or above, or None")
    return float(limit)
