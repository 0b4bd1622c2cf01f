"""Runs a study's trials on an executor until a stop rule is met."""

import math
import shutil
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from queue import SimpleQueue
from typing import TYPE_CHECKING

from tunewise.errors import (
    ExecutionError,
    MeasurementError,
    NothingToSuggest,
    StrategyError,
    StudyError,
    TunewiseError,
)
from tunewise.history import (
    HOPELESS,
    Cancelled,
    Failure,
    Flaky,
    History,
    Outcome,
    Preempted,
    TimedOut,
    Trial,
)
from tunewise.problem import quantity
from tunewise.strategy.strategy import Recommendation
from tunewise.study import stopping
from tunewise.study.booking import booked_at_least
from tunewise.study.budget_ledger import BudgetLedger
from tunewise.study.control import EndRequests
from tunewise.study.executor import EXECUTORS, Allowance, Job, Report, Request, TrialExecutor
from tunewise.study.interrupts import uninterrupted
from tunewise.study.progress import ProgressLine
from tunewise.study.record import Notes
from tunewise.study.threads import one_thread

if TYPE_CHECKING:
    from tunewise.study.study import Callback, Study

_TICK = 0.25
"""Seconds between looks at stop requests and the clock while trials run."""

_LOOK = 1.0
"""Seconds between looks whether a person has asked the run to end."""

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
    retries: int = 0
    stop_hopeless: bool = True

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
        retries: int = 0,
        stop_hopeless: bool = True,
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
            retries=_positive("retries", retries, least=0),
            stop_hopeless=stop_hopeless,
        )


