"""Runs a study's trials on an executor until a stop rule is met."""

import shutil
import time
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
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
    Cancelled,
    History,
    Outcome,
    Preempted,
    Trial,
    TrialState,
)
from tunewise.strategy.strategy import Recommendation
from tunewise.study.booking import booked_at_least, by_the_clock
from tunewise.study.budget_ledger import BudgetLedger
from tunewise.study.define_by_run.discovery import discovered, grow
from tunewise.study.define_by_run.found import Shown, read
from tunewise.study.executor import EXECUTORS, Allowance, Job, Request, TrialExecutor
from tunewise.study.folders import checkpoints, kept_or_passing
from tunewise.study.record import BegunRun, Notes
from tunewise.study.run.control import EndRequests
from tunewise.study.run.end import End
from tunewise.study.run.interrupts import uninterrupted
from tunewise.study.run.limits import Running, latest, limits_of
from tunewise.study.run.pause import Pause, Seen
from tunewise.study.run.progress import ProgressLine
from tunewise.study.run.reports import Reports
from tunewise.study.run.settings import Settings, refuse_endless
from tunewise.study.run.stops import due, outclassed, overdrawn
from tunewise.study.run.threads import one_thread
from tunewise.study.run.verdicts import Verdicts

if TYPE_CHECKING:
    from tunewise.study.study import Study

_TICK = 0.25
"""Seconds between looks at stop requests and the clock while trials run."""

