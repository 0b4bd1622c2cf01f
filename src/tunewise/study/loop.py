"""Runs a study's trials on an executor until a stop rule is met."""

import math
import shutil
import tempfile
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tunewise.errors import ExecutionError, MeasurementError, StrategyError, StudyError
from tunewise.history import (
    BOOKED,
    Cancelled,
    Failure,
    History,
    Outcome,
    Preempted,
    TimedOut,
    Trial,
)
from tunewise.problem import quantity
from tunewise.registry import Registry
from tunewise.strategy.strategy import Recommendation
from tunewise.study import stopping
from tunewise.study.executor import Allowance, Job, TrialExecutor
from tunewise.study.progress import ProgressLine
from tunewise.study.purse import Purse
from tunewise.study.record import Notes
from tunewise.study.threads import one_thread

if TYPE_CHECKING:
    from tunewise.study.study import Callback, Study

EXECUTORS = Registry("executor", "tunewise.executors", ExecutionError)

_TICK = 0.25
"""Seconds between looks at stop requests and the clock while trials run."""

_PREEMPTIONS = 10
"""How often a trial may be preempted in one run before it counts as failed."""


@dataclass(frozen=True)
class Settings:
    """How a run goes on and when it ends."""

    parallel: int
    timeout: float | None
    trial_timeout: float | None
    rules: tuple[stopping.StopRule, ...]
    callbacks: "tuple[Callback, ...]"
    trials: int | None
    folder: Path | None

    @classmethod
    def of(
        cls,
        *,
        trials: int | None,
        timeout: float | str | None,
        parallel: int,
        target: float | None,
        min_gain: float | str | None,
        min_trials: int | None,
        trial_timeout: float | str | None,
        stop: tuple[stopping.StopRule, ...],
        callbacks: "tuple[Callback, ...]",
        folder: str | Path | None,
    ) -> "Settings":
        """Check the arguments of `Study.optimize` and turn limits into rules."""
        seconds = _seconds("timeout", timeout)
        rules: list[stopping.StopRule] = [stopping.budget_spent]
        if seconds is not None:
            rules.append(stopping.after_seconds(seconds))
        if target is not None:
            rules.append(stopping.target_reached(_number("target", target)))
        least = None if min_trials is None else _positive("min_trials", min_trials)
        if min_gain is not None:
            rules.append(stopping.no_gain(stopping.least_gain(min_gain, least)))
        return cls(
            parallel=_positive("parallel", parallel),
            timeout=seconds,
            trial_timeout=_seconds("trial_timeout", trial_timeout),
            rules=(*rules, *stop),
            callbacks=callbacks,
            trials=None if trials is None else _positive("trials", trials),
            folder=None if folder is None else Path(folder),
        )


@dataclass(frozen=True)
class _Running:
    """A trial that an executor works on, the first of its limits, and when it began."""

    trial: Trial
    limit: float
    reason: str | None
    began: float

    def explained(self, outcome: Outcome) -> Outcome:
        """The outcome, with why the trial was stopped where that was more than a time limit."""
        if self.reason is None or not isinstance(outcome, TimedOut):
            return outcome
        reached = outcome.metrics.get("time", 0.0) >= self.limit
        return replace(outcome, reason=self.reason) if reached else outcome