@dataclass(frozen=True)
class _Pause:
    """Why there is no trial to begin, at a certain state of the study.

    Attributes:
        reason: What ends the run, unless something changes.
        seen: How many trials had ended or been told by then.
        final: Whether only our own trials can change it.
    """

    reason: str
    seen: int
    final: bool


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
        self._ledger = BudgetLedger(
            study,
            settings.parallel,
            2 * _TICK,
            self._executor.shortest,
            metered=self._executor.replays,
        )
        self._unpaid: Trial | None = None
        self._pause: _Pause | None = None
        self._tells = 0
        self._reports: SimpleQueue[tuple[Trial, Report]] = SimpleQueue()
        self._end_requests = EndRequests(study.store, study.name) if study.durable else None
        self._next_look, self._asks = 0.0, False
        self._nothing_works = stopping.nothing_works(study.history)
        self._preemptions: Counter[int] = Counter()
        self._progress = (
            progress
            if isinstance(progress, ProgressLine)
            else ProgressLine(study, settings.trials, progress, settings.timeout)
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
            self._hear_end_requests()
            self._fill(folder)
            if not self._running and not self._waits_for_others():
                self._put_back()
                return
            done = self._executor.wait(list(self._running), timeout=_TICK)
            self._keep_reports()
            for future in sorted(done, key=lambda f: self._running[f].trial.number):
                run = self._running[future]
                ran = self._executor.now() - run.began
                with uninterrupted():
                    told = self._told(run.trial, run.explained(future.result()), ran)
                    del self._running[future]
                if told is not None:
                    self._announce(told)
            self._stop_requested()
            self._stop_lost()
            self._stop_overdue()
            self._stop_when_money_ends()
            self._progress.update(len(self._running))

    def _fill(self, folder: Path) -> None:
        """Start trials while there is room and money, and no rule is met."""
        while len(self._running) < self.settings.parallel:
            history = self.study.history
            if self._pause is not None and self._pause.seen == self._seen(history):
                return
            self._pause, self._asks = None, True
            self._hear_end_requests()
            self.study.stopped = self.study.stopped or self._reason_to_stop(history)
            if self.study.stopped or self._ledger.waits(history):
                return
            trial = self._unpaid or self._asked(history, folder)
            if trial is None or not self._begun(trial, folder / str(trial.number)):
                return
            self._progress.update(len(self._running))

    def _asked(self, history: History, folder: Path) -> Trial | None:
        """The next trial; None, and the reason noted, when there is none now."""

        def recover(trial: Trial) -> Outcome | None:
            return self._executor.recover(
                Request(self.job, trial, None, folder / str(trial.number))
            )

        try:
            trial = self.study.next_trial(self.settings.trials, self._ledger.too_dear, recover)
        except NothingToSuggest as error:
            # What still runs may change that, here or in another process.
            self._pause = _Pause(str(error), self._seen(history), final=False)
            return None
        except StudyError as error:
            self.study.stopped = str(error)
            return None
        if trial is None:
            reason = f"all {self.settings.trials} trials were run"
            self._pause = _Pause(reason, self._seen(history), final=True)
        return trial

    def _seen(self, history: History) -> int:
        return self._tells + sum(not trial.state.pending for trial in history)

    def _waits_for_others(self) -> bool:
        """Whether the run goes on, with nothing of its own, for what another process may tell."""
        pause = self._pause
        if pause is None or self.study.stopped is not None:
            return False
        others = [trial.number for trial in self._ledger.elsewhere(self.study.history)]
        if others and not pause.final:
            time.sleep(_TICK)
            return True
        running = f", but for trial {others[0]}, which another process still runs" if others else ""
        self.study.stopped = f"{pause.reason}{running}"
        return False

    def _hear_end_requests(self) -> None:
        """End the run when a person asks for it from outside; no need to look at every tick."""
        now = time.monotonic()
        if self._end_requests is None or (now < self._next_look and not self._asks):
            return
        self._next_look, self._asks = now + _LOOK, False
        if self._end_requests.made():
            self.study.stopped = "stopped by a person"

    def _keep_reports(self) -> None:
        """Keep what running trials have told since the last look, the last word at a fraction."""
        found: dict[tuple[int, float | None], tuple[Trial, Report]] = {}
        while not self._reports.empty():
            trial, report = self._reports.get()
            found[trial.number, report.fraction] = trial, report
        for trial, report in found.values():
            run = next((r for r in self._running.values() if r.trial.number == trial.number), None)
            if run is not None and "cost" in report.metrics:
                ran = self._executor.now() - run.began
                self._ledger.reported(trial, ran, report.metrics["cost"])
            if report.fraction is not None and report.fraction < trial.fraction:
                try:
                    self.study.report(trial, report.metrics, report.fraction)
                except TunewiseError as error:
                    self._progress.note(f"a report of trial {trial.number} was not kept: {error}")

    def _begun(self, trial: Trial, folder: Path) -> bool:
        """Start the trial; False when there is no money for it, now or at all."""
        waited = trial is self._unpaid
        again = self.study.given_again and not waited
        if not trial.state.pending:
            # An earlier worker had finished it, and was killed before it could tell.
            self._announce(trial)
            return True
        allowance = self._ledger.reserve(trial)
        self._unpaid = trial if allowance is None else None
        if allowance is not None:
            self._start(trial, allowance, folder)
        elif not self._running:
            return self._given_up(trial, waited or again)
        return allowance is not None

    def _given_up(self, trial: Trial, another: bool) -> bool:
        """Cancel a trial in whose place another may be paid for; False when the study ends."""
        if not (another and self._ledger.too_dear(trial)):
            self.study.stopped = self._ledger.cannot_pay(trial)
            return False
        # Nothing runs and nothing waits: the next new one is asked for with this very money.
        self._unpaid = None
        reason = "not affordable: less money is left than it costs at least"
        if (told := self._told(trial, Cancelled(reason), 0.0)) is not None:
            self._announce(told)
        return True

    def _put_back(self) -> None:
        """Leave the trial that was not paid for to whoever has the money."""
        if self._unpaid is not None:
            self._ledger.give_back(self._unpaid)
            self.study.tell(self._unpaid, Preempted("there was no money to begin it"))
            self._unpaid = None

    def _reason_to_stop(self, history: History) -> str | None:
        if spent := self._ledger.spent(history):
            return spent
        progress = stopping.Progress(
            self.study.problem,
            history,
            self._executor.now() - self._began,
            lambda: self._expected_gain(history),
        )
        met = next((why for rule in self.settings.rules if (why := rule(progress))), None)
        return met or self._hopeless(progress) or self._strategy_stops(history)

    def _hopeless(self, progress: stopping.Progress) -> str | None:
        """Why the run is left to a person, who is shown what went wrong."""
        why = None if self._executor.replays else self._nothing_works(progress)
        if why is not None:
            last = max(progress.history.failed, key=lambda trial: trial.told_at or 0.0)
            assert isinstance(last.outcome, Failure)
            self._progress.nothing_works(why, last.number, last.outcome.reason)
        return why

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
        money = (allowance.seconds, allowance.used_up().reason)
        first = min([*limits, money], key=lambda each: each[0])
        request = Request(
            self.job,
            trial,
            limit,
            folder,
            allowance,
            report=lambda said: self._reports.put((trial, said)),
        )
        with uninterrupted():  # or a job might run that nobody waits for, and nobody ends
            future = self._executor.start(request)
            self._running[future] = _Running(trial, *first, self._executor.now())
            self.study.begin(trial)

    def _limits(self, trial: Trial) -> list[tuple[float, str | None]]:
        """Seconds that the trial may run, each with why it is stopped then, if not for time."""
        limits: list[tuple[float, str | None]] = []
        if self.settings.trial_timeout is not None:
            limits.append((self.settings.trial_timeout, None))
        if not self.settings.stop_hopeless:
            return limits
        with one_thread():
            patience = self.study.strategy.time_limit(self.study.history, trial)
        if patience is not None and not patience >= 0:
            raise StrategyError(f"time_limit gave {patience!r}; expected seconds, or None")
        if patience is not None and math.isfinite(patience):
            # A strategy knows what jobs tell of their time, which may leave out their beginning.
            patience += self._executor.getting_ready
            limits.append((patience, f"{HOPELESS}: stopped after {patience:g} s"))
        return limits

    def _told(self, trial: Trial, outcome: Outcome, seconds: float) -> Trial | None:
        """Keep the outcome of a trial that ran for so many seconds; None where it came late."""
        billed = self._ledger.billed(trial, outcome)
        self._ledger.give_back(trial)
        self._tells += 1
        try:
            return self.study.tell(trial, self._judged(trial, billed))
        except MeasurementError as error:
            refused = booked_at_least(billed, error, seconds)
            return self.study.tell(trial, self._judged(trial, refused))
        except StudyError as error:
            # Another worker was given this trial after our lease ended, and told it first.
            self._progress.note(str(error))
            return None

    def _announce(self, told: Trial) -> None:
        for callback in self.settings.callbacks:
            callback(self.study, told)
        self._progress.told(told)

    def _judged(self, trial: Trial, outcome: Outcome) -> Outcome:
        """A failure counts when it has repeated often enough; a preemption does in the end."""
        if type(outcome) is Failure and trial.retried < self.settings.retries:
            again = f"trial {trial.number} failed and runs again: {outcome.reason.splitlines()[0]}"
            self._progress.note(again)
            return Flaky(outcome.reason, outcome.metrics)
        return self._unless_hopeless(trial, outcome)

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

    def _stop_lost(self) -> None:
        """End our attempts at trials that were given to another worker while we were silent."""
        for future, run in self._running.items():
            if run.trial.number in self.study.lost_leases:
                self._executor.stop(future, Preempted("another worker was given the trial"))

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
        if self._ledger.overdrawn((run.trial, now - run.began) for run in self._running.values()):
            for future in self._running:
                self._executor.stop(future, Allowance().used_up(), at_once=True)

    def _abandon(self, error: BaseException) -> None:
        """Stop what runs, and book what it cost: it runs again when the study goes on."""
        self.study.stopped = f"interrupted ({type(error).__name__})"
        for future in self._running:
            self._executor.stop(future, Preempted("the run was interrupted"))
        while self._running:
            for future in self._executor.wait(list(self._running), timeout=None):
                run = self._running[future]
                with uninterrupted():
                    self._kept(run.trial, future.result(), self._executor.now() - run.began)
                    del self._running[future]
        self._put_back()
        if (trial := self.study.unbegun) is not None:
            self._kept(trial, Preempted("the run was interrupted before it began"), 0.0)

    def _kept(self, trial: Trial, outcome: Outcome, seconds: float) -> None:
        """Book an attempt of a run that ends, unless the store is what ends it."""
        with suppress(TunewiseError):
            self._told(trial, outcome, seconds)


def _refuse_endless(study: "Study", settings: Settings) -> None:
    limited = len(settings.rules) > 1 or settings.trials is not None
    if not (limited or study.problem.budget is not None or study.problem.space.finite):
        raise StudyError("this run would never end: give trials=, timeout=, target= or a budget")


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


def _positive(name: str, value: int, least: int = 1) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise StudyError(f"{name} is {value!r}; expected a whole number, {least} or above")
    return value
