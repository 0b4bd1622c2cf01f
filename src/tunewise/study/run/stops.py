"""Which running trials have to end now, and why."""

from collections.abc import Collection, Iterator, Mapping
from concurrent.futures import Future
from typing import TYPE_CHECKING

from tunewise.history import OUTCLASSED, Cancelled, Failure, Outcome, Preempted, TimedOut
from tunewise.study.budget_ledger import BudgetLedger
from tunewise.study.run.limits import Running
from tunewise.study.run.threads import one_thread

if TYPE_CHECKING:
    from tunewise.study.study import Study

Trials = Mapping[Future[Outcome], Running]


def due(study: "Study", running: Trials, over: bool) -> Iterator[tuple[Future[Outcome], Failure]]:
    """The trials to stop, each with its outcome.

    Args:
        study: Knows what a person asked for, and which trials are no longer ours.
        running: Our trials.
        over: Whether the time of the whole run is over.
    """
    for future, run in running.items():
        if run.trial.number in study.stop_requests:
            yield future, Cancelled("stopped by a person")
        if run.trial.number in study.lost_leases:
            # It was given to another worker while we were silent.
            yield future, Preempted("another worker was given the trial")
        if over:
            yield future, Preempted("the time of the run was over")


def outclassed(
    study: "Study", running: Trials, numbers: Collection[int]
) -> Iterator[tuple[Future[Outcome], Failure]]:
    """Those of the trials by number that cannot become the answer any more, as they reported."""
    history = study.history if numbers else ()
    reported = {trial.number: trial for trial in history if trial.number in numbers}
    for future, run in running.items():
        if (trial := reported.get(run.trial.number)) is not None:
            with one_thread():
                reason = study.strategy.pruner.verdict(study.history, trial)
            if reason is not None:
                yield future, TimedOut(f"{OUTCLASSED}: {reason}")


def overdrawn(
    ledger: BudgetLedger, running: Trials, now: float
) -> Iterator[tuple[Future[Outcome], Failure]]:
    """All of our trials, once what all running ones have cost by now uses the budget up.

    Each trial has money of its own, but that knows this process only.
    """
    if ledger.overdrawn((run.trial, now - run.began) for run in running.values()):
        yield from ((future, ledger.cut()) for future in running)
