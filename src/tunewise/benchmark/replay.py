"""Runs trials in virtual time: a trial takes the seconds that it reports, and none of ours."""

import heapq
import math
from collections import deque
from collections.abc import Callable, Collection
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any

from tunewise.errors import ExecutionError
from tunewise.execution.executor import (
    Allowance,
    TrialExecutor,
    checked_workers,
    failure_of,
    outcome_of,
    overrun,
    timed,
)
from tunewise.execution.running_trial import RunningTrial, reporting
from tunewise.history import Failure, Outcome
from tunewise.problem import Metrics
from tunewise.study.executor import Report, Request


@dataclass(order=True)
class _Run:
    """Ordered by when it ends; of those that end together the lower trial is first."""

    end: float = field(init=False, default=math.inf)
    number: int
    submitted: int
    outcome: Outcome = field(compare=False)
    future: Future[Outcome] = field(compare=False)
    reports: list[tuple[float, Report]] = field(compare=False)
    hears: Callable[[Report], None] = field(compare=False)
    began: float | None = field(compare=False, default=None)

    @property
    def next_report(self) -> float:
        """When it has something to tell, infinite where it has nothing more."""
        if self.began is None or not self.reports:
            return math.inf
        return min(self.began + self.reports[0][0], self.end)


class ReplayExecutor(TrialExecutor):
    """Replays measured trials on a clock that jumps from one end of a trial to the next.

    A job is called when it is submitted; its future resolves when the clock reaches the `time`
    that it reported. What it reports on its way is heard at the `time` of the report, or else when
    the share of the trial's time has passed that its fraction is of the trial's. The clock moves in
    `wait` and in a future's `result`. Everything is deterministic. For use from one thread.
    """

    replays = True

    def __init__(self, workers: int = 1) -> None:
        """The clock starts at 0."""
        self.workers = checked_workers(workers)
        self._now = 0.0
        self._submitted = 0
        self._running: list[_Run] = []
        self._waiting: deque[_Run] = deque()
        self._closed = False

    def start(self, request: Request) -> Future[Outcome]:
        """Look up the outcome now; its future resolves in due time.

        The trial is stopped when its money ends; its cost grows with its time.

        Raises:
            ExecutionError: When there is nothing to replay for this trial.
        """
        if self._closed:
            raise ExecutionError("the executor was shut down and takes no more trials")
        told: list[Report] = []
        whole = _looked_up(request, told)
        outcome = _paid(whole, request.seconds, request.allowance)
        self._submitted += 1
        run = _Run(
            request.trial.number,
            self._submitted,
            outcome,
            _VirtualFuture(self),
            _timetable(request.trial.fraction, whole, outcome, told),
            request.report,
        )
        self._waiting.append(run)
        self._fill()
        return run.future

    def stop(self, future: Future[Outcome], outcome: Failure, *, at_once: bool = False) -> None:
        """End a trial now, with its time and its share of the cost; one that ended stays so."""
        for runs in (self._running, self._waiting):
            for run in [run for run in runs if run.future is future]:
                runs.remove(run)
                heapq.heapify(self._running)
                self._resolve(run, self._stopped(run, outcome))

    def wait(
        self, futures: Collection[Future[Outcome]], timeout: float | None = None
    ) -> set[Future[Outcome]]:
        """Those that are done; when none is, the clock moves to the next end of one of them.

        None of them is done when a trial reports before that: the caller may want to stop it.
        The timeout is how long the caller would wait for real. Virtual time takes none, so only
        with a timeout of 0 the clock stands still.
        """
        asked = set(futures)
        while asked and timeout != 0 and not any(f.done() for f in asked):
            if self._told() or not self.advance():
                break
        return {f for f in asked if f.done()}

    def _told(self) -> bool:
        """Move the clock to the next report, if that comes before the next end of a trial."""
        first = min(self._running, key=lambda run: run.next_report, default=None)
        if first is None or not first.next_report < self._running[0].end:
            return False
        self._now = max(self._now, first.next_report)
        first.hears(first.reports.pop(0)[1])
        return True

    def advance(self) -> bool:
        """Move the clock to the next end of a trial; False when nothing is running."""
        if not self._running:
            return False
        while self._told():
            pass
        run = heapq.heappop(self._running)
        self._now = run.end
        for _, report in run.reports:
            run.hears(report)
        self._resolve(run, run.outcome)
        return True

    def now(self) -> float:
        """Virtual seconds since the executor was made."""
        return self._now

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Take no more trials; with `wait`, let the clock run until those submitted have ended."""
        self._closed = True
        if cancel_futures:
            for run in self._waiting:
                run.future.cancel()
                run.future.set_running_or_notify_cancel()
            self._waiting.clear()
        while wait and self.advance():
            pass

    def _fill(self) -> None:
        while self._waiting and len(self._running) < self.workers:
            run = self._waiting.popleft()
            if run.future.set_running_or_notify_cancel():
                run.began = self._now
                run.end = self._now + run.outcome.metrics["time"]
                heapq.heappush(self._running, run)

    def _resolve(self, run: _Run, outcome: Outcome) -> None:
        self._fill()
        if run.began is not None or run.future.set_running_or_notify_cancel():
            run.future.set_result(outcome)

    def _stopped(self, run: _Run, outcome: Failure) -> Failure:
        seconds = 0.0 if run.began is None else self._now - run.began
        return replace(outcome, metrics={**_spent(run.outcome, seconds), **outcome.metrics})


class _VirtualFuture(Future[Outcome]):
    """A future that moves the clock when somebody waits for it."""

    def __init__(self, executor: ReplayExecutor) -> None:
        super().__init__()
        self._executor = executor

    def result(self, timeout: float | None = None) -> Outcome:
        self._settle()
        return super().result(timeout)

    def exception(self, timeout: float | None = None) -> Any:
        self._settle()
        return super().exception(timeout)

    def _settle(self) -> None:
        while not self.done() and self._executor.advance():
            pass


def _timetable(
    fraction: float, whole: Outcome, outcome: Outcome, told: list[Report]
) -> list[tuple[float, Report]]:
    """When each report is heard, in seconds after the start: in order, and before it is stopped."""
    seconds, table, now = whole.metrics["time"], list[tuple[float, Report]](), 0.0
    for report in told:
        passed = 0.0 if report.fraction is None else report.fraction / fraction
        now = max(now, min(report.metrics.get("time", passed * seconds), seconds))
        table.append((now, report))
    return [entry for entry in table if entry[0] <= outcome.metrics["time"]]


def _looked_up(request: Request, told: list[Report]) -> Outcome:
    trial = request.trial
    try:
        with reporting(told.append):
            outcome = timed(outcome_of(request.job(RunningTrial.of(trial)), 0.0), 0.0)
    except ExecutionError:
        raise  # a table without this trial is no evidence against its config
    except Exception as error:
        outcome = timed(failure_of(error), 0.0)
    if outcome.metrics["time"] < 0:
        raise ExecutionError(
            f"trial {trial.number} reports a time of {outcome.metrics['time']:g} s;"
            " expected 0 or more"
        )
    return outcome


def _paid(outcome: Outcome, limit: float, allowance: Allowance) -> Outcome:
    """The outcome as far as time and money go, whichever ends first."""
    seconds, cost = outcome.metrics["time"], outcome.metrics.get("cost", 0.0)
    too_dear = cost > allowance.usd
    lasts = min(allowance.seconds, seconds * allowance.usd / cost if too_dear else math.inf)
    if lasts > limit or (lasts >= seconds and not too_dear):
        return _limited(outcome, limit)
    spent = _spent(outcome, lasts)
    if "cost" in spent:
        spent["cost"] = min(spent["cost"], allowance.usd)
    return allowance.used_up(spent)


def _limited(outcome: Outcome, limit: float) -> Outcome:
    if outcome.metrics["time"] <= limit:
        return outcome
    return overrun(limit, _spent(outcome, limit))


def _spent(outcome: Outcome, seconds: float) -> Metrics:
    """Time, and the cost in proportion to it."""
    spent = {"time": seconds}
    if "cost" in outcome.metrics:
        whole = outcome.metrics["time"]
        spent["cost"] = outcome.metrics["cost"] * (seconds / whole if whole else 1.0)
    return spent