_LOOK = 1.0
"""Seconds between looks whether a person has asked the run to end."""


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
        refuse_endless(study, settings)
        self.study, self.job, self.settings = study, job, settings
        self._executor, self._own = _executor(executor, settings.parallel)
        self._running: dict[Future[Outcome], Running] = {}
        self._ended_at: dict[Future[Outcome], float] = {}
        self._ledger = BudgetLedger(
            study,
            settings.parallel,
            2 * _TICK,
            self._executor.shortest,
            metered=self._executor.replays,
        )
        self._unpaid: list[Trial] = []
        self._pause: Pause | None = None
        self._tells = 0
        self._end_requests = EndRequests(study.store, study.name) if study.durable else None
        self._next_look, self._asks = 0.0, False
        self._progress = (
            progress
            if isinstance(progress, ProgressLine)
            else ProgressLine(study, settings.trials, progress, settings.timeout)
        )
        self._reports = Reports(study, self._ledger, self._progress)
        self._verdicts = Verdicts(settings.retries, self._progress)
        self._executor.prepare(job)
        self._end = End(study, settings, self._executor, self._progress)

    def run(self) -> Recommendation | None:
        """Work until a rule is met; then say why, and what to deploy."""
        self.study.stopped = None
        self._note_begin()
        with kept_or_passing(self.settings.folder) as folder, self._progress:
            self._verdicts.folder = folder
            try:
                self._work(folder)
            except BaseException as error:
                self._abandon(error)
                raise
            finally:
                if self._own:
                    self._executor.shutdown()
        return self._concluded()

    @property
    def seconds(self) -> float:
        """How long the run has gone on."""
        return self._end.seconds

    def _note_begin(self) -> None:
        """From now on the study is not one whose last run has ended."""
        if self.study.durable:
            notes = Notes(begun=BegunRun(self.study.owner, time.time()))
            self.study.store.annotate(self.study.name, notes.changed("begun", "stopped"))

    def _concluded(self) -> Recommendation | None:
        """Note why the run ended and what to deploy, for whoever looks at the study later."""
        history, best = self.study.history, None
        notes, written = Notes(stopped=self.study.stopped), ["stopped"]
        with suppress(StrategyError):
            with one_thread():
                best = self.study.strategy.recommend(history)
            ended = len(history.ended)
            notes = replace(notes, recommended=best.describe(), recommended_after=ended)
            written.append("recommended")
        self.study.store.annotate(self.study.name, notes.changed(*written))
        return best

    def _end_leftovers(self, folder: Path) -> None:
        """End what still runs of attempts whose study was killed, even if none is begun again."""
        gone = self.study.abandoned()
        for trial in self.study.history.of(TrialState.RUNNING):
            if trial.number in gone:
                self._executor.recover(self._attempt(trial, folder))

    def _attempt(self, trial: Trial, folder: Path) -> Request:
        return Request(self.job, trial, None, folder / str(trial.number))

    def _work(self, folder: Path) -> None:
        self._end_leftovers(folder)
        while True:
            self._hear_end_requests()
            self._fill(folder)
            if not self._running and not self._waits_for_others():
                self._put_back()
                return
            done = self._executor.wait(list(self._running), timeout=_TICK)
            told_of = self._reports.keep(self._running.values(), self._executor.now())
            self._stop_outclassed(told_of, done)
            for future in sorted(done, key=lambda f: self._running[f].trial.number):
                run = self._running[future]
                with uninterrupted():
                    outcome = run.explained(future.result())
                    told = self._told(run.trial, outcome, self._ran(future))
                    del self._running[future]
                if told is not None:
                    if told.measurement is not None:  # there is nothing left to go on from
                        shutil.rmtree(checkpoints(folder, told), ignore_errors=True)
                    self._announce(told)
            self._stop_what_is_due()
            self._progress.update(len(self._running))

    def _ran(self, future: Future[Outcome]) -> float:
        """Seconds that a trial ran by our clock, not counting those until we found time for it."""
        run = self._running[future]
        ended = self._ended_at.pop(future, self._executor.now())
        return min(ended - run.began, run.paid)

    def _fill(self, folder: Path) -> None:
        """Start trials while there is room and money, and no rule is met."""
        while len(self._running) < self.settings.parallel:
            history = self.study.history
            if self._pause is not None and self._pause.seen == self._seen(history):
                return
            self._pause, self._asks = None, True
            self._hear_end_requests()
            self.study.stopped = (
                self.study.stopped or self._ledger.spent(history) or self._end.reason(history)
            )
            if self.study.stopped or self._ledger.waits(history):
                return
            trial = self._waiting() or self._asked(history, folder)
            if trial is None or not self._begun(trial, folder / str(trial.number)):
                return
            self._progress.update(len(self._running))

    def _waiting(self) -> Trial | None:
        """A trial that waits for money; what a dead worker holds money for is taken up first."""
        if not self._unpaid or self.study.abandoned():
            return None
        return self._unpaid[0]

    def _asked(self, history: History, folder: Path) -> Trial | None:
        """The next trial; None, and the reason noted, when there is none now."""

        def recover(trial: Trial) -> Outcome | None:
            return self._executor.recover(self._attempt(trial, folder))

        try:
            trial = self.study.next_trial(
                self.settings.trials,
                self._ledger.too_dear,
                recover,
                self._ledger.allocation(history),
                full_last=not self._executor.replays,  # a replay shows what was published
            )
        except NothingToSuggest as error:
            # What still runs may change that, here or in another process.
            self._pause = Pause(str(error), self._seen(history), final=False)
            return None
        except StudyError as error:
            self.study.stopped = str(error)
            return None
        if trial is None:
            none = "" if history.complete else ", and none was completed"
            wanted = self.settings.trials
            run = "the one trial was run" if wanted == 1 else f"all {wanted} trials were run"
            reason = f"{run}{none}"
            self._pause = Pause(reason, self._seen(history), final=True)
        return trial

    def _seen(self, history: History) -> Seen:
        ended = len(history.ended)
        theirs = frozenset(self._ledger.held_elsewhere(history).items())
        return self._tells + ended, frozenset(self.study.abandoned()), theirs

    def _waits_for_others(self) -> bool:
        """Whether the run goes on, with nothing of its own, for what another process may tell."""
        pause = self._pause
        if pause is None or self.study.stopped is not None:
            return False
        history = self.study.history
        if pause.for_money and not self._ledger.others_hold(history):
            self._pause = None  # it came back in the moment before we looked
            return True
        others = [trial.number for trial in self._ledger.elsewhere(history)]
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

    def _begun(self, trial: Trial, folder: Path) -> bool:
        """Start the trial; False when there is no money for it, now or at all."""
        waited = trial in self._unpaid
        again = self.study.given_again and not waited
        if not trial.state.pending:
            # An earlier worker had finished it, and was killed before it could tell.
            if shown := self._shown(trial):
                grow(self.study, trial, shown)
            self._announce(trial)
            return True
        allowance = self._ledger.reserve(trial) if waited else self._ledger.accept(trial)
        if waited:
            self._unpaid.remove(trial)
        if allowance is not None:
            self._start(trial, allowance, folder)
            return True
        self._unpaid.insert(0, trial)
        return not self._running and self._cannot_begin(trial, waited or again)

    def _cannot_begin(self, trial: Trial, another: bool) -> bool:
        """Cancel a trial in whose place another may be paid for; False when the study ends."""
        history = self.study.history
        if self.study.abandoned():
            return True  # what a dead worker holds comes back with its trial, which is next
        if self._ledger.others_hold(history):
            why = self._ledger.cannot_pay(trial)
            self._pause = Pause(why, self._seen(history), final=False, for_money=True)
            return False
        if not (another and self._ledger.too_dear(trial)):
            self.study.stopped = self._ledger.cannot_pay(trial)
            return False
        # Nothing runs: the next new one is asked for with this very money.
        self._unpaid.remove(trial)
        reason = "not affordable: less money is left than it costs at least"
        if (told := self._told(trial, Cancelled(reason), 0.0)) is not None:
            self._announce(told)
        return True

    def _put_back(self) -> None:
        """Leave the trial that was not paid for to whoever has the money."""
        for trial in self._unpaid:
            self._ledger.give_back(trial)
            self.study.tell(trial, Preempted("there was no money to begin it"))
        self._unpaid = []

    def _start(self, trial: Trial, allowance: Allowance, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        limits = limits_of(self.study, self.settings, self._executor, trial)
        limit = min((seconds for seconds, _ in limits), default=None)
        money = (allowance.seconds, allowance.used_up().reason)
        first = min([*limits, money], key=lambda each: each[0])
        request = Request(
            self.job,
            trial,
            limit,
            folder,
            allowance,
            report=lambda said: self._reports.hear(trial, said),
            checkpoints=checkpoints(folder.parent, trial),
            latest=latest(limits),
        )
        with uninterrupted():  # or a job might run that nobody waits for, and nobody ends
            future = self._executor.start(request)
            now = self._executor.now()
            self._running[future] = Running(trial, *first, now, allowance.seconds)
            self.study.begin(trial)
        future.add_done_callback(self._note_end)

    def _note_end(self, future: Future[Outcome]) -> None:
        self._ended_at[future] = self._executor.now()

    def _told(self, trial: Trial, outcome: Outcome, seconds: float) -> Trial | None:
        """Keep the outcome of a trial that ran for so many seconds; None where it came late."""
        outcome = self._verdicts.paid_once(self.study.history, trial, outcome)
        if not self._executor.replays:
            outcome = by_the_clock(self.study.problem, outcome, seconds, trial.config)
        billed = self._ledger.billed(trial, outcome)
        self._ledger.give_back(trial)
        self._verdicts.warn_of_uncounted(trial, self.study.problem, billed)
        self._tells += 1
        try:
            return self._tell(trial, self._verdicts.judged(trial, billed))
        except MeasurementError as error:
            refused = booked_at_least(billed, error, seconds)
            return self._tell(trial, self._verdicts.judged(trial, refused))
        except StudyError as error:
            # Another worker was given this trial after our lease ended, and told it first.
            self._progress.note(str(error))
            return None

    def _tell(self, trial: Trial, outcome: Outcome) -> Trial:
        """Tell the study; a trial that has shown more of the space becomes one of that."""
        shown = Shown() if isinstance(outcome, Preempted) else self._shown(trial)
        if shown:
            return discovered(self.study, trial, shown, outcome)
        return self.study.tell(trial, outcome)

    def _shown(self, trial: Trial) -> Shown:
        folder = self._verdicts.folder
        looks = self.study.problem.discovers and folder is not None
        return read(folder / str(trial.number)) if looks and folder is not None else Shown()

    def _announce(self, told: Trial) -> None:
        for callback in self.settings.callbacks:
            callback(self.study, told)
        self._progress.told(told)

    def _stop_outclassed(self, numbers: set[int], done: set[Future[Outcome]]) -> None:
        """Stop trials that cannot become the answer any more, as they have just reported."""
        if self.settings.prune:
            going_on = {f: run for f, run in self._running.items() if f not in done}
            for future, outcome in outclassed(self.study, going_on, numbers):
                self._executor.stop(future, outcome)

    def _stop_what_is_due(self) -> None:
        for future, outcome in due(self.study, self._running, self._end.over):
            self._executor.stop(future, outcome)
        for future, outcome in overdrawn(self._ledger, self._running, self._executor.now()):
            self._executor.stop(future, outcome, at_once=True)

    def _abandon(self, error: BaseException) -> None:
        """Stop what runs, and book what it cost: it runs again when the study goes on."""
        self.study.stopped = f"interrupted ({type(error).__name__})"
        for future in self._running:
            self._executor.stop(future, Preempted("the run was interrupted"))
        while self._running:
            for future in self._executor.wait(list(self._running), timeout=None):
                run = self._running[future]
                with uninterrupted():
                    self._kept(run.trial, future.result(), self._ran(future))
                    del self._running[future]
        self._put_back()
        if (trial := self.study.unbegun) is not None:
            self._kept(trial, Preempted("the run was interrupted before it began"), 0.0)
        with suppress(TunewiseError):
            notes = Notes(stopped=self.study.stopped)
            self.study.store.annotate(self.study.name, notes.changed("stopped"))

    def _kept(self, trial: Trial, outcome: Outcome, seconds: float) -> None:
        """Book an attempt of a run that ends, unless the store is what ends it."""
        with suppress(TunewiseError):
            self._told(trial, outcome, seconds)


def _executor(executor: TrialExecutor | str | None, workers: int) -> tuple[TrialExecutor, bool]:
    if isinstance(executor, TrialExecutor):
        return executor, False
    built = EXECUTORS.load(executor or "process")(workers=workers)
    assert isinstance(built, TrialExecutor)
    return built, True