class Loop:
    """One run of a study: asks, submits, waits, tells."""

    def __init__(
        self,
        study: "Study",
        job: Job,
        settings: Settings,
        executor: TrialExecutor | str | None,
        progress: bool | ProgressLine | None,
    ) -> None:
        """Nothing runs before `run`."""
        if not callable(job):
            raise ExecutionError(f"the job is {job!r}; expected a function that takes a trial")
        _refuse_endless(study, settings)
        self.study, self.job, self.settings = study, job, settings
        self._executor, self._own = _executor(executor, settings.parallel)
        self._running: dict[Future[Outcome], _Running] = {}
        self._purse = Purse(study, settings.parallel, 2 * _TICK, self._executor.shortest)
        self._unpaid: Trial | None = None
        self._preemptions: Counter[int] = Counter()
        self._progress = (
            progress
            if isinstance(progress, ProgressLine)
            else ProgressLine(study, settings.trials, progress)
        )
        self._executor.prepare(job)
        self._began = self._executor.now()

    def run(self) -> Recommendation | None:
        """Work until a rule is met; then say why, and what to deploy."""
        self.study.stopped = None
        with _folder(self.settings.folder) as folder, self._progress:
            try:
                self._work(folder)
            except BaseException as error:
                self._abandon(error)
                raise
            finally:
                if self._own:
                    self._executor.shutdown()
        return self._concluded()

    def _concluded(self) -> Recommendation | None:
        """Note why the run ended and what to deploy, for whoever looks at the study later."""
        history, best = self.study.history, None
        notes, written = Notes(stopped=self.study.stopped), ["stopped"]
        with suppress(StrategyError):
            with one_thread():
                best = self.study.strategy.recommend(history)
            ended = sum(not t.state.pending for t in history)
            notes = replace(notes, recommended=best.describe(), recommended_after=ended)
            written.append("recommended")
        self.study.store.annotate(self.study.name, notes.changed(*written))
        return best

    def _work(self, folder: Path) -> None:
        while True:
            self._fill(folder)
            if not self._running:
                self._put_back()
                return
            done = self._executor.wait(list(self._running), timeout=_TICK)
            for future in sorted(done, key=lambda f: self._running[f].trial.number):
                run = self._running.pop(future)
                self._tell(run.trial, run.explained(future.result()))
            self._stop_requested()
            self._stop_overdue()
            self._stop_when_money_ends()
            self._progress.update(len(self._running))

    def _fill(self, folder: Path) -> None:
        """Start trials while there is room and money, and no rule is met."""
        while len(self._running) < self.settings.parallel:
            history = self.study.history
            self.study.stopped = self.study.stopped or self._reason_to_stop(history)
            if self.study.stopped or self._purse.waits(history):
                return
            trial = self._unpaid or self._asked()
            if trial is None or not self._begun(trial, folder / str(trial.number)):
                return
            self._progress.update(len(self._running))

    def _asked(self) -> Trial | None:
        """The next trial; None, and the reason noted, when there is none."""
        try:
            trial = self.study.next_trial(self.settings.trials, self._purse.too_dear)
        except StudyError as error:
            self.study.stopped = str(error)
            return None
        if trial is None:
            self.study.stopped = f"all {self.settings.trials} trials were run"
        return trial

    def _begun(self, trial: Trial, folder: Path) -> bool:
        """Start the trial; False when there is no money for it, now or at all."""
        # Only an earlier worker of this very trial can have left a result that was not told.
        waited = trial is self._unpaid
        again = self.study.given_again and not waited
        finished = self._executor.recover(trial, folder) if again else None
        if finished is not None:
            self._tell(trial, finished)
            return True
        allowance = self._purse.reserve(trial)
        self._unpaid = trial if allowance is None else None
        if allowance is not None:
            self._start(trial, allowance, folder)
        elif not self._running:
            return self._given_up(trial, waited or again)
        return allowance is not None

    def _given_up(self, trial: Trial, another: bool) -> bool:
        """Cancel a trial in whose place another may be paid for; False when the study ends."""
        if not (another and self._purse.too_dear(trial)):
            self.study.stopped = self._purse.cannot_pay(trial)
            return False
        # Nothing runs and nothing waits: the next new one is asked for with this very money.
        self._unpaid = None
        self._tell(trial, Cancelled("not affordable: less money is left than it costs at least"))
        return True

    def _put_back(self) -> None:
        """Leave the trial that was not paid for to whoever has the money."""
        if self._unpaid is not None:
            self._purse.give_back(self._unpaid)
            self.study.tell(self._unpaid, Preempted("there was no money to begin it"))
            self._unpaid = None

    def _reason_to_stop(self, history: History) -> str | None:
        if spent := self._purse.spent(history):
            return spent
        progress = stopping.Progress(
            self.study.problem,
            history,
            self._executor.now() - self._began,
            lambda: self._expected_gain(history),
        )
        met = next((why for rule in self.settings.rules if (why := rule(progress))), None)
        return met or self._strategy_stops(history)

    def _strategy_stops(self, history: History) -> str | None:
        with one_thread():
            return self.study.strategy.stops(history)

    def _expected_gain(self, history: History) -> float | None:
        with one_thread():
            return self.study.strategy.expected_gain(history)

    def _start(self, trial: Trial, allowance: Allowance, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        limits = self._limits(trial)
        limit = min((seconds for seconds, _ in limits), default=None)
        future = self._executor.submit_within(
            allowance, self.job, trial, limit=limit, folder=folder
        )
        money = (allowance.seconds, allowance.used_up().reason)
        first = min([*limits, money], key=lambda each: each[0])
        self._running[future] = _Running(trial, *first, self._executor.now())

    def _limits(self, trial: Trial) -> list[tuple[float, str | None]]:
        """Seconds that the trial may run, each with why it is stopped then, if not for time."""
        limits: list[tuple[float, str | None]] = []
        if self.settings.trial_timeout is not None:
            limits.append((self.settings.trial_timeout, None))
        with one_thread():
            patience = self.study.strategy.time_limit(self.study.history, trial)
        if patience is not None and not patience >= 0:
            raise StrategyError(f"time_limit gave {patience!r}; expected seconds, or None")
        if patience is not None and math.isfinite(patience):
            limits.append((patience, f"hopeless: stopped after {patience:g} s"))
        return limits

    def _tell(self, trial: Trial, outcome: Outcome) -> None:
        self._purse.give_back(trial)
        try:
            told = self.study.tell(trial, self._unless_hopeless(trial, outcome))
        except MeasurementError as error:
            told = self.study.tell(trial, Failure(str(error), _booked(outcome)))
        except StudyError as error:
            # Another worker was given this trial after our lease ended, and told it first.
            self._progress.note(str(error))
            return
        for callback in self.settings.callbacks:
            callback(self.study, told)
        self._progress.told(told)

    def _unless_hopeless(self, trial: Trial, outcome: Outcome) -> Outcome:
        """A trial whose machine is taken away again and again ends as failed, not as a loop."""
        if not isinstance(outcome, Preempted):
            return outcome
        self._preemptions[trial.number] += 1
        if self._preemptions[trial.number] < _PREEMPTIONS:
            return outcome
        return Failure(f"preempted {_PREEMPTIONS} times: {outcome.reason}", outcome.metrics)

    def _stop_requested(self) -> None:
        for future, run in self._running.items():
            if run.trial.number in self.study.stop_requests:
                self._executor.stop(future, Cancelled("stopped by a person"))

    def _stop_overdue(self) -> None:
        timeout = self.settings.timeout
        if timeout is not None and self._executor.now() - self._began >= timeout:
            for future in self._running:
                self._executor.stop(future, Preempted("the time of the run was over"))

    def _stop_when_money_ends(self) -> None:
        """Stop our trials once what all running ones have cost by now uses the budget up.

        Each trial has money of its own, but that knows this process only.
        """
        now = self._executor.now()
        if self._purse.overdrawn((run.trial, now - run.began) for run in self._running.values()):
            for future in self._running:
                self._executor.stop(future, Allowance().used_up())

    def _abandon(self, error: BaseException) -> None:
        """Stop what runs, and book what it cost: it runs again when the study goes on."""
        self.study.stopped = f"interrupted ({type(error).__name__})"
        for future in self._running:
            self._executor.stop(future, Preempted("the run was interrupted"))
        while self._running:
            for future in self._executor.wait(list(self._running), timeout=None):
                self.study.tell(self._running.pop(future).trial, future.result())
        self._put_back()


def _refuse_endless(study: "Study", settings: Settings) -> None:
    limited = len(settings.rules) > 1 or settings.trials is not None
    if not (limited or study.problem.budget is not None or study.problem.space.finite):
        raise StudyError("this run would never end: give trials=, timeout=, target= or a budget")


def _booked(outcome: Outcome) -> dict[str, float]:
    return {k: v for k, v in outcome.metrics.items() if k in BOOKED and v >= 0}


def _executor(executor: TrialExecutor | str | None, workers: int) -> tuple[TrialExecutor, bool]:
    if isinstance(executor, TrialExecutor):
        return executor, False
    built = EXECUTORS.load(executor or "process")(workers=workers)
    assert isinstance(built, TrialExecutor)
    return built, True


@contextmanager
def _folder(folder: Path | None) -> Iterator[Path]:
    """The folder for logs and results; a passing one when nobody asked to keep them."""
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
        return
    passing = Path(tempfile.mkdtemp(prefix="tunewise-"))
    try:
        yield passing
    finally:
        shutil.rmtree(passing, ignore_errors=True)


def _seconds(name: str, value: float | str | None) -> float | None:
    if value is None:
        return None
    seconds = quantity(value, "time")
    if not seconds > 0 or not math.isfinite(seconds):
        raise StudyError(f"{name} is {value!r}; expected seconds above 0, or such as '10 min'")
    return seconds


def _number(name: str, value: float) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise StudyError(f"{name} is {value!r}; expected a number")
    return float(value)


def _positive(name: str, value: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise StudyError(f"{name} is {value!r}; expected a whole number, 1 or above")
    return value
