"""The trials that one process holds of a study: given to it, begun, told, or lost."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from tunewise.errors import MeasurementError, StudyError
from tunewise.history import BOOKED, RESUMED, Measurement, Outcome, Preempted, Trial, completed
from tunewise.history.completion import as_outcome, refuse_larger_snapshots
from tunewise.problem import Problem
from tunewise.strategy.strategy import Suggestion
from tunewise.study.booking import (
    booked_at_least,
    paid_once,
    with_estimated_cost,
)
from tunewise.study.owner import Owner
from tunewise.study.run.interrupts import uninterrupted
from tunewise.study.store import Allocation, Store
from tunewise.study.suggesting import refuse_lost
from tunewise.study.worker.heartbeat import Heartbeat

Recovery = Callable[[Trial], Outcome | None]
"""Finds how an attempt ended whose worker is gone; None where nothing tells."""


class Worker:
    """What this process works on; others see it by its leases."""

    def __init__(self, store: Store, study: str, problem: Problem, lease: float) -> None:
        """It holds nothing yet.

        Args:
            store: Where the study lies.
            study: Its name there.
            problem: What is wanted.
            lease: Seconds after which its trials are given to others when it is silent.
        """
        if lease <= 0:
            raise StudyError(f"lease is {lease!r}; expected seconds above 0")
        self._store, self._study, self.problem = store, study, problem
        self.owner, self.lease = Owner.here(), lease
        self.heartbeat = Heartbeat(store, study, self.owner, lease)
        self.given_again = False
        """Whether the trial that was given last had been given out before."""
        self.unbegun: Trial | None = None
        """The trial that was given last, until it begins or is told."""

    def take_up(self, recover: Recovery, allocation: Allocation | None) -> Trial | None:
        """A trial that waits or whose worker is gone; None where there is none.

        An attempt whose worker is gone is told as `recover` finds it, and then the ended trial is
        returned; else what it had cost at its last sign of life is booked, and it is given again.
        """

        def ended(trial: Trial, seconds: float) -> Outcome:
            return self._found_again(trial, recover(trial)) or self.lost(trial, seconds)

        self.unbegun = None
        with uninterrupted():
            trial = self._store.claim(self._study, self.owner, self.lease, ended, allocation)
            self.unbegun = trial if trial is not None and trial.state.pending else None
        self.given_again = trial is not None
        return trial

    def add(self, new: Suggestion, allocation: Allocation | None, enqueued: bool = False) -> Trial:
        """A new trial, held by this process."""
        with uninterrupted():
            suggestion = new.config, new.fraction, new.snapshots
            held = self.owner, self.lease
            trial = self._store.add(self._study, *suggestion, *held, allocation, enqueued)
            self.unbegun = trial
        return trial

    def begin(self, trial: Trial) -> None:
        """The trial starts to run: from now on its time is booked, even if we are killed."""
        self.heartbeat.begin(trial.number)
        self.unbegun = None

    def tell(self, trial: Trial, outcome: Outcome | Mapping[str, Any]) -> Trial:
        """Keep what became of a trial; it is not ours any more, even if another has told it."""
        paid, said = self._paid_once(trial, as_outcome(outcome))
        if said is not None:
            logging.getLogger("tunewise").warning("trial %d: %s", trial.number, said)
        timed = self.timed(trial, paid)
        if "time" in timed.metrics and "cost" not in timed.metrics:
            refuse_lost(self.problem, self._study, "have a cost made of the time", "price")
        checked = self._checked(trial, timed)
        try:
            told = self._store.tell(self._study, trial.number, checked, self.owner)
        except StudyError:
            self._forget(trial.number)  # another worker has told it
            raise
        self._forget(trial.number)
        return told

    def lost(self, trial: Trial, seconds: float) -> Outcome:
        """What an attempt had cost at its last sign of life."""
        gone = Preempted("its process ended before it was told", {"time": seconds})
        return self._checked(trial, self._estimated(gone))

    def _found_again(self, trial: Trial, found: Outcome | None) -> Outcome | None:
        """The outcome of a trial whose worker is gone, fit to be kept."""
        if found is None:
            return None
        found = self._estimated(self._paid_once(trial, found)[0])
        try:
            return self._checked(trial, found)
        except MeasurementError as error:
            return self._checked(
                trial, booked_at_least(found, error, found.metrics.get("time", 0.0))
            )

    def _estimated(self, outcome: Outcome) -> Outcome:
        return with_estimated_cost(self.problem, self._store.history(self._study), outcome)

    def _paid_once(self, trial: Trial, outcome: Outcome) -> tuple[Outcome, str | None]:
        if not outcome.metrics.get(RESUMED):
            return outcome, None  # nearly always: no need to read the history
        return paid_once(self._store.history(self._study), trial, outcome)

    def _forget(self, number: int) -> None:
        """The trial is not ours any more."""
        self.heartbeat.forget(number)
        if self.unbegun is not None and self.unbegun.number == number:
            self.unbegun = None

    def _checked(self, trial: Trial, outcome: Outcome) -> Outcome:
        checked = completed(self.problem, trial.config, outcome)
        if isinstance(checked, Measurement):
            refuse_larger_snapshots(trial, checked)
        return checked

    def timed(self, trial: Trial, outcome: Outcome) -> Outcome:
        """With the clock's time, where nothing else tells what a trial has cost."""
        ran = self.heartbeat.ran(trial.number)
        if ran is None or self.problem.price is None or self.problem.budget is None:
            return outcome
        if any(name in outcome.metrics for name in BOOKED):
            return outcome
        return replace(outcome, metrics={**outcome.metrics, "time": ran})
