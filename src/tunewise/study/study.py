"""A study: a problem, a strategy, a history."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from tunewise.errors import NothingToSuggest, RightLost, StudyError, answering
from tunewise.history import Outcome, Preempted, Trial, checked_report
from tunewise.problem import Metrics, Problem
from tunewise.space import Config, Space
from tunewise.strategy.spec import StrategySpec
from tunewise.strategy.strategy import Recommendation, Suggestion
from tunewise.study.budget_ledger import BudgetLedger
from tunewise.study.define_by_run.asked import AskedTrial, asked, held, refresh, told
from tunewise.study.define_by_run.discovery import run_to_the_end
from tunewise.study.doubts import warned
from tunewise.study.executor import Job, TrialExecutor
from tunewise.study.folders import noted_folder, trials_folder
from tunewise.study.opening import INSTEAD, Opening, new_name, open_store
from tunewise.study.owner import Owner
from tunewise.study.record import StudyRecord
from tunewise.study.run import settings
from tunewise.study.run.heeded import Limits, judged
from tunewise.study.run.progress import ProgressLine
from tunewise.study.run.stopping import StopRule
from tunewise.study.store import Allocation, Store
from tunewise.study.stored import StoredStudy
from tunewise.study.suggesting import (
    TooDear,
    full_training,
    refuse_lost,
    refuse_overspending,
    suggested,
    why_none,
)
from tunewise.study.warm_start import WarmStart, refuse_other, sources
from tunewise.study.worker.worker import Recovery, Worker

Callback = Callable[["Study", Trial], None]


class Study(StoredStudy):
    """Finds a good config for a problem, one trial at a time.

    With `storage` every told trial is durable before `tell` returns, and a study of the same name
    is resumed. Any number of processes may work on one study at once.
    """

    @answering("tunewise.Study", StudyError, INSTEAD)
    def __init__(
        self,
        problem: Problem,
        strategy: str | StrategySpec | Mapping[str, Any] | None = None,
        seed: int | None = None,
        storage: str | Path | Store | None = None,
        name: str | None = None,
        lease: float = 60.0,
        warm_start: WarmStart = (),
        on_change: Literal["refuse", "new problem"] = "refuse",
        namespace: str | None = None,
    ) -> None:
        """Open the study, or resume the one of this name.

        Args:
            problem: What is wanted.
            strategy: A name, or `tunewise.strategy(name, **options)`; by default "trimtuner" for a
                problem with fractions and "cherrypick" for one without.
            seed: With the history determines every ask; drawn and kept when None.
            storage: None for memory, or a URL such as "sqlite:///tunewise.db".
            name: The study's name in the storage; a new one is made up when None.
            lease: Seconds after which the trial of a silent worker is given out again.
            warm_start: Studies to learn from besides: names in the same storage, or histories.
                What they measured until now is kept with the study when it is created.
            on_change: What to do when the study exists with another problem: "refuse", or take
                this one as the "new problem" of its trials.
            namespace: Whose study of this name it is, where several people share a storage.
        """
        if not isinstance(problem, Problem):
            raise StudyError(f"problem is {problem!r}; expected a tunewise.Problem")
        chosen = None if strategy is None else StrategySpec.of(strategy)
        self.store = open_store(storage, namespace)
        others = sources(warm_start)
        opening = Opening(problem, chosen, seed, others, on_change)
        record = opening.record(self.store, name or new_name())
        refuse_other(record, others)
        if problem.discovers:
            problem = problem.with_space(Space.from_description(record.current_problem["space"]))
        # What it knew of machines when it began: a resumed study decides as an unbroken one.
        self.problem = problem.with_machines(record.current_problem)
        self._begin(record, lease)
        self.strategy  # noqa: B018 - made now: options that it does not take are refused here
        self._durable = storage is not None
        self._url = str(storage) if isinstance(storage, str | Path) else None

    @classmethod
    def of_record(
        cls, store: Store, record: StudyRecord, problem: Problem, url: str | None, lease: float
    ) -> "Study":
        """A study that lies in a store already, with its problem as far as it is known."""
        study = cls.__new__(cls)
        study.problem, study.store = problem, store
        study._begin(record, lease)
        study._durable, study._url = True, url
        return study

    def _begin(self, record: StudyRecord, lease: float) -> None:
        self._became(record)
        self._worker = Worker(self.store, record.name, self.problem, lease)
        self.stopped: str | None = None
        self._limits = Limits()
        self.in_hand: dict[int, AskedTrial] = {}
        self._closed = False

    def with_problem(self, problem: Problem) -> "Study":
        """This study with another problem on the same trials: other limits, budget or space.

        Trials outside of the new space or fractions stay booked and visible; the strategy does
        not learn from them. Earlier problems are kept in `study.record.noted.problems`.
        """
        study = Study(
            problem,
            storage=self.store,
            name=self.name,
            lease=self._worker.lease,
            on_change="new problem",
        )
        study._durable, study._url = self._durable, self._url
        return study

    @property
    def stop_requests(self) -> set[int]:
        """Numbers of this process's trials that a person asked to stop."""
        return self._worker.heartbeat.stop_requests

    @property
    def lost_leases(self) -> set[int]:
        """Numbers of this process's trials that were given to another while it was silent."""
        return self._worker.heartbeat.lost

    @property
    def owner(self) -> Owner:
        """What the store knows this process's part in the study by."""
        return self._worker.owner

    @property
    def unbegun(self) -> Trial | None:
        """The trial that was asked for last, until it begins or is told."""
        return self._worker.unbegun

    @property
    def given_again(self) -> bool:
        """Whether the trial that was asked for last had been given out before."""
        return self._worker.given_again

    @answering("study.ask", StudyError, settings.ASK_INSTEAD, usage=settings.ASK)
    def ask(self) -> Trial:
        """The next trial to run.

        An enqueued or preempted trial, or one whose worker died, comes before a new one. After
        `trial.limit` seconds it is better stopped, and told as `TimedOut` with its time.

        Raises:
            StudyError: When the budget does not pay for it, the strategy has nothing left to
                suggest, or the study is closed.
        """
        refresh(self)
        ledger = BudgetLedger(self)
        if why := ledger.spent(self.history):
            raise StudyError(f"study {self.name!r}: {why}; give it a larger budget to go on")
        trial = self.next_trial(too_dear=ledger.too_dear)
        assert trial is not None
        allowance = ledger.pays_for(trial)
        if allowance is None:
            self.tell(trial, Preempted("there was no money to begin it"))
            why = ledger.cannot_pay(trial)
            raise StudyError(f"study {self.name!r}: {why}; give it a larger budget to go on")
        self.begin(trial)
        return asked(self, self._limits.given(self, trial, allowance.seconds))

    def next_trial(
        self,
        most: int | None = None,
        too_dear: TooDear | None = None,
        recover: Recovery = lambda trial: None,
        allocation: Allocation | None = None,
        full_last: bool = False,
    ) -> Trial | None:
        """As `ask`, but None once the study has `most` trials and none of them waits.

        With `full_last` the last of them trains what would be recommended on all data, where that
        config has not: what is deployed has been seen once.

        In place of a new trial that is too dear another is suggested, if there is one. An attempt
        whose worker is gone is told as `recover` finds it, and then the ended trial is returned;
        else what it had cost at its last sign of life is booked, and it is given out again.

        The count is exact however many processes ask at once. Cancelled trials do not count.
        `begin` says when the trial starts to cost money; with an allocation, some is set aside.
        """
        self._refuse_closed()
        refuse_lost(self.problem, self.name, "ask for trials", "where", "price")
        refuse_overspending(self.problem, self.name, self.history)
        if self._durable:
            self._worker.heartbeat.start()  # it keeps the right to ask, too
        while True:
            with suppress(RightLost):  # the store's server crashed, or we were silent: ask again
                return self._worker.take_up(recover, allocation) or self._new_trial(
                    most, too_dear, allocation, full_last
                )

    def _refuse_closed(self) -> None:
        if self._closed:
            raise StudyError(
                f"study {self.name!r} is closed; open it again with tunewise.Study(problem,"
                f" storage=..., name={self.name!r}), or ask within its `with`"
            )

    def add(self, new: Suggestion, enqueued: bool = False) -> Trial:
        """Add a trial that was not asked for and runs already; of its space, but not checked."""
        with self.store.asking(self.name, self._worker.owner):
            return self._worker.add(new, None, enqueued)

    def begin(self, trial: Trial) -> None:
        """The trial starts to run: from now on its time is booked, even if we are killed."""
        self._worker.begin(trial)

    def set_aside(self, trial: Trial, allocation: Allocation) -> None:
        """Set money aside for a trial that had to wait for it."""
        self.store.set_aside(self.name, trial.number, self._worker.owner, allocation)

    def _new_trial(
        self,
        most: int | None,
        too_dear: TooDear | None,
        allocation: Allocation | None,
        full_last: bool,
    ) -> Trial | None:
        with self.store.asking(self.name, self._worker.owner):
            history = self.history
            begun = sum(t.state != "cancelled" for t in history)
            if most is not None and begun >= most:
                return None
            last = full_last and most is not None and begun == most - 1
            new = full_training(self.problem, self.strategy, history, too_dear) if last else None
            new = new or suggested(self.strategy, history, too_dear)
            if new is None:
                raise NothingToSuggest(
                    f"study {self.name!r}: strategy {self.record.strategy['name']!r} has no trial"
                    f" left to suggest: {why_none(self.problem, history)}"
                )
            return self._worker.add(new, allocation)

    @answering("study.tell", StudyError, settings.TELL_INSTEAD, usage=settings.TELL)
    def tell(self, trial: Trial | int, outcome: Outcome | Mapping[str, Any]) -> Trial:
        """Keep what a trial measured, or how it failed; durable when this returns.

        Raises:
            MeasurementError: A metric is missing or not a finite number; the trial stays open.
            StudyError: The trial was told already, or there is no such trial. What an attempt
                has cost whose trial was given to another worker meanwhile is booked all the same.
        """
        known = held(self, trial)
        heeded = self._limits.heeded(known, outcome)
        if isinstance(known, AskedTrial):
            return told(self, known, self._worker.timed(known, heeded))
        return self._worker.tell(known, heeded)

    def verdict(
        self, trial: Trial | int, reports: Mapping[float, Mapping[str, Any]] | None = None
    ) -> str | None:
        """Why a running trial is better stopped, by what it has reported; None to let it run.

        Args:
            trial: One that was asked for.
            reports: Its metrics by the fraction of the data that it has passed. They are kept, as
                by `report`.
        """
        known = trial if isinstance(trial, Trial) else self.trial(trial)
        return judged(self, known, reports or {})

    def report(self, trial: Trial | int, metrics: Metrics, fraction: float) -> None:
        """Keep a snapshot that a running trial has told: a free observation, whatever comes.

        Raises:
            MeasurementError: It is no snapshot of this trial.
        """
        known = trial if isinstance(trial, Trial) else self.trial(trial)
        self.report_all(known, {fraction: metrics})

    def report_all(self, trial: Trial, snapshots: Mapping[float, Metrics]) -> None:
        """As `report`, for several snapshots at once."""
        checked = {
            float(s): checked_report(self.problem, trial, s, m) for s, m in snapshots.items()
        }
        self.store.report(self.name, trial.number, checked, self._worker.owner)

    def recommend(self) -> Recommendation:
        """The config to deploy, what to expect of it, and how sure we are.

        A `TunewiseWarning` says where no config keeps the limits as surely as was asked for.
        """
        said = self.recommendation if self.problem.lost else None
        return warned(said or self._recommended())

    def abandoned(self) -> set[int]:
        """Numbers of trials that wait for a worker, or whose worker is gone."""
        return self.store.idle(self.name, self._worker.owner)

    def enqueue(self, config: Config, fraction: float = 1.0) -> Trial:
        """Have a config that you believe in tried next; what it does not say is drawn."""
        refuse_lost(self.problem, self.name, "enqueue a config", "where")
        return self.put_first(config, fraction)

    def cancel(self, trial: Trial | int) -> Trial:
        """Ask whoever runs the trial to stop it; what it cost stays booked."""
        number = trial.number if isinstance(trial, Trial) else trial
        return self.store.request_stop(self.name, number, self._worker.lost)

    def stop(self, reason: str = "stopped by a callback") -> None:
        """Have a running `optimize` start no more trials."""
        self.stopped = reason

    @answering("study.optimize", StudyError, settings.INSTEAD, settings.FORMER)
    def optimize(
        self,
        job: Job,
        trials: int | None = None,
        timeout: float | str | None = None,
        parallel: int = 1,
        *,
        target: float | None = None,
        min_gain: float | str | None = None,
        min_trials: int | None = None,
        trial_timeout: float | str | None = None,
        retries: int = 0,
        prune: bool = True,
        stop: Iterable[StopRule] = (),
        callbacks: Iterable[Callback] = (),
        executor: TrialExecutor | str | None = None,
        folder: str | Path | None = None,
        progress: bool | ProgressLine | None = None,
    ) -> Recommendation | None:
        """Run the job on trial after trial until a stop rule is met.

        Args:
            job: Takes a trial; returns metrics, a Measurement or a Failure.
            trials: Trials in the study in all, those of earlier runs included.
            timeout: Seconds (or "10 min") after which no trial is started, and running ones stop.
            parallel: Trials at once.
            target: Stop when a feasible trial is this good.
            min_gain: Stop when another trial is expected to bring less: an amount, or "10 %".
            min_trials: Trials that have ended before `min_gain` may stop the run.
            trial_timeout: Seconds (or "10 min") after which a trial is killed and has failed.
            retries: How often a trial that failed runs again before that counts against its
                config. Each attempt is paid for.
            prune: Whether trials are stopped that their strategy prunes.
            stop: Further rules, see `StopRule`.
            callbacks: Called with (study, trial) after each told trial.
            executor: Where trials run: "process" (default) or an executor of your own.
            folder: Where logs and results of trials are kept; by default beside a storage.
            progress: Show a progress bar, or one of your own; by default when a person is looking.

        Returns:
            The recommendation; None, with a warning, when nothing was measured. See `stopped`.
        """
        self._refuse_closed()
        wanted = settings.Settings.of(
            trials=trials,
            timeout=timeout,
            parallel=parallel,
            target=target,
            min_gain=min_gain,
            min_trials=min_trials,
            trial_timeout=trial_timeout,
            retries=retries,
            prune=prune,
            stop=stop,
            callbacks=callbacks,
            folder=self._folder(folder),
        )
        return warned(run_to_the_end(self, job, wanted, executor, progress), self.stopped)

    def reopen(self) -> None:
        """Go on with the problem that trainings have made of ours."""
        record = self.store.load(self.name)
        self.problem = self.problem.with_space(
            Space.from_description(record.current_problem["space"])
        )
        self._became(record)
        self._worker.problem, self.stopped = self.problem, None  # what it holds it goes on with

    def _folder(self, wanted: str | Path | None) -> Path | None:
        """Where results that were not told yet survive a crash; None for a study in memory."""
        folder = wanted or (self._url and trials_folder(self._url, self.record))
        if not folder or not self._durable:
            return Path(folder).absolute() if folder else None
        return noted_folder(self.store, self.name, Path(folder).absolute())

    @property
    def durable(self) -> bool:
        """Whether the study lasts longer than this process, and others can reach it."""
        return self._durable

    def close(self) -> None:
        """Give back threads and connections; what is known of the study can still be read."""
        self._closed = True
        self._worker.heartbeat.stop()
        self.store.close()

    def __enter__(self) -> "Study":
        """For `with`."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the study."""
        self.close()
